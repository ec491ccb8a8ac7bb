#include "cli/plan_question.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>
#include <variant>

#include "cli/model_files.h"
#include "cli/serving_files.h"
#include "config/override.h"

namespace loadfactor::cli {
namespace {

// The config.json of a training section, which the files of a service do not name.
Result<std::vector<ModelFile>> training_model(const engine::ServingQuestion& serving) {
  Diagnostics reported_by_the_engine;
  const auto document =
      config::parse_scenario(serving.file, serving.text, {}, reported_by_the_engine);
  if (!document) return std::vector<ModelFile>{};
  const auto scenario = config::read_scenario(*document, reported_by_the_engine);
  if (!scenario || scenario->serve || !scenario->train) return std::vector<ModelFile>{};
  const auto* file = std::get_if<config::ModelConfigFile>(&scenario->train->model.model);
  if (file == nullptr) return std::vector<ModelFile>{};
  std::filesystem::path path(file->path.value);
  if (!path.is_absolute() && serving.file != "-")
    path = std::filesystem::path(serving.file).parent_path() / path;
  return read_model_files(path.string());
}

}  // namespace

Result<PlanFiles> read_plan_files(const Session& session, const std::string& scenario) {
  auto files = read_serving_files(scenario, session.options().seed);
  if (!files) return files.error();
  PlanFiles out;
  out.question.serving = std::move(files->question);
  out.trace = std::move(files->trace);
  if (out.trace) out.question.serving.trace_bytes = out.trace->bytes();
  if (out.question.serving.model_files.empty()) {
    TRY(out.question.serving.model_files, training_model(out.question.serving));
  }
  out.question.today = session.environment().today;
  const int threads = session.options().threads;
  out.question.threads =
      threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return out;
}

}  // namespace loadfactor::cli
