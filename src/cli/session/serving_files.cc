#include "cli/session/serving_files.h"

#include <utility>

#include "cli/session/scenario_files.h"
#include "config/scenario.h"

namespace loadfactor::cli {

Result<ServingFiles> read_serving_files(const Session& session, const std::string& scenario) {
  ServingFiles files;
  files.question.file = scenario;
  files.question.seed = session.options().seed;
  TRY(files.question.text, read_scenario_text(session, scenario));
  const auto read = scenario_in(scenario, files.question.text);
  if (!read || !read->serve) return files;
  TRY(files.question.model_files, model_files_of(scenario, read->serve->model));
  if (read->serve->demand && read->serve->demand->trace) {
    TRY(files.trace, MappedFile::open(beside(scenario, read->serve->demand->trace->value)));
    files.question.trace_bytes = files.trace->bytes();
  }
  return files;
}

}  // namespace loadfactor::cli
