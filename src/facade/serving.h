// The question of a service as the engine takes it, shared by the verbs that size and fill.
#pragma once

#include "loadfactor/engine.h"
#include "loadfactor/result.h"
#include "resolve/serve/serving_world.h"

namespace loadfactor::facade {

Result<engine::ServingInputs> serving_question(const ScenarioWithFiles& about,
                                               const Settings& settings, const Progress& progress);

}  // namespace loadfactor::facade
