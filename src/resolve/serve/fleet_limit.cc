#include "resolve/serve/fleet_limit.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "serving/load_factor.h"

namespace loadfactor::engine {

std::optional<Error> find_fleet_fault(const config::Scenario& scenario, const FleetSize& fleet) {
  const auto& ask = *scenario.serve;
  if (fleet.replicas > serving::kMostReplicas) {
    return scenario.error(
        lf::kOverloaded, ask.demand ? ask.demand->position : ask.position,
        fmt::format("more than {} replicas would be needed", format_count(serving::kMostReplicas)),
        "check the suffix of the rate, or give a replica more GPUs");
  }
  const auto& limit = scenario.limits.gpus;
  if (limit && fleet.gpus > static_cast<double>(limit->value)) {
    return scenario.error(lf::kOverloaded, limit->position,
                          fmt::format("{} GPUs are needed, and the limit is {}",
                                      format_count(std::llround(fleet.gpus)),
                                      format_count(static_cast<std::int64_t>(limit->value))),
                          "raise limits.gpus, or ask for less");
  }
  return std::nullopt;
}

}  // namespace loadfactor::engine
