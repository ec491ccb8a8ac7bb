#include "catalog/import/prices/litellm_prices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/foreign_map.h"
#include "catalog/import/prices/price_placeholder.h"
#include "config/document.h"
#include "config/number_text.h"

namespace loadfactor::catalog {
namespace {

using config::Member;

constexpr std::array<std::string_view, 2> kNotEntries{"sample_spec", "fallback_generalizations"};
constexpr std::array<std::string_view, 3> kTextModes{"chat", "completion", "responses"};

// Dollars per token. The dearest model there is costs a fifth of the upper bound; whoever writes
// more has written dollars per thousand or million tokens.
constexpr double kMaxPricePerToken = 2e-3;
constexpr double kMinPricePerToken = 1e-11;
constexpr std::int64_t kLongestContext = 1'000'000'000;
// A file with so many errors is not a price map; the first ones say so.
constexpr std::size_t kMaxEntryErrors = 100;

// Six times the size of the map in 2026.
constexpr config::Limits kMapLimits{.bytes = std::size_t{8} << 20U,
                                    .scalar_bytes = std::size_t{64} << 10U};

constexpr std::string_view kTierInfix = "_above_";
constexpr std::string_view kThousandTokens = "k_tokens";

template <typename List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A price per token; 0 is how the map writes "not priced".
std::optional<DollarsPerToken> read_price(ForeignMap& entry, std::string_view key) {
  const auto value = entry.number({key});
  if (!value) return std::nullopt;
  if (*value < 0) {
    entry.report(key, lf::kOutOfRange, fmt::format("{} is negative", key));
    return std::nullopt;
  }
  if (*value > kMaxPricePerToken) {
    entry.report(
        key, lf::kAbsurdMagnitude,
        fmt::format("{} is {} dollars per token, {} per million", key, *value, *value * 1e6),
        "the map gives dollars per single token, such as 2.5e-06");
    return std::nullopt;
  }
  if (*value < kMinPricePerToken) return std::nullopt;
  return DollarsPerToken::from_base(*value);
}

// The N of `…_above_<N>k_tokens` if that is how the key ends, in tokens.
std::optional<std::int64_t> tier_of(std::string_view key, std::string_view stem) {
  if (!key.starts_with(stem)) return std::nullopt;
  key.remove_prefix(stem.size());
  if (!key.starts_with(kTierInfix) || !key.ends_with(kThousandTokens)) return std::nullopt;
  key.remove_prefix(kTierInfix.size());
  key.remove_suffix(kThousandTokens.size());
  std::int64_t thousands = 0;
  const auto parsed = std::from_chars(key.data(), key.data() + key.size(), thousands);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == key.data() + key.size();
  if (!whole || thousands < 1 || thousands > kLongestContext / 1000) return std::nullopt;
  return thousands * 1000;
}

struct TierField {
  std::string_view stem;
  std::optional<DollarsPerToken> ApiPriceTier::*field;
};
constexpr std::array kTierFields{
    TierField{"input_cost_per_token", &ApiPriceTier::input},
    TierField{"output_cost_per_token", &ApiPriceTier::output},
    TierField{"cache_read_input_token_cost", &ApiPriceTier::cached},
};

std::vector<ApiPriceTier> read_tiers(ForeignMap& entry, const ApiPrice& price) {
  std::map<std::int64_t, ApiPriceTier> tiers;
  for (const Member& member : entry.node().members) {
    for (const TierField& field : kTierFields) {
      const auto above = tier_of(member.key, field.stem);
      if (!above) continue;
      ApiPriceTier& tier = tiers[*above];
      tier.provider = price.provider;
      tier.model_id = price.model_id;
      tier.above_tokens = *above;
      tier.*field.field = read_price(entry, member.key);
    }
  }
  std::vector<ApiPriceTier> sorted;
  sorted.reserve(tiers.size());
  for (auto& [above, tier] : tiers) sorted.push_back(std::move(tier));
  return sorted;
}

std::string read_deprecation(ForeignMap& entry) {
  const auto date = entry.text({"deprecation_date"});
  if (!date || config::is_date(*date)) return date.value_or("");
  entry.report("deprecation_date", lf::kBadDate, fmt::format("'{}' is not a date", *date),
               "write YYYY-MM-DD");
  return "";
}

// Whether `date` lies wholly before `today`; neither may be known.
bool is_past(std::string_view date, std::string_view today) {
  const std::size_t length = std::min(date.size(), today.size());
  return length > 0 && date.substr(0, length) < today.substr(0, length);
}

class LiteLlmImporter {
 public:
  LiteLlmImporter(const LiteLlmInput& input, const config::Document& document)
      : input_(input), document_(document) {}

