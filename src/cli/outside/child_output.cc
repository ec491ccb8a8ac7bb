#include "cli/outside/child_output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/outside/on_path.h"

namespace loadfactor::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct ChildPipe {
  std::array<int, 2> ends{-1, -1};
  ChildPipe() = default;
  ChildPipe(const ChildPipe&) = delete;
  ChildPipe& operator=(const ChildPipe&) = delete;
  ~ChildPipe() {
    for (int& end : ends) close_end(end);
  }
  bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// What the child needs, made before it is forked: between fork and exec nothing may be allocated.
struct ChildProgram {
  std::string path;
  std::vector<char*> arguments;
  std::vector<char*> environment;
};

ChildProgram program_of(const std::string& path, const std::vector<std::string>& words,
                        const std::vector<std::string>& settings) {
  ChildProgram program{path, {}, {}};
  for (const auto& word : words) program.arguments.push_back(const_cast<char*>(word.c_str()));
  program.arguments.push_back(nullptr);
  const auto is_set = [&](std::string_view entry) {
    return std::any_of(settings.begin(), settings.end(), [&](const std::string& setting) {
      return entry.starts_with(std::string_view(setting).substr(0, setting.find('=') + 1));
    });
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (!is_set(*entry)) program.environment.push_back(*entry);
  for (const auto& setting : settings)
    program.environment.push_back(const_cast<char*>(setting.c_str()));
  program.environment.push_back(nullptr);
  return program;
}

[[noreturn]] void become_child(const ChildProgram& program, int out, int err) {
  const int nowhere = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nowhere, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execve(program.path.c_str(), program.arguments.data(), program.environment.data());
  constexpr int kNotRun = 127;
  ::_exit(kNotRun);
}

// Reads what a child writes until it ends or a bound is met.
class ChildReader {
 public:
  ChildReader(const ChildBounds& bounds, ChildOutput& output)
      : bounds_(bounds),
        output_(output),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(bounds.seconds))) {}

  void read_both(int out, int err) {
    std::array<pollfd, 2> ends{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
      output_.is_too_slow = left <= 0;
      if (output_.is_too_slow) return;
      const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(left));
      if (ready < 0 && errno != EINTR) return;
      for (std::size_t i = 0; i < ends.size(); ++i)
        if (ready > 0 && ends[i].fd >= 0 && ends[i].revents != 0 &&
            !take(ends[i].fd, i == 0 ? output_.out : output_.err))
          ends[i].fd = -1;
      if (output_.is_too_large) return;
    }
  }

  // A program may have closed its output and run on.
  void wait_for(pid_t child) {
    constexpr std::chrono::milliseconds kTick(5);
    int status = 0;
    while (!output_.is_too_slow && !output_.is_too_large) {
      const pid_t ended = ::waitpid(child, &status, WNOHANG);
      if (ended != 0) {
        if (ended == child && WIFEXITED(status)) output_.status = WEXITSTATUS(status);
        return;
      }
      std::this_thread::sleep_for(kTick);
      output_.is_too_slow = Clock::now() >= end_;
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }

 private:
  bool take(int from, std::string& text) {
    std::array<char, 65536> bytes{};
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got < 0) return errno == EINTR;
    if (got == 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(got));
    output_.is_too_large = output_.out.size() + output_.err.size() > bounds_.bytes;
    return true;
  }

  ChildBounds bounds_;
  ChildOutput& output_;
  Clock::time_point end_;
};

}  // namespace

ChildOutput run_child(const std::vector<std::string>& words, const ChildBounds& bounds,
                      const std::vector<std::string>& settings) {
  ChildOutput output;
  const auto path = find_on_path(words[0]);
  if (!path) {
    output.is_missing = true;
    return output;
  }
  const ChildProgram program = program_of(*path, words, settings);
  ChildPipe out;
  ChildPipe err;
  if (!out.open() || !err.open()) return output;
  const pid_t child = ::fork();
  if (child < 0) return output;
  if (child == 0) become_child(program, out.ends[1], err.ends[1]);
  ChildPipe::close_end(out.ends[1]);
  ChildPipe::close_end(err.ends[1]);
  ChildReader reader(bounds, output);
  reader.read_both(out.ends[0], err.ends[0]);
  reader.wait_for(child);
  return output;
}

}  // namespace loadfactor::cli
