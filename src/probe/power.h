// Loads held until power and clocks settle.
#pragma once

#include "bench.h"
#include "telemetry.h"

namespace loadfactor::probe {

void probe_power(const Bench& bench, const Telemetry& telemetry);

}  // namespace loadfactor::probe