  void read(ForeignMap entry, const Member& member) {
    ++result_.report.read;
    const auto provider = entry.text({"litellm_provider"});
    if (!provider && !entry.has("litellm_provider")) {
      entry.report_missing("litellm_provider", "every entry of the map names its provider");
    }
    const auto mode = entry.text({"mode"});
    if (!provider) return;
    if (!mode) return result_.report.drop("no mode");
    if (!contains(kTextModes, *mode)) return result_.report.drop("mode " + *mode);
    keep(entry, member, *provider);
  }

  LiteLlmPrices finish() {
    drop_placeholders();
    result_.report.used = result_.prices.size();
    const std::size_t past = result_.past_deprecation.size();
    if (past > 0) {
      result_.report.notices.push_back(
          {lf::kStalePrice, fmt::format("{} models are past their deprecation date", past), 0});
    }
    return std::move(result_);
  }

  ImportReport& report() { return result_.report; }

 private:
  void keep(ForeignMap& entry, const Member& member, const std::string& provider) {
    ApiPrice price{.provider = provider, .model_id = member.key};
    price.input = read_price(entry, "input_cost_per_token");
    price.output = read_price(entry, "output_cost_per_token");
    price.cached = read_price(entry, "cache_read_input_token_cost");
    price.batch_input = read_price(entry, "input_cost_per_token_batches");
    price.deprecated = read_deprecation(entry);
    const auto context = entry.integer({"max_input_tokens"}, {0, kLongestContext});
    price.context = context.value_or(0);
    if (!price.input && !price.output) return result_.report.drop("no price per token");
    if (input_.find_model) price.model = input_.find_model(member.key);
    price.provenance = {.kind = SourceKind::kPublished,
                        .sources = {"litellm-price-map"},
                        .date = input_.as_of,
                        .file = document_.file,
                        .line = member.key_position.line};
    if (is_past(price.deprecated, input_.today)) {
      result_.past_deprecation.push_back(member.key);
    }
    auto tiers = read_tiers(entry, price);
    std::move(tiers.begin(), tiers.end(), std::back_inserter(result_.tiers));
    result_.prices.push_back(std::move(price));
  }

  void drop_placeholders() {
    auto found = find_placeholders(result_.prices);
    std::reverse(found.begin(), found.end());  // From the back, so that positions stay true.
    for (const std::size_t i : found) {
      const ApiPrice& price = result_.prices[i];
      result_.report.notices.push_back(
          {lf::kPlaceholderPrice,
           fmt::format("{} of {} costs {:.4g} dollars per million tokens, far below its siblings; "
                       "left out as a placeholder",
                       price.model_id, price.provider, price.input->base() * 1e6),
           price.provenance.line});
      result_.report.drop("placeholder price");
      std::erase_if(result_.tiers,
                    [&](const ApiPriceTier& tier) { return tier.model_id == price.model_id; });
      result_.prices.erase(result_.prices.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const LiteLlmInput& input_;
  const config::Document& document_;
  LiteLlmPrices result_;
};

}  // namespace

std::optional<LiteLlmPrices> import_litellm_prices(LiteLlmInput input, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  auto document = config::parse_json(input.file, std::move(input.text), kMapLimits);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  check_keys(*document, diagnostics);
  auto root = as_map(*document, "a LiteLLM price map", diagnostics);
  if (!root) return std::nullopt;
  LiteLlmImporter importer(input, *document);
  for (const Member& member : document->root.members) {
    if (diagnostics.size() - before >= kMaxEntryErrors) break;
    if (contains(kNotEntries, member.key)) {
      ++importer.report().read;
      importer.report().drop("not a model");
    } else if (auto entry = root->map_at(member)) {
      importer.read(*std::move(entry), member);
    }
  }
  LiteLlmPrices prices = importer.finish();
  if (diagnostics.size() == before && prices.prices.empty()) {
    diagnostics.add(document->error(lf::kNothingUsable, document->root.position,
                                    "no entry of the map prices text tokens",
                                    describe(prices.report)));
  }
  if (diagnostics.size() != before) return std::nullopt;
  return prices;
}

}  // namespace loadfactor::catalog
