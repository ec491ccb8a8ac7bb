// LF_CHECK: what must hold inside the library, whatever the input. A failure is our bug.
#pragma once

namespace loadfactor {

// Writes place and message to the standard error stream and aborts.
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);

}  // namespace loadfactor

// Checked in every build, also in release.
#define LF_CHECK(condition, message)                                       \
  do {                                                                     \
    if (!(condition)) {                                                    \
      ::loadfactor::check_failed(#condition, message, __FILE__, __LINE__); \
    }                                                                      \
  } while (false)
