// Files of a question from the user's disk.
#pragma once

#include "cli/session/session.h"
#include "facade/forms/form.h"

namespace loadfactor::cli {

class DiskFiles final : public facade::FileSource {
 public:
  explicit DiskFiles(Session& session) : session_(&session) {}

  Result<InputFile> open(const std::string& path) override;
  Result<std::vector<InputFile>> open_model(const std::string& path) override;
  // A path that a scenario names is relative to the scenario, unless that came from stdin.
  Result<InputFile> open_beside(const std::string& scenario, const std::string& path) override;
  Result<std::vector<InputFile>> open_model_beside(const std::string& scenario,
                                                   const std::string& path) override;
  bool has(const std::string& path) const override;
  std::string date_of(const std::string& path) const override;
  std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                        std::span<const std::string> assignments,
                                        Diagnostics& diagnostics) override;
  Result<std::shared_ptr<MetricFeed>> connect(const std::string& address,
                                              const facade::ServerAccess& access) override;
  std::optional<double> now() const override;

 private:
  Session* session_;
};

}  // namespace loadfactor::cli
