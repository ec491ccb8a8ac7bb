#include "cli/outside/slurm_feed.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::cli {
namespace {

std::string stamp_before_now(const MetricFeed::Parameters& parameters) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::time_t since = 0;
  for (const auto& [key, value] : parameters)
    if (key == "since") since = static_cast<std::time_t>(std::atoll(value.c_str()));
  const std::time_t then = std::clamp<std::time_t>(now - since, 0, now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(then));
}

// Names of jobs stand last: whatever is in them moves no other column.
std::vector<std::string> command_of(const std::string& program,
                                    const MetricFeed::Parameters& parameters) {
  if (program == "sinfo") return {program, "--Node", "--format=%P|%N|%t|%G"};
  if (program == "squeue") return {program, "--all", "--format=%A|%u|%a|%T|%S|%e|%b|%N|%j"};
  return {
      "sacct",         "--allusers",
      "--allocations", "--duplicates",
      "--parsable2",   "--starttime=" + stamp_before_now(parameters),
      "--endtime=now", "--format=JobID,User,Account,State,Start,End,AllocTRES,NodeList,JobName"};
}

class SlurmFeed final : public MetricFeed {
 public:
  explicit SlurmFeed(const ChildBounds& bounds) : bounds_(bounds) {}

  std::string name() const override { return "slurm:"; }

  Result<std::string> get(const std::string& path, const Parameters& parameters) override {
    const auto words = command_of(path, parameters);
    // The readers take times as UTC, and know one way of writing them.
    ChildOutput done = run_child(words, bounds_, {"TZ=UTC", "SLURM_TIME_FORMAT=standard"});
    if (done.succeeded()) return std::move(done.out);
    if (done.err.find("accounting storage is disabled") != std::string::npos)
      return Error{.code = lf::kNothingUsable, .message = "this Slurm keeps no accounts"};
    return fault(words[0], done);
  }

 private:
  Error fault(const std::string& program, const ChildOutput& done) const {
    Error error{.code = lf::kCannotRead,
                .message = {},
                .hint = "give files instead: what sacct and sinfo print where Slurm answers"};
    if (done.is_missing) {
      error.message = fmt::format("Slurm cannot be asked here: there is no program '{}'", program);
    } else if (done.is_too_slow) {
      error.message = fmt::format("{} did not end within {:.0f} s", program, bounds_.seconds);
    } else if (done.is_too_large) {
      error.message = fmt::format("{} prints more than {} MiB", program, bounds_.bytes >> 20);
      error.hint = "a shorter --since";
    } else {
      constexpr std::size_t kMostShown = 160;
      std::string words = done.err.substr(0, std::min(done.err.find('\n'), kMostShown));
      std::replace_if(
          words.begin(), words.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
      error.message = fmt::format("{} fails: {}", program, words);
    }
    return error;
  }

  ChildBounds bounds_;
};

}  // namespace

std::shared_ptr<MetricFeed> open_slurm(const ChildBounds& bounds) {
  return std::make_shared<SlurmFeed>(bounds);
}

}  // namespace loadfactor::cli
