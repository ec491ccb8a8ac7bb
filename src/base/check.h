// LF_CHECK: what must hold inside the library, whatever the input. A failure is our bug.
//
// What a user can get wrong is an Error and never comes here; a broken assumption of ours
// must not go on to print a number.
#pragma once

namespace loadfactor {

// Writes place and message to the standard error stream and aborts.
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);

}  // namespace loadfactor

// LF_CHECK(shape > 0, "the shape must be positive"), or without a message. Also in release builds.
#define LF_CHECK(condition, ...) \
  ((condition) ? void()          \
               : ::loadfactor::check_failed(#condition, "" __VA_ARGS__, __FILE__, __LINE__))
