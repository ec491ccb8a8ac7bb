// The files that launch a scenario, as `emit` and `plan` make them.
#pragma once

#include <optional>
#include <string>

#include "engine/launch/launch_answers.h"
#include "facade/verbs.h"

namespace loadfactor::facade {

// Nothing, and every reason, where the target cannot express it.
std::optional<engine::EmitAnswer> emit_files(const Desk& desk, const ScenarioWithFiles& about,
                                             const Settings& settings, const std::string& target);

std::vector<OutputFile> output_files(const engine::EmitAnswer& answer);

}  // namespace loadfactor::facade
