#include "cli/serving_files.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "cli/files.h"
#include "cli/model_files.h"
#include "config/scenario.h"

namespace loadfactor::cli {
namespace {

std::string beside(const std::string& scenario, const std::string& path) {
  const std::filesystem::path named(path);
  if (named.is_absolute() || scenario == "-") return path;
  return (std::filesystem::path(scenario).parent_path() / named).string();
}

}  // namespace

Result<ServingFiles> read_serving_files(const std::string& scenario, std::uint64_t seed) {
  ServingFiles files;
  files.question.file = scenario;
  files.question.seed = seed;
  TRY(files.question.text, read_file(scenario));
  const auto document = scenario.ends_with(".json")
                            ? config::parse_json(scenario, files.question.text)
                            : config::parse_yaml(scenario, files.question.text);
  if (!document) return files;
  Diagnostics reported_by_the_engine;
  const auto read = config::read_scenario(*document, reported_by_the_engine);
  if (!read || !read->serve) return files;
  const auto* model = std::get_if<config::ModelConfigFile>(&read->serve->model.model);
  if (model != nullptr) {
    TRY(files.question.model_files, read_model_files(beside(scenario, model->path.value)));
  }
  if (read->serve->demand && read->serve->demand->trace) {
    TRY(files.trace, MappedFile::open(beside(scenario, read->serve->demand->trace->value)));
    files.question.trace_bytes = files.trace->bytes();
  }
  return files;
}

}  // namespace loadfactor::cli
