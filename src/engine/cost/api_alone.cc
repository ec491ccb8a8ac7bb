#include "engine/cost/api_alone.h"

#include <string>
#include <vector>

#include "base/error_codes.h"

namespace loadfactor::engine {

CostInputs api_alone(CostInputs asked, const KnownDemand& demand) {
  asked.scenario = asked.scenario.with(
      {{"money.options", std::vector<std::string>{std::string(name_of(OptionKind::kApi))}},
       {"capacity"},
       {"facility"}});
  asked.demand = demand;
  asked.capacity = KnownCapacity{.gpus = 1,
                                 .full_plane = demand.tokens(),
                                 .load_factor = 1,
                                 .busy_by_hour = {},
                                 .source = "demand"};
  return asked;
}

bool leaves_the_api(const Error& refusal) {
  return refusal.code == lf::kSloOutOfReach || refusal.code == lf::kOverloaded ||
         refusal.code == lf::kDoesNotFit;
}

}  // namespace loadfactor::engine
