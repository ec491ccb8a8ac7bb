// Whether a fleet may be as large as a demand needs it.
#pragma once

#include <optional>

#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

struct FleetSize {
  double replicas = 0;
  double gpus = 0;
};

// LF121 where the fleet is beyond `limits.gpus`, or of more replicas than anyone runs.
std::optional<Error> find_fleet_fault(const config::Scenario& scenario, const FleetSize& fleet);

}  // namespace loadfactor::engine
