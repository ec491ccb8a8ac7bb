// What a sweep refuses before it looks at a case: flags that go for nothing, files that would be
// lost.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/sweep_flags.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

Error refuse(std::string message, std::string hint) {
  return {.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

// A flag, and whether it was given.
struct Given {
  const char* name = "";
  bool is = false;
};

template <std::size_t N>
const char* first_of(const std::array<Given, N>& flags) {
  for (const Given& flag : flags)
    if (flag.is) return flag.name;
  return nullptr;
}

std::optional<Error> wrong_task(const SweepFlags& flags) {
  const bool is_submitted = !flags.submit.empty();
  const std::array<Given, 4> tasks{{{"--submit", is_submitted},
                                    {"--dry-run", flags.dry_run && !is_submitted},
                                    {"--status", flags.status},
                                    {"--export", !flags.export_to.empty()}}};
  std::vector<std::string> asked;
  for (const Given& task : tasks)
    if (task.is) asked.emplace_back(task.name);
  if (asked.size() > 1)
    return refuse(fmt::format("{} and {} are two things to do", asked[0], asked[1]),
                  "one at a time");
  if (asked.empty() || is_submitted) return std::nullopt;
  if (flags.retry_failed)
    return refuse(fmt::format("{} runs nothing, and --retry-failed asks to", asked[0]),
                  "leave one of them out");
  if (!flags.export_to.empty() && !flags.shard.empty())
    return refuse("--export writes every row that is done", "leave out --shard");
  return std::nullopt;
}

std::optional<Error> wrong_engine(const SweepFlags& flags) {
  const std::array<Given, 2> slurm{
      {{"--sbatch", !flags.sbatch.empty()}, {"--tries", flags.tries > 0}}};
  const std::array<Given, 4> pods{{{"--image", !flags.image.empty()},
                                   {"--claim", !flags.claim.empty()},
                                   {"--upload", !flags.upload.empty()},
                                   {"--download", !flags.download.empty()}}};
  const auto is_for = [](const char* flag, const char* engine) {
    return refuse(fmt::format("{} is for --submit {}", flag, engine), "leave it out");
  };
  if (const char* flag = first_of(slurm); flag != nullptr && flags.submit != "slurm")
    return is_for(flag, "slurm");
  if (const char* flag = first_of(pods); flag != nullptr && flags.submit != "kubernetes")
    return is_for(flag, "kubernetes");
  if (flags.shards > 0 && flags.submit.empty())
    return refuse("--shards divides a job that is submitted", "--shard i/N runs one of N here");
  if (!flags.claim.empty() && !flags.upload.empty())
    return refuse("--claim is a volume, and --upload a store instead of one",
                  "leave one of them out");
  return std::nullopt;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code unknown;
  const bool is_same = fs::equivalent(a, b, unknown);
  return !unknown && is_same;
}

// Whether a file begins as SQLite's do.
bool holds_results(const std::string& path) {
  constexpr std::string_view kMark = "SQLite format 3";
  std::array<char, kMark.size()> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  return file && std::string_view(head.data(), head.size()) == kMark;
}

}  // namespace

std::optional<Error> wrong_flags(const Session& session, const SweepFlags& flags) {
  if (auto wrong = wrong_task(flags)) return wrong;
  if (auto wrong = wrong_engine(flags)) return wrong;
  const std::string& format = session.options().format;
  if (!format.empty() && format != "table")
    return refuse(fmt::format("a sweep has no form '{}'", format),
                  "--export cases.csv or cases.jsonl; `sweep report results.sqlite --format json`");
  constexpr std::array<std::string_view, 9> kOther{".csv",  ".json", ".jsonl", ".html", ".pdf",
                                                   ".yaml", ".yml",  ".md",    ".txt"};
  const std::string& output = session.options().output;
  const bool is_other = std::any_of(kOther.begin(), kOther.end(), [&](std::string_view suffix) {
    return output.ends_with(suffix);
  });
  if (is_other)
    return refuse(fmt::format("'{}' would be an SQLite file", output),
                  "-o results.sqlite; then --export cases.csv, or `sweep report`");
  return std::nullopt;
}

std::optional<Error> would_overwrite(const std::string& to,
                                     const std::vector<std::string>& others) {
  const auto refuse = [&](const std::string& what) {
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("'{}' {}, and would be overwritten", to, what),
                 .hint = "give it another name"};
  };
  for (const std::string& other : others)
    if (is_same_file(to, other)) return refuse("is read by this command");
  if (holds_results(to)) return refuse("holds results");
  return std::nullopt;
}

}  // namespace loadfactor::cli
