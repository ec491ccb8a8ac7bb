#include "cli/plan_question.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "cli/session/scenario_files.h"
#include "cli/session/serving_files.h"

namespace loadfactor::cli {
std::optional<PlanFiles> read_plan_files(Session& session, const std::string& path) {
  auto files = read_serving_files(session, path);
  if (!files) return std::nullopt;
  PlanFiles out;
  out.question.serving = std::move(files->question);
  out.trace = std::move(files->trace);
  if (out.trace) out.question.serving.trace_bytes = out.trace->bytes();
  auto training = training_request(out.question.scenario());
  if (!training) return session.fail(training.error()), std::nullopt;
  out.question.training_files = std::move(training->model_files);
  out.question.today = session.environment().today;
  const int threads = session.options().threads;
  out.question.threads =
      threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return out;
}

}  // namespace loadfactor::cli
