#include "cli/outside/slurm_feed.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::cli {
namespace {

std::optional<std::time_t> seconds_of(const MetricFeed::Parameters& parameters,
                                      std::string_view key) {
  for (const auto& [name, value] : parameters)
    if (name == key) return static_cast<std::time_t>(std::atoll(value.c_str()));
  return std::nullopt;
}

std::string stamp_of(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(time));
}

// The window that was asked for, which ends now where no end is said.
std::vector<std::string> window_words(const MetricFeed::Parameters& parameters) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const auto said = seconds_of(parameters, "end");
  const std::time_t end = std::max<std::time_t>(said.value_or(now), 0);
  const std::time_t since = seconds_of(parameters, "since").value_or(0);
  return {"--starttime=" + stamp_of(std::clamp<std::time_t>(end - since, 0, end)),
          "--endtime=" + (said ? stamp_of(end) : "now")};
}

// Names of jobs stand last: whatever is in them moves no other column.
std::vector<std::string> command_of(const std::string& program,
                                    const MetricFeed::Parameters& parameters) {
  if (program == "sinfo") return {program, "--Node", "--format=%P|%N|%t|%G"};
  if (program == "squeue") return {program, "--all", "--format=%A|%u|%a|%T|%S|%e|%b|%N|%j"};
  std::vector<std::string> words{"sacct", "--allusers", "--allocations", "--duplicates",
                                 "--parsable2"};
  for (std::string& word : window_words(parameters)) words.push_back(std::move(word));
  words.emplace_back("--format=JobID,User,Account,State,Start,End,AllocTRES,NodeList,JobName");
  return words;
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
