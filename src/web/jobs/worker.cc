#include "web/jobs/worker.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "web/jobs/frame.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

// How long a question that was cancelled has to hand over the best so far.
constexpr int kGraceMilliseconds = 40;

// A signal handler can reach nothing but statics.
struct Reach {
  std::atomic<int> socket{-1};
  std::atomic<bool> is_answering{false};
};
Reach& reach() {
  static Reach instance;
  return instance;
}

void tell_cpu_spent(int /*signal*/) {
  if (!reach().is_answering) {
    // A letter and a length of nothing, in one piece.
    const char frame[9] = {static_cast<char>(FrameKind::kCpuSpent)};
    static_cast<void>(!write(reach().socket, frame, sizeof frame));
  }
  _exit(1);
}

void bound(__rlimit_resource what, rlim_t most) {
  const rlimit limit{most, most};
  setrlimit(what, &limit);
}

void step_back(const JobLimits& limits) {
  const auto seconds = static_cast<rlim_t>(limits.cpu_seconds);
  const rlimit cpu{seconds, seconds + 2};
  setrlimit(RLIMIT_CPU, &cpu);
  bound(RLIMIT_AS, static_cast<rlim_t>(limits.memory_megabytes) << 20U);
  bound(RLIMIT_CORE, 0);
  bound(RLIMIT_FSIZE, 0);  // A worker writes no file.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::signal(SIGXCPU, tell_cpu_spent);
}

// The server learns of the end at once, before the last thread of this process is scheduled again.
[[noreturn]] void end(int socket) {
  shutdown(socket, SHUT_RDWR);
  _exit(0);
}

// Ends the process when nobody waits for the answer any more.
void watch(int socket, const Progress& progress) {
  pollfd ready{socket, POLLIN | POLLRDHUP, 0};
  while (poll(&ready, 1, -1) < 0) {
  }
  if ((ready.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) end(socket);
  if (receive_frame(socket).kind != FrameKind::kCancel) end(socket);
  progress.cancel();
  ready.events = POLLRDHUP;
  poll(&ready, 1, kGraceMilliseconds);
  if (!reach().is_answering) end(socket);
}

Finished answer_work(const Engine& engine, const Work& work, const Progress& progress) {
  try {
    Finished finished;
    const auto asked = read_work(work, finished);
    return asked ? answer(engine, *asked, work.format, progress) : finished;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& bug) {
    const Reply reply = problem(Error{.code = lf::kInternal, .message = bug.what()});
    return {.status = reply.status, .type = reply.type, .body = reply.body};
  }
}

}  // namespace

[[noreturn]] void work_and_end(int socket, const Engine& engine, const JobLimits& limits) {
  reach().socket = socket;
  step_back(limits);
  const Frame frame = receive_frame(socket);
  if (frame.kind != FrameKind::kWork) _exit(0);
  try {
    const Work work = unpack_work(frame.bytes);
    const Progress progress([socket](double share) {
      std::string bytes(sizeof share, '\0');
      std::memcpy(bytes.data(), &share, sizeof share);
      send_frame(socket, FrameKind::kProgress, bytes);
    });
    std::thread([socket, progress] { watch(socket, progress); }).detach();
    // Only what computes steps back, this thread and those it starts: the end comes at once.
    constexpr int kPoliteness = 10;
    static_cast<void>(!nice(kPoliteness));
    const std::string bytes = pack(answer_work(engine, work, progress));
    reach().is_answering = true;
    send_frame(socket, FrameKind::kFinished, bytes);
  } catch (const std::bad_alloc&) {
    send_frame(socket, FrameKind::kMemorySpent, "");
  } catch (...) {
    // The server says that it ended without a word.
  }
  _exit(0);
}

}  // namespace loadfactor::web
