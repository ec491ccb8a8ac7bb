// The files that a scenario names. What is wrong with the scenario itself the engine says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/scenario.h"
#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "loadfactor/train.h"

namespace loadfactor::cli {

// The scenario in a text, as JSON or YAML by the file's name; nothing if it has errors.
std::optional<config::Scenario> scenario_in(const std::string& file, const std::string& text);

// A path that a scenario names is relative to the scenario, unless that came from stdin.
std::string beside(const std::string& scenario, const std::string& path);

// The files of a model given as `{config: …}`; none where it is given otherwise.
Result<std::vector<ModelFile>> model_files_of(const std::string& scenario,
                                              const config::ModelAsk& model);

// A training scenario on disk with the files of its model.
Result<TrainRequest> training_request(const std::string& file);

}  // namespace loadfactor::cli
