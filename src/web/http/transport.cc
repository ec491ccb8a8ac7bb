#include "web/http/transport.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loadfactor::web {
namespace {

int milliseconds_until(Transport::Clock::time_point until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - Transport::Clock::now()).count();
  constexpr long kMaxMilliseconds = 1'000'000;
  return static_cast<int>(std::clamp<long>(left, 0, kMaxMilliseconds));
}

bool is_ready(int socket, short what, int milliseconds) {
  pollfd ready{socket, what, 0};
  for (;;) {
    const int count = poll(&ready, 1, milliseconds);
    if (count < 0 && errno == EINTR) continue;
    return count > 0;
  }
}

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

SocketTransport::SocketTransport(int socket) : socket_(socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  constexpr int kUnanswered = 30'000;
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnanswered);
}

SocketTransport::~SocketTransport() {
  close(socket_);
}

long SocketTransport::read(char* to, std::size_t most, Clock::time_point until) {
  for (;;) {
    if (!is_ready(socket_, POLLIN, milliseconds_until(until))) return -1;
    const ssize_t got = recv(socket_, to, most, MSG_DONTWAIT);
    if (got >= 0) return got;
    if (errno != EINTR && errno != EAGAIN) return -1;
  }
}

bool SocketTransport::write(const char* from, std::size_t size, Clock::time_point until) {
  while (size > 0) {
    const ssize_t sent = send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      from += sent;
      size -= static_cast<std::size_t>(sent);
    } else if (errno != EINTR && errno != EAGAIN) {
      return false;
    } else if (errno == EAGAIN && !is_ready(socket_, POLLOUT, milliseconds_until(until))) {
      return false;
    }
  }
  return true;
}

bool SocketTransport::wait(std::chrono::milliseconds patience) {
  return is_ready(socket_, POLLIN, static_cast<int>(patience.count()));
}

bool SocketTransport::is_gone() const {
  pollfd ready{socket_, POLLRDHUP, 0};
  return poll(&ready, 1, 0) > 0;
}

std::string SocketTransport::caller() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (getpeername(socket_, general, &size) != 0 ||
      getnameinfo(general, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "?";
  return host.data();
}

void SocketTransport::finish() {
  shutdown(socket_, SHUT_WR);
  constexpr std::chrono::seconds kPatience{2};
  constexpr std::size_t kMaxBytes = std::size_t{8} << 20U;
  std::array<char, 16384> ignored{};
  const auto until = Clock::now() + kPatience;
  for (std::size_t total = 0; total < kMaxBytes;) {
    const long got = read(ignored.data(), ignored.size(), until);
    if (got <= 0) return;
    total += static_cast<std::size_t>(got);
  }
}

}  // namespace loadfactor::web
