// Tests of a shell script whose outcome its text alone tells.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "launch/shell/shell.h"

namespace loadfactor::launch {

enum class Holds : std::uint8_t { kNo, kYes, kUnknown };

struct Outcome {
  Holds holds = Holds::kUnknown;
  std::string doubt = {};  // Why it may be another one at run time; empty: it is this one.
};

bool is_test(std::span<const Word> words);
// `[ "$A" = x ]`, `[[ $A == x* && -n $B ]]`, `test 4 -gt 2`. A file that must exist is not known.
Outcome outcome_of_test(std::span<const Word> words);
// Whether a text is one of a pattern with `*` and `?`.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace loadfactor::launch
