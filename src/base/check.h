// Our own bugs end the program, in release builds too.
//
// What a user can get wrong is an Error and never comes here; a broken assumption of ours
// must not go on to print a number.
#pragma once

namespace loadfactor {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace loadfactor

#define LF_CHECK(condition) \
  ((condition) ? void() : ::loadfactor::check_failed(#condition, __FILE__, __LINE__))
