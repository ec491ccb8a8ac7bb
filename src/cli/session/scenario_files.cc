#include "cli/session/scenario_files.h"

#include <filesystem>
#include <utility>
#include <variant>

#include <CLI/CLI.hpp>

#include "cli/session/files.h"
#include "cli/session/model_files.h"
#include "cli/session/session.h"

namespace loadfactor::cli {

void add_set_option(CLI::App& verb, Session& session) {
  verb.add_option("--set", session.options().set,
                  "replace a value: money.electricity='0.1 USD/kWh'")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

std::optional<config::Scenario> read_scenario(Session& session, const std::string& path) {
  const auto text = read_file(path);
  if (!text) return session.fail(text.error()), std::nullopt;
  Diagnostics diagnostics;
  auto scenario =
      session.environment().scenarios->parse(path, *text, session.options().set, diagnostics);
  if (!scenario) session.fail(diagnostics);
  return scenario;
}

std::string beside(const std::string& scenario, const std::string& path) {
  const std::filesystem::path named(path);
  if (named.is_absolute() || scenario == "-") return path;
  return (std::filesystem::path(scenario).parent_path() / named).string();
}

Result<std::vector<ModelFile>> model_files_of(const std::string& scenario,
                                              const config::ModelAsk& model) {
  const auto* file = std::get_if<config::ModelConfigFile>(&model.model);
  if (file == nullptr) return std::vector<ModelFile>{};
  return read_model_files(beside(scenario, file->path.value));
}

Result<TrainRequest> training_request(const config::Scenario& scenario) {
  TrainRequest request;
  request.scenario = scenario;
  if (scenario.train) {
    TRY(request.model_files, model_files_of(scenario.file(), scenario.train->model));
  }
  return request;
}

}  // namespace loadfactor::cli
