// With which chunk and how many sequences an engine runs, as a scenario writes them or by default.
#pragma once

#include <optional>
#include <string>

#include "loadfactor/estimate.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "serving/generation.h"

namespace loadfactor::engine {

// LF521 where the engine would not start with what is written.
Result<serving::BatchLimits> choose_batch(const config::Pool& asked,
                                          const catalog::EngineSpec& engine,
                                          const serving::EngineTraits& traits,
                                          const catalog::AcceleratorSpec& chip,
                                          const config::Operations& operations);

// The notice that the chunk leaves room for fewer sequences than the engine would run.
std::optional<Notice> lowered_sequences(const serving::BatchLimits& limits);

}  // namespace loadfactor::engine
