#include "facade/files.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::facade {
namespace {

const config::Name* config_path(const config::ModelSection& model) {
  const auto* file = std::get_if<config::ModelConfigFile>(&model.model);
  return file == nullptr ? nullptr : &file->path;
}

// The trace, or the file of a shape: there is never both.
const config::Name* traffic_file(const config::ServeSection& ask) {
  if (!ask.demand) return nullptr;
  if (ask.demand->trace) return &*ask.demand->trace;
  const auto& shape = ask.demand->shape_figures;
  return shape && shape->file ? &*shape->file : nullptr;
}

void add_service(const config::ServeSection& ask, std::vector<NamedFile>& files) {
  if (const auto* path = config_path(ask.model)) files.push_back({*path, true});
  if (const auto* name = traffic_file(ask)) files.push_back({*name, false});
  for (const auto& other : ask.others) add_service(other, files);
}

void add_judges(const config::MethodSection& method, std::vector<NamedFile>& files) {
  for (const auto* judge : {&method.reward, &method.teacher, &method.value})
    if (*judge)
      if (const auto* path = config_path((*judge)->model)) files.push_back({*path, true});
}

Error not_given(const ScenarioWithFiles& about, const config::Name& name) {
  return about.scenario.error(lf::kCannotRead, name.position,
                              fmt::format("the file '{}' was not handed in", name.value),
                              "hand it in under the name that the scenario writes");
}

}  // namespace

std::vector<NamedFile> files_named_by(const config::Scenario& scenario, std::string_view verb) {
  std::vector<NamedFile> files;
  const bool trains = verb == "train" || verb == "search" || verb == "scale";
  const bool plans =
      verb == "plan" || verb == "explain" || verb == "diff" || (verb == "cost" && !scenario.serve);
  const bool calibrates = verb == "calibrate";
  if (scenario.serve && !trains && !(calibrates && scenario.train)) {
    config::ServeSection asked = *scenario.serve;
    if (calibrates && asked.demand) asked.demand->trace.reset();
    if (calibrates && asked.demand) asked.demand->shape_figures.reset();
    const bool asks_all = verb == "simulate" || verb == "plan" || verb == "size";
    if (!asks_all) asked.others.clear();
    add_service(asked, files);
  }
  if (scenario.train && (trains || plans || calibrates)) {
    if (const auto* path = config_path(scenario.train->model)) files.push_back({*path, true});
    if (scenario.train->method) add_judges(*scenario.train->method, files);
  }
  return files;
}

ModelFile model_file(const InputFile& file, std::string name) {
  return {std::move(name), file.shown(), std::string(file.bytes), file.size};
}

Result<std::vector<ModelFile>> model_files(const ScenarioWithFiles& about,
                                           const config::ModelSection& model) {
  std::vector<ModelFile> found;
  const config::Name* path = config_path(model);
  if (path == nullptr) return found;
  const std::string folder = path->value.ends_with('/') ? path->value : path->value + "/";
  for (const InputFile& file : about.files) {
    if (file.name == path->value) {
      found.push_back(model_file(file, "config.json"));
    } else if (file.name.starts_with(folder)) {
      found.push_back(model_file(file, file.name.substr(folder.size())));
    }
  }
  if (found.empty()) return not_given(about, *path);
  return found;
}

Result<std::string_view> trace_bytes(const ScenarioWithFiles& about,
                                     const config::ServeSection& ask) {
  const config::Name* const traffic = traffic_file(ask);
  if (traffic == nullptr) return std::string_view();
  const config::Name& name = *traffic;
  const auto found = std::find_if(about.files.begin(), about.files.end(),
                                  [&](const InputFile& file) { return file.name == name.value; });
  if (found == about.files.end()) return not_given(about, name);
  return found->bytes;
}

}  // namespace loadfactor::facade
