// The files that a scenario names. What is wrong with the scenario itself the engine says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/scenario.h"
#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "loadfactor/train.h"

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

// `--set PATH=VALUE`, any number of times, for a verb that reads a scenario; and such a scenario
// with what was set behind its text.
void add_set_option(CLI::App& verb, Session& session);
Result<std::string> read_scenario_text(const Session& session, const std::string& path);

// The scenario in a text, as JSON or YAML by the file's name; nothing if it has errors.
std::optional<config::Scenario> scenario_in(const std::string& file, const std::string& text);

// A path that a scenario names is relative to the scenario, unless that came from stdin.
std::string beside(const std::string& scenario, const std::string& path);

// The files of a model given as `{config: …}`; none where it is given otherwise.
Result<std::vector<ModelFile>> model_files_of(const std::string& scenario,
                                              const config::ModelAsk& model);

// A training scenario on disk, with values set in it and the files of its model.
Result<TrainRequest> training_request(const std::string& file,
                                      const std::vector<std::string>& set = {});

}  // namespace loadfactor::cli
