#include "web/jobs/worker_host.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "web/jobs/frame.h"
#include "web/jobs/worker.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

constexpr useconds_t kBreath = 10'000;  // Before another host is started.

// Room for one file descriptor beside a message.
union Ancillary {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

bool send_fd(int over, int fd) {
  char letter = 'w';
  iovec data{&letter, 1};
  Ancillary beside{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = &beside;
  message.msg_controllen = sizeof beside;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return sendmsg(over, &message, MSG_NOSIGNAL) == 1;
}

// -1 when the server is gone, -2 when nothing of use came.
int receive_fd(int over) {
  char letter = 0;
  iovec data{&letter, 1};
  Ancillary beside{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = &beside;
  message.msg_controllen = sizeof beside;
  const ssize_t got = recvmsg(over, &message, MSG_CMSG_CLOEXEC);
  if (got == 0) return -1;
  const cmsghdr* header = got < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -2;
  int fd = -2;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

[[noreturn]] void host(int control, const Engine& engine, const JobLimits& limits) {
  std::signal(SIGCHLD, SIG_IGN);  // Workers leave nothing behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    const int fd = receive_fd(control);
    if (fd == -1) _exit(0);
    if (fd < 0) continue;
    const pid_t child = fork();
    if (child == 0) {
      close(control);
      std::signal(SIGCHLD, SIG_DFL);
      work_and_end(fd, engine, limits);
    }
    close(fd);
  }
}

// A host that was killed, for want of memory most likely, is followed by another: without one the
// server would answer no question any more.
[[noreturn]] void keep_host(int control, const Engine& engine, const JobLimits& limits) {
  // Signals of the terminal are for the server, which decides when its workers end.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // Ends of hosts are waited for.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    const pid_t child = fork();
    if (child == 0) host(control, engine, limits);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0) {
    }
    if (child > 0 && WIFEXITED(status)) _exit(0);  // The server is gone.
    usleep(kBreath);
  }
}

Finished failed(int status, const std::string& detail) {
  const Reply reply = problem(status, detail);
  return {.status = status, .type = reply.type, .body = reply.body};
}

// The sockets of one piece of work.
class Line {
 public:
  explicit Line(int fd) : fd_(fd) {}
  ~Line() { close(fd_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  int fd() const { return fd_; }

  // Whether the worker has something to say, or has been told to end.
  void wait(const Stop& stop) {
    std::array<pollfd, 2> ready{pollfd{fd_, POLLIN, 0},
                                pollfd{is_told_ ? -1 : stop.fd(), POLLIN, 0}};
    while (poll(ready.data(), ready.size(), -1) < 0) {
    }
    if (ready[1].revents == 0) return;
    is_told_ = true;
    send_frame(fd_, FrameKind::kCancel, "");
  }

 private:
  int fd_;
  bool is_told_ = false;
};

}  // namespace

Stop::Stop() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::runtime_error("no event can be made");
}
Stop::~Stop() {
  close(fd_);
}
void Stop::ask() const {
  const std::uint64_t one = 1;
  static_cast<void>(!write(fd_, &one, sizeof one));
}
bool Stop::is_asked() const {
  pollfd ready{fd_, POLLIN, 0};
  return poll(&ready, 1, 0) == 1;
}

WorkerHost::WorkerHost(const Engine& engine, const JobLimits& limits) : limits_(limits) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("no socket can be made");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be made");
  if (child == 0) {
    close(ends[0]);
    keep_host(ends[1], engine, limits);
  }
  close(ends[1]);
  control_ = ends[0];
}

WorkerHost::~WorkerHost() {
  close(control_);
}

int WorkerHost::hire() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return -1;
  const std::lock_guard lock(mutex_);
  const bool is_sent = send_fd(control_, ends[1]);
  close(ends[1]);
  if (is_sent) return ends[0];
  close(ends[0]);
  return -1;
}

Finished WorkerHost::run(const Work& work, const Stop& stop,
                         const std::function<void(double)>& report) {
  const int fd = hire();
  if (fd < 0) return failed(503, "no worker can be started");
  Line line(fd);
  if (!send_frame(fd, FrameKind::kWork, pack(work))) return failed(503, "no worker can be started");
  for (;;) {
    line.wait(stop);
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, 0) == 0) continue;  // It was the other one.
    const Frame frame = receive_frame(fd);
    if (frame.kind == FrameKind::kFinished) return unpack_finished(frame.bytes);
    if (frame.kind == FrameKind::kCpuSpent)
      return failed(504, fmt::format("it took more than {} CPU seconds", limits_.cpu_seconds));
    if (frame.kind == FrameKind::kMemorySpent)
      return failed(504, fmt::format("it took more than {} MB", limits_.memory_megabytes));
    if (frame.kind == FrameKind::kEnd)
      return stop.is_asked() ? failed(409, "cancelled before there was an answer")
                             : failed(500, "the worker ended without a word");
    if (frame.kind != FrameKind::kProgress || frame.bytes.size() != sizeof(double)) continue;
    double share = 0;
    std::memcpy(&share, frame.bytes.data(), sizeof share);
    report(share);
  }
}

}  // namespace loadfactor::web
