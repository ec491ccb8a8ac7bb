// Numbers as a strict reader takes them: no octal, no hex, no separators, no guessing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "loadfactor/result.h"

namespace loadfactor::config {

// Refuses `010`, `0o17` and `0b11` (LF208), which parsers read in different ways. The error's
// columns are relative to `text`, from 1.
std::optional<Error> refuse_leading_zero(std::string_view text);

// A whole number: `4096`, `-3`, `1e3`, `64.0`. LF205 beyond 64 bits, LF505 not whole, LF203 with
// something after it, LF206 not finite, LF208 no number.
Result<std::int64_t> parse_integer(std::string_view text);

// True for a number with nothing after it: `12`, `-0.5`, `1e9`.
bool is_bare_number(std::string_view text);

// True for YYYY, YYYY-MM and YYYY-MM-DD that a calendar has, from 1970 to 2199.
bool is_date(std::string_view text);

}  // namespace loadfactor::config
