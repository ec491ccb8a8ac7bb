// The files of a target, and what stands in the way of writing them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/plan/launch_plan.h"
#include "loadfactor/result.h"

namespace loadfactor::launch {

enum class Role : std::uint8_t {
  kCommand,    // Starts it.
  kArguments,  // The flags alone, one a line.
  kConfig,
  kManifest,
  kScript,  // Goes around a command: a job of a batch system.
  kRules,
  kDashboard,
  kTable,
};
std::string_view name_of(Role role);

struct EmittedFile {
  std::string path;
  Role role = Role::kCommand;
  std::string text;
};

// What an emitter is given, and where it leaves what it made.
class Desk {
 public:
  Desk(const LaunchPlan& plan, std::string target, Diagnostics& diagnostics)
      : plan_(&plan), target_(std::move(target)), diagnostics_(&diagnostics) {}

  const LaunchPlan& plan() const { return *plan_; }
  const RunPlan& run() const { return *plan_->run; }
  const ServicePlan& service() const { return *plan_->service; }
  const std::string& target() const { return target_; }
  // The same desk for another target, as a job of a batch system has a framework inside.
  void call(std::string target) { target_ = std::move(target); }
  std::string from(std::string_view key, std::string_view otherwise = "chosen") const {
    return plan_->from(key, otherwise);
  }

  // LF522 at the key.
  void refuse(std::string_view key, std::string_view value, std::string_view why);
  // The same where a degree is more than one.
  void refuse_degree(std::string_view key, std::int64_t degree, std::string_view why);
  // A flag or field that our own tables do not have: a bug of ours, told and not written.
  void fault(std::string what);
  bool has_faults() const { return has_faults_; }

  void add(std::string path, Role role, std::string text);
  std::vector<EmittedFile> take() { return std::move(files_); }

 private:
  const LaunchPlan* plan_;
  std::string target_;
  Diagnostics* diagnostics_;
  bool has_faults_ = false;
  std::vector<EmittedFile> files_;
};

// The targets, in the order in which help lists them.
struct TargetRow {
  std::string_view name;
  std::string_view what;
};
std::vector<TargetRow> targets();

// The target that launches what a scenario's framework or engine is; empty: none does.
std::string_view target_of(const LaunchPlan& plan);

// Nothing, and every reason, where the target cannot express the plan.
std::optional<std::vector<EmittedFile>> emit(const std::string& target, const LaunchPlan& plan,
                                             Diagnostics& diagnostics);

}  // namespace loadfactor::launch
