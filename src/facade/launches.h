// The files that launch a scenario, as `emit` and `plan` make them.
#pragma once

#include <optional>
#include <string>

#include "engine/launch/launch_answers.h"
#include "facade/verbs.h"

namespace loadfactor::facade {

// Nothing, and every reason, where the target cannot express it. What it costs is said by a way to
// pay, that of the bill of `cost` where none is named.
std::optional<engine::EmitAnswer> emit_files(const Desk& desk, const ScenarioWithFiles& about,
                                             const Settings& settings, const std::string& target,
                                             const std::string& way = {});

// The files of the framework or engine that the scenario names, or that runs it where it names
// none. Nothing where no target launches it.
std::optional<engine::EmitAnswer> own_files(const Desk& desk, const ScenarioWithFiles& about);

// The scenario as a saved plan recommends it.
std::optional<ScenarioWithFiles> as_planned(const Desk& desk, const ScenarioWithFiles& about,
                                            const InputFile& plan);

std::vector<OutputFile> output_files(const engine::EmitAnswer& answer);

}  // namespace loadfactor::facade
