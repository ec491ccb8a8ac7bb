#include "sweep/run/recorded_files.h"

#include <algorithm>

#include "sweep/digest.h"

namespace loadfactor::sweep {

namespace {

// A model's file by the path that a user gave: `mod/config.json` of the folder `mod`.
std::string path_of(const std::string& path, const std::string& name) {
  if (path.ends_with(name)) return path;
  const bool is_file = path.ends_with(".json");
  const auto slash = path.rfind('/');
  if (!is_file) return path + (path.ends_with('/') ? "" : "/") + name;
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

}  // namespace

void RecordedFiles::record(const InputFile& file) {
  // By the name that a user gave: the same sweep has the same digest in every folder.
  const bool is_there = std::any_of(inputs_.begin(), inputs_.end(),
                                    [&](const auto& input) { return input.first == file.name; });
  if (!is_there) inputs_.emplace_back(file.name, digest_of(file.bytes));
}

Result<InputFile> RecordedFiles::open(const std::string& path) {
  auto file = from_->open(path);
  if (file) record(*file);
  return file;
}

Result<std::vector<InputFile>> RecordedFiles::open_model(const std::string& path) {
  auto files = from_->open_model(path);
  if (files)
    for (InputFile file : *files) {
      file.name = path_of(path, file.name);
      record(file);
    }
  return files;
}

Result<InputFile> RecordedFiles::open_beside(const std::string& scenario, const std::string& path) {
  auto file = from_->open_beside(scenario, path);
  if (file) record(*file);
  return file;
}

Result<std::vector<InputFile>> RecordedFiles::open_model_beside(const std::string& scenario,
                                                                const std::string& path) {
  auto files = from_->open_model_beside(scenario, path);
  if (files)
    for (const InputFile& file : *files) record(file);
  return files;
}

}  // namespace loadfactor::sweep
