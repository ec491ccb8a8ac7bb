#include "cli/batch_queue.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error_codes.h"

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

// Never returns.
[[noreturn]] void become(const std::vector<std::string>& words, const std::array<int, 2>& pipe) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::dup2(pipe[1], 1);
  ::dup2(pipe[1], 2);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Result<std::string> output_of(const std::vector<std::string>& words) {
  constexpr int kNotFound = 127;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return outside(words[0], "no pipe to it");
  const pid_t child = ::fork();
  if (child < 0) return outside(words[0], "cannot be started");
  if (child == 0) become(words, pipe);
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = ::read(pipe[0], bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(got));
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  const bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == kNotFound && text.empty();
  return outside(words[0], is_missing ? "no such program here" : trimmed(text));
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
