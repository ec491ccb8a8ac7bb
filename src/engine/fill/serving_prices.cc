#include "engine/fill/serving_prices.h"

#include <algorithm>
#include <utility>

namespace loadfactor::engine {

std::unique_ptr<CostSetup> price_chip(const ServingInputs& question, const ServingWorld& world,
                                      const std::string& chip, Diagnostics& diagnostics) {
  CostInputs request;
  request.scenario =
      question.scenario.with({{"hardware", std::vector<std::string>{chip}}, {"capacity"}});
  request.today = question.today;
  request.draws = 0;
  // Prices need some work to stand for; how much is the caller's to say.
  request.capacity = KnownCapacity{
      .gpus = 1, .full_plane = TokensPerSecond::from_base(1), .load_factor = 1, .source = "fill"};
  request.demand = KnownDemand{.requests = Hertz::from_base(world.demand().mean()),
                               .tokens_in = Tokens::from_base(world.demand().input),
                               .tokens_out = Tokens::from_base(world.demand().output)};
  return make_cost_setup(request, *world.service().catalog, diagnostics);
}

std::optional<GpuPrice> price_of(const economics::CostCase& terms, OptionKind kind) {
  if (kind == OptionKind::kOwn) {
    const auto owner = economics::owner_cost_of(terms);
    if (!owner) return std::nullopt;
    return GpuPrice{kind, owner->fixed(), owner->working()};
  }
  const auto rent = economics::effective_rent(terms, kind);
  if (!rent) return std::nullopt;
  return GpuPrice{kind, *rent, DollarsPerSecond()};
}

std::vector<GpuPrice> prices_of(const CostSetup& setup) {
  std::vector<GpuPrice> prices;
  const auto add = [&](OptionKind kind) {
    if (const auto price = price_of(setup.terms, kind)) prices.push_back(*price);
  };
  bool has_way = false;
  for (const OptionKind kind : {OptionKind::kOnDemand, OptionKind::kReserved1y,
                                OptionKind::kReserved3y, OptionKind::kSpot, OptionKind::kOwn}) {
    if ((setup.asked & economics::bit(kind)) == 0) continue;
    has_way = true;
    add(kind);
  }
  if (!has_way) add(OptionKind::kOnDemand);
  return prices;
}

std::optional<GpuPrice> leading_price(const CostSetup& setup) {
  const std::vector<GpuPrice> prices = prices_of(setup);
  const auto rank = [](const GpuPrice& price) {
    return std::pair(price.kind != OptionKind::kOnDemand, price.fixed + price.working);
  };
  const auto first =
      std::min_element(prices.begin(), prices.end(),
                       [&](const GpuPrice& a, const GpuPrice& b) { return rank(a) < rank(b); });
  return first == prices.end() ? std::nullopt : std::optional(*first);
}

}  // namespace loadfactor::engine
