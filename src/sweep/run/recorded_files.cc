#include "sweep/run/recorded_files.h"

#include <algorithm>

#include "sweep/digest.h"
#include "sweep/store/results.h"

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

void RecordedFiles::record(const std::string& name, std::string digest) {
  // By the name that a user gave: the same sweep has the same digest in every folder.
  const bool is_there = std::any_of(inputs_.begin(), inputs_.end(),
                                    [&](const auto& input) { return input.first == name; });
  if (!is_there) inputs_.emplace_back(name, std::move(digest));
}

Result<InputFile> RecordedFiles::open(const std::string& path) {
  auto file = from_->open(path);
  record(file ? file->name : path, file ? digest_of(file->bytes) : kMissingInput);
  return file;
}

Result<std::vector<InputFile>> RecordedFiles::open_model(const std::string& path) {
  auto files = from_->open_model(path);
  if (!files) record(path, kMissingInput);
  if (files)
    for (InputFile& file : *files) record(path_of(path, file.name), digest_of(file.bytes));
  return files;
}

Result<InputFile> RecordedFiles::open_beside(const std::string& scenario, const std::string& path) {
  auto file = from_->open_beside(scenario, path);
  record(file ? file->name : path, file ? digest_of(file->bytes) : kMissingInput);
  return file;
}

Result<std::vector<InputFile>> RecordedFiles::open_model_beside(const std::string& scenario,
                                                                const std::string& path) {
  auto files = from_->open_model_beside(scenario, path);
  if (!files) record(path, kMissingInput);
  if (files)
    for (const InputFile& file : *files) record(file.name, digest_of(file.bytes));
  return files;
}

}  // namespace loadfactor::sweep
