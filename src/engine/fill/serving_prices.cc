#include "engine/fill/serving_prices.h"

#include <utility>

namespace loadfactor::engine {

std::unique_ptr<CostSetup> price_chip(const ServingQuestion& question, const ServingWorld& world,
                                      const std::string& chip, Diagnostics& diagnostics) {
  CostRequest request;
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

std::optional<DollarsPerGpuSecond> rent_on_demand(const CostSetup& setup) {
  const auto price = economics::effective_rent(setup.terms, economics::OptionKind::kOnDemand);
  if (!price) return std::nullopt;
  return *price / Gpus::from_base(1);
}

}  // namespace loadfactor::engine
