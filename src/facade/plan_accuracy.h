// How right the models behind a plan are on this kind of hardware, in words.
#pragma once

#include <string>

#include "engine/plan/plan.h"

namespace loadfactor::facade {

// Training is scored on the published runs of the same accelerator, now; serving says what its
// calibration was left with on sources it had not seen.
std::string plan_accuracy(const engine::Core& engine, const engine::PlanAnswer& answer);

}  // namespace loadfactor::facade
