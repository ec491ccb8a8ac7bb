#include "cli/plan_question.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "cli/session/scenario_files.h"
#include "cli/session/serving_files.h"

namespace loadfactor::cli {
namespace {

// The config.json of a training section, which the files of a service do not name.
Result<std::vector<ModelFile>> training_model(const engine::ServingQuestion& serving) {
  const auto scenario = scenario_in(serving.file, serving.text);
  if (!scenario || !scenario->train) return std::vector<ModelFile>{};
  return model_files_of(serving.file, scenario->train->model);
}

}  // namespace

Result<PlanFiles> read_plan_files(const Session& session, const std::string& scenario) {
  auto files = read_serving_files(session, scenario);
  if (!files) return files.error();
  PlanFiles out;
  out.question.serving = std::move(files->question);
  out.trace = std::move(files->trace);
  if (out.trace) out.question.serving.trace_bytes = out.trace->bytes();
  TRY(out.question.training_files, training_model(out.question.serving));
  out.question.today = session.environment().today;
  const int threads = session.options().threads;
  out.question.threads =
      threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return out;
}

}  // namespace loadfactor::cli
