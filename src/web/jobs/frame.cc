#include "web/jobs/frame.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace loadfactor::web {
namespace {

bool send_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(fd, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

constexpr std::size_t kPrefix = 1 + sizeof(std::uint64_t);

}  // namespace

bool send_frame(int fd, FrameKind kind, std::string_view bytes) {
  std::string head(kPrefix, '\0');
  head[0] = static_cast<char>(kind);
  const std::uint64_t size = bytes.size();
  std::memcpy(head.data() + 1, &size, sizeof size);
  constexpr std::size_t kTogether = 512;  // Small ones go at once, whole.
  if (bytes.size() <= kTogether) {
    head.append(bytes);
    return send_all(fd, head.data(), head.size());
  }
  return send_all(fd, head.data(), head.size()) && send_all(fd, bytes.data(), bytes.size());
}

Frame receive_frame(int fd) {
  std::array<char, kPrefix> head{};
  if (!receive_all(fd, head.data(), head.size())) return {};
  std::uint64_t size = 0;
  std::memcpy(&size, head.data() + 1, sizeof size);
  Frame frame{static_cast<FrameKind>(head[0]), std::string(size, '\0')};
  if (!receive_all(fd, frame.bytes.data(), frame.bytes.size())) return {};
  return frame;
}

}  // namespace loadfactor::web
