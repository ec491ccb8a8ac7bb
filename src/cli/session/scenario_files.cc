#include "cli/session/scenario_files.h"

#include <filesystem>
#include <utility>
#include <variant>

#include <CLI/CLI.hpp>

#include "cli/session/files.h"
#include "cli/session/model_files.h"
#include "cli/session/session.h"
#include "config/override.h"

namespace loadfactor::cli {

void add_set_option(CLI::App& verb, Session& session) {
  verb.add_option("--set", session.options().set,
                  "replace a value: money.electricity='0.1 USD/kWh'")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

Result<std::string> read_scenario_text(const Session& session, const std::string& path) {
  TRY(std::string text, read_file(path));
  return config::with_overrides(std::move(text), session.options().set);
}

std::optional<config::Scenario> scenario_in(const std::string& file, const std::string& text) {
  Diagnostics reported_by_the_engine;
  const auto document = config::parse_scenario(file, text, {}, reported_by_the_engine);
  if (!document) return std::nullopt;
  return config::read_scenario(*document, reported_by_the_engine);
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

Result<TrainRequest> training_request(const std::string& file,
                                      const std::vector<std::string>& set) {
  TrainRequest request;
  request.file = file;
  TRY(request.text, read_file(file));
  request.text = config::with_overrides(std::move(request.text), set);
  const auto scenario = scenario_in(file, request.text);
  if (scenario && scenario->train) {
    TRY(request.model_files, model_files_of(file, scenario->train->model));
  }
  return request;
}

}  // namespace loadfactor::cli
