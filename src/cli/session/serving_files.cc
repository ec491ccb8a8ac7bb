#include "cli/session/serving_files.h"

#include <utility>

#include "cli/session/scenario_files.h"

namespace loadfactor::cli {
namespace {

Result<ServingFiles> with_files(config::Scenario scenario) {
  ServingFiles files;
  files.question.scenario = std::move(scenario);
  const auto& read = files.question.scenario;
  if (!read.serve) return files;
  TRY(files.question.model_files, model_files_of(read.file(), read.serve->model));
  if (read.serve->demand && read.serve->demand->trace) {
    TRY(files.trace, MappedFile::open(beside(read.file(), read.serve->demand->trace->value)));
    files.question.trace_bytes = files.trace->bytes();
  }
  return files;
}

}  // namespace

std::optional<ServingFiles> read_serving_files(Session& session, const std::string& path) {
  auto scenario = read_scenario(session, path);
  if (!scenario) return std::nullopt;
  auto files = with_files(*std::move(scenario));
  if (!files) return session.fail(files.error()), std::nullopt;
  files->question.seed = session.options().seed;
  return *std::move(files);
}

}  // namespace loadfactor::cli
