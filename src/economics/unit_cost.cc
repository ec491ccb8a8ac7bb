#include "economics/unit_cost.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace loadfactor::economics {
namespace {

using catalog::RentPrice;

constexpr std::string_view kMarket = "market";

std::vector<const RentPrice*> quotes_of(const catalog::PriceBook& prices,
                                        std::string_view accelerator, catalog::RentTerm term) {
  std::vector<const RentPrice*> quotes;
  for (const auto& quote : prices.rent) {
    if (quote.accelerator == accelerator && quote.term == term) quotes.push_back(&quote);
  }
  std::stable_sort(quotes.begin(), quotes.end(),
                   [](const RentPrice* a, const RentPrice* b) { return a->price < b->price; });
  return quotes;
}

}  // namespace

std::optional<EstimateOf<DollarsPerGpuSecond>> find_rent(const catalog::PriceBook& prices,
                                                         std::string_view accelerator,
                                                         catalog::RentTerm term) {
  const auto quotes = quotes_of(prices, accelerator, term);
  if (quotes.empty()) return std::nullopt;
  const auto market = std::find_if(quotes.begin(), quotes.end(),
                                   [](const RentPrice* q) { return q->provider == kMarket; });
  const RentPrice& chosen = market != quotes.end() ? **market : *quotes[(quotes.size() - 1) / 2];
  const bool assumed = chosen.provenance.kind == catalog::SourceKind::kAssumed;
  return EstimateOf<DollarsPerGpuSecond>(
      chosen.price, std::min(chosen.low.value_or(chosen.price), quotes.front()->price),
      std::max(chosen.high.value_or(chosen.price), quotes.back()->price),
      assumed ? Basis::kAssumed : Basis::kModelled,
      fmt::format("{}", fmt::join(chosen.provenance.sources, "; ")));
}

std::optional<OfferedRent> find_offered_rent(const catalog::PriceBook& prices,
                                             std::string_view accelerator, catalog::RentTerm term) {
  using catalog::RentTerm;
  std::array<RentTerm, 4> order{term, RentTerm::kOnDemand, RentTerm::kReserved1y,
                                RentTerm::kReserved3y};
  if (term == RentTerm::kReserved1y)
    order = {term, RentTerm::kReserved3y, RentTerm::kOnDemand, term};
  if (term == RentTerm::kReserved3y)
    order = {term, RentTerm::kReserved1y, RentTerm::kOnDemand, term};
  for (const RentTerm offered : order) {
    const auto rent = find_rent(prices, accelerator, offered);
    if (!rent) continue;
    if (offered == term) return OfferedRent{*rent, term};
    return OfferedRent{{rent->value(), rent->low(), rent->high(), Basis::kAssumed, rent->source()},
                       offered};
  }
  return std::nullopt;
}

EstimateOf<Dollars> rent_cost(const EstimateOf<DollarsPerGpuSecond>& rent, double gpus,
                              const EstimateOf<Seconds>& time) {
  const auto count = EstimateOf<Gpus>::exact(Gpus::from_base(gpus), Basis::kModelled, {});
  return rent * count * time;
}

}  // namespace loadfactor::economics
