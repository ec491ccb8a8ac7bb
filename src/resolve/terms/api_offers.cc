#include "resolve/terms/api_offers.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "catalog/index/model_name.h"
#include "economics/api_floor.h"

namespace loadfactor::engine {
namespace {

// A row of a model that the catalogue lacks is found by how its provider calls it.
bool is_of_model(const ApiNeed& need, const catalog::ApiPrice& row) {
  if (need.release.empty()) return row.model_id == need.model || row.model == need.model;
  return row.model.empty() && catalog::release_key(row.model_id) == need.release;
}

// Still sold, and for requests of this length.
bool is_on_offer(const ApiNeed& need, const catalog::ApiPrice& row) {
  const bool is_retired =
      !row.deprecated.empty() && !need.today.empty() && row.deprecated <= need.today;
  return !is_retired && (row.context <= 0 || need.length <= static_cast<double>(row.context));
}

}  // namespace

DollarsPerToken price_at_mix(const ApiNeed& need, const catalog::ApiPrice& row) {
  return economics::blended_price({.input = *row.input,
                                   .cached = row.cached.value_or(*row.input),
                                   .output = *row.output,
                                   .input_share = need.input_share,
                                   .cached_share = need.cached_share});
}

void set_model(ApiNeed& need, std::string_view written, std::string_view name) {
  need.model = name;
  if (catalog::is_other_variant(written, name)) need.release = catalog::release_key(written);
}

std::vector<const catalog::ApiPrice*> find_api_offers(const catalog::PriceBook& prices,
                                                      const ApiNeed& need) {
  std::map<std::string_view, const catalog::ApiPrice*> by_provider;
  for (const auto& row : prices.api) {
    if (!is_of_model(need, row)) continue;
    if (!need.provider.empty() && row.provider != need.provider) continue;
    if (!row.input || !row.output || !is_on_offer(need, row)) continue;
    const catalog::ApiPrice*& best = by_provider[row.provider];
    if (best == nullptr || price_at_mix(need, row) < price_at_mix(need, *best)) best = &row;
  }
  std::vector<const catalog::ApiPrice*> rows;
  for (const auto& [provider, row] : by_provider) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [&](const auto* a, const auto* b) {
    return price_at_mix(need, *a) < price_at_mix(need, *b);
  });
  return rows;
}

std::string api_name_of(const catalog::ApiPrice& row) {
  const bool says_who = row.model_id.starts_with(row.provider + "/");
  return says_who ? row.model_id : fmt::format("{} {}", row.provider, row.model_id);
}

}  // namespace loadfactor::engine
