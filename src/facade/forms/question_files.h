// The files that a question in JSON carries.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"
#include "facade/ask.h"
#include "facade/forms/form.h"

namespace loadfactor::facade {

// The files that came with the question; all others come from outside, where there is one.
class GivenFiles final : public FileSource {
 public:
  explicit GivenFiles(FileSource* outside) : outside_(outside) {}

  void add(InputFile file) { files_[file.name] = std::move(file); }
  // What is replaced in a scenario before anything else is.
  void set_in(const std::string& name, std::vector<std::string> assignments) {
    own_set_[name] = std::move(assignments);
  }
  Result<InputFile> open(const std::string& path) override {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    if (outside_ != nullptr) return outside_->open(path);
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("the question has no file '{}'", path),
                 .hint = "add it to `files`"};
  }
  Result<std::vector<InputFile>> open_model(const std::string& path) override {
    if (outside_ != nullptr && !carries(path)) return outside_->open_model(path);
    TRY(auto files, open_model_beside("", path));
    for (InputFile& file : files) {
      if (file.shown_as.empty()) file.shown_as = file.name;
      file.name = file.name == path ? "config.json" : file.name.substr(path.size() + 1);
    }
    return files;
  }
  Result<InputFile> open_beside(const std::string& scenario, const std::string& path) override {
    if (outside_ != nullptr && !carries(path)) return outside_->open_beside(scenario, path);
    return open(path);
  }
  Result<std::vector<InputFile>> open_model_beside(const std::string& scenario,
                                                   const std::string& path) override {
    if (outside_ != nullptr && !carries(path)) return outside_->open_model_beside(scenario, path);
    std::vector<InputFile> found;
    for (const auto& [name, file] : files_)
      if (name == path || name.starts_with(path + "/")) found.push_back(file);
    if (!found.empty()) return found;
    TRY(InputFile file, open(path));
    return std::vector<InputFile>{std::move(file)};
  }
  bool has(const std::string& path) const override {
    return carries(path) || (outside_ != nullptr && outside_->has(path));
  }
  // The question itself has the file, or files of the folder.
  bool carries(const std::string& path) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& entry) {
      return entry.first == path || entry.first.starts_with(path + "/");
    });
  }
  std::string date_of(const std::string& path) const override {
    return outside_ == nullptr || carries(path) ? std::string() : outside_->date_of(path);
  }
  Result<std::shared_ptr<MetricFeed>> connect(const std::string& address,
                                              const ServerAccess& access) override {
    return outside_ == nullptr ? FileSource::connect(address, access)
                               : outside_->connect(address, access);
  }
  std::optional<double> now() const override {
    return outside_ == nullptr ? std::nullopt : outside_->now();
  }
  std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                        std::span<const std::string> assignments,
                                        Diagnostics& diagnostics) override {
    std::vector<std::string> all;
    if (const auto own = own_set_.find(name); own != own_set_.end()) all = own->second;
    all.insert(all.end(), assignments.begin(), assignments.end());
    const auto found = files_.find(name);
    return config::parse_scenario(found == files_.end() ? name : found->second.shown(), text, all,
                                  diagnostics);
  }

 private:
  FileSource* outside_;
  std::map<std::string, InputFile> files_;
  std::map<std::string, std::vector<std::string>> own_set_;
};

}  // namespace loadfactor::facade
