// Files of a user that remember what was read, by its SHA-256.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "facade/forms/form.h"

namespace loadfactor::sweep {

class RecordedFiles final : public facade::FileSource {
 public:
  explicit RecordedFiles(facade::FileSource& from) : from_(&from) {}

  Result<InputFile> open(const std::string& path) override;
  Result<std::vector<InputFile>> open_model(const std::string& path) override;
  Result<InputFile> open_beside(const std::string& scenario, const std::string& path) override;
  Result<std::vector<InputFile>> open_model_beside(const std::string& scenario,
                                                   const std::string& path) override;
  bool has(const std::string& path) const override { return from_->has(path); }
  std::string date_of(const std::string& path) const override { return from_->date_of(path); }
  // Safe to call from several threads at a time, as that of the source is.
  std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                        std::span<const std::string> assignments,
                                        Diagnostics& diagnostics) override {
    return from_->parse(name, text, assignments, diagnostics);
  }

  // Each file once, in the order of first reading; those that could not be read, as missing.
  const std::vector<std::pair<std::string, std::string>>& inputs() const { return inputs_; }

 private:
  void record(const std::string& name, std::string digest);

  facade::FileSource* from_;
  std::vector<std::pair<std::string, std::string>> inputs_;
};

}  // namespace loadfactor::sweep
