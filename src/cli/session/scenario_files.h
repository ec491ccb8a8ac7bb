// Scenarios on disk, read once each, and the files that they name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "loadfactor/train.h"

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

// `--set PATH=VALUE`, any number of times, for a verb that reads a scenario.
void add_set_option(CLI::App& verb, Session& session);

// A scenario with what was set in it; nothing after errors that have been told.
std::optional<config::Scenario> read_scenario(Session& session, const std::string& path);

// A path that a scenario names is relative to the scenario, unless that came from stdin.
std::string beside(const std::string& scenario, const std::string& path);

// The files of a model given as `{config: …}`; none where it is given otherwise.
Result<std::vector<ModelFile>> model_files_of(const std::string& scenario,
                                              const config::ModelAsk& model);

// The question of a training scenario, with the files of its model.
Result<TrainRequest> training_request(const config::Scenario& scenario);

}  // namespace loadfactor::cli
