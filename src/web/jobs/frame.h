// What two processes of this program tell each other over a socket: a letter, a length, bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loadfactor::web {

enum class FrameKind : char {
  kWork = 'W',      // To the worker: what to do.
  kCancel = 'C',    // To the worker: end, with the best so far where there is one.
  kProgress = 'P',  // From the worker: the share that is done.
  kFinished = 'F',  // From the worker: what came of it.
  kCpuSpent = 'T',  // From the worker: its CPU seconds are used up.
  kMemorySpent = 'M',
  kEnd = 0,  // The other side is gone.
};

struct Frame {
  FrameKind kind = FrameKind::kEnd;
  std::string bytes;
};

// False when the other side is gone.
bool send_frame(int fd, FrameKind kind, std::string_view bytes);
// Blocks until one has come.
Frame receive_frame(int fd);

}  // namespace loadfactor::web
