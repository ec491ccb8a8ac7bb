// Narrower formats of what writes the answers: a search says what they would save and takes none,
// since numerics are the user's choice.
#pragma once

#include <optional>

#include "engine/method/workshop.h"
#include "loadfactor/estimate.h"

namespace loadfactor::engine {

// The shortest step on the same GPUs with weights, with a cache or with both in eight bits, where
// the scenario leaves the formats open and that is clearly shorter.
std::optional<Notice> note_narrower_rollout(Workshop& shop, const Worked& best, int off_policy);

}  // namespace loadfactor::engine
