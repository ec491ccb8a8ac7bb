#include "cli/batch_queue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/outside/child_output.h"

namespace loadfactor::cli {
namespace {

Error outside(const std::string& program, std::string message) {
  return {.code = lf::kCannotWrite,
          .message = fmt::format("{}: {}", program, message),
          .hint = "--dry-run prints the job instead of submitting it"};
}

std::string trimmed(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  return text;
}

}  // namespace

Result<std::string> output_of(const std::vector<std::string>& words) {
  constexpr double kPatience = 600;
  const ChildOutput done = run_child(words, {.seconds = kPatience});
  if (done.succeeded()) return done.out;
  if (done.is_missing) return outside(words[0], "no such program here");
  if (done.is_too_slow)
    return outside(words[0], fmt::format("it did not end within {:.0f} s", kPatience));
  return outside(words[0], trimmed(done.err.empty() ? done.out : done.err));
}

Result<std::string> submit_array(const std::string& script, const std::string& indices) {
  TRY(const std::string text, output_of({"sbatch", "--parsable", "--array=" + indices, script}));
  // `123` or `123;cluster`.
  const std::string job = trimmed(text.substr(0, text.find(';')));
  const bool is_number = !job.empty() && std::all_of(job.begin(), job.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) return job;
  return outside("sbatch", fmt::format("no number of a job in '{}'", trimmed(text)));
}

Result<int> elements_left(const std::string& job) {
  const auto text = output_of({"squeue", "--noheader", "--array", "--jobs=" + job, "--format=%i"});
  if (!text) {
    // A job that ended a while ago is no longer known.
    const bool is_gone = text.error().message.find("Invalid job id") != std::string::npos;
    return is_gone ? Result<int>(0) : Result<int>(text.error());
  }
  return static_cast<int>(std::count(text->begin(), text->end(), '\n'));
}

}  // namespace loadfactor::cli
