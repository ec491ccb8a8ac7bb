#include "serving/simulator/engine_rules.h"

#include <cmath>

namespace loadfactor::serving {

void set_engine_rules(const EngineTraits& engine, SchedulerRules& rules) {
  constexpr int kPermille = 1000;
  rules.schedules_ahead = engine.schedules_ahead;
  if (engine.prompts_alone) rules.batching = Batching::kPrefillFirst;
  if (engine.victim == catalog::Victim::kFewestGenerated)
    rules.victims = VictimOrder::kFewestGenerated;
  if (engine.admission == catalog::Admission::kWhole) rules.preemption = Preemption::kReserve;
  if (engine.admission == catalog::Admission::kShare)
    rules.reserve_permille = static_cast<int>(kPermille * engine.reserve);
  rules.watermark_blocks = rules.kv_blocks * std::llround(kPermille * engine.watermark) / kPermille;
}

}  // namespace loadfactor::serving
