// How a generation of an engine schedules, as rules of the simulator.
#pragma once

#include "serving/engine_traits.h"
#include "serving/simulator/policy.h"

namespace loadfactor::serving {

// Sets batching, preemption, victims, watermark and reserve; `rules` has its blocks already.
void set_engine_rules(const EngineTraits& engine, SchedulerRules& rules);

}  // namespace loadfactor::serving
