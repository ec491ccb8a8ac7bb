#include "cli/scenario_files.h"

#include <filesystem>
#include <variant>

#include "cli/files.h"
#include "cli/model_files.h"
#include "config/document.h"

namespace loadfactor::cli {

std::optional<config::Scenario> scenario_in(const std::string& file, const std::string& text) {
  const auto document =
      file.ends_with(".json") ? config::parse_json(file, text) : config::parse_yaml(file, text);
  if (!document) return std::nullopt;
  Diagnostics reported_by_the_engine;
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

Result<TrainRequest> training_request(const std::string& file) {
  TrainRequest request;
  request.file = file;
  TRY(request.text, read_file(file));
  const auto scenario = scenario_in(file, request.text);
  if (scenario && scenario->train) {
    TRY(request.model_files, model_files_of(file, scenario->train->model));
  }
  return request;
}

}  // namespace loadfactor::cli
