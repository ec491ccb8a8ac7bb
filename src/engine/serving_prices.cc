#include "engine/serving_prices.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace loadfactor::engine {

std::optional<RentFigure> find_rent(const catalog::Catalog& catalog, const std::string& chip) {
  std::vector<const catalog::RentPrice*> quotes;
  for (const auto& quote : catalog.prices().rent)
    if (quote.accelerator == chip && quote.term == catalog::RentTerm::kOnDemand)
      quotes.push_back(&quote);
  if (quotes.empty()) return std::nullopt;
  std::sort(quotes.begin(), quotes.end(),
            [](const auto* a, const auto* b) { return a->price < b->price; });
  const catalog::RentPrice& middle = *quotes[quotes.size() / 2];
  return RentFigure{.price = middle.price,
                    .low = quotes.front()->price,
                    .high = quotes.back()->price,
                    .quotes = static_cast<int>(quotes.size()),
                    .source = fmt::format("{}", fmt::join(middle.provenance.sources, ", ")),
                    .date = middle.provenance.date};
}

std::optional<ApiFigure> find_api(const catalog::Catalog& catalog, const std::string& model,
                                  double tokens_in, double tokens_out) {
  std::optional<ApiFigure> best;
  for (const auto& price : catalog.prices().api) {
    if (price.model != model || !price.input || !price.output || !price.deprecated.empty())
      continue;
    const ApiFigure figure{.input = *price.input,
                           .output = *price.output,
                           .provider = price.provider,
                           .source = fmt::format("{}", fmt::join(price.provenance.sources, ", ")),
                           .date = price.provenance.date};
    if (figure.request(tokens_in, tokens_out) <= Dollars()) continue;
    if (!best || figure.request(tokens_in, tokens_out) < best->request(tokens_in, tokens_out))
      best = figure;
  }
  return best;
}

}  // namespace loadfactor::engine
