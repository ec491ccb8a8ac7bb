// Numbers as a strict reader takes them: no octal, no hex, no separators, no guessing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "loadfactor/result.h"

namespace loadfactor::config {

// Refuses spellings that other parsers read in different ways: `0x10`, `010`, `1_000`, `1,000`
// (LF208), `.nan`, `inf` (LF206). The error's columns are relative to `text`, from 1.
std::optional<Error> refuse_number_spelling(std::string_view text);

// A whole number: `4096`, `-3`, `1e3`, `64.0`. LF205 beyond 64 bits, LF505 not whole, LF203 with
// something after it, and what refuse_number_spelling() says.
Result<std::int64_t> parse_integer(std::string_view text);

// True for a number with nothing after it: `12`, `-0.5`, `1e9`.
bool is_bare_number(std::string_view text);

// True for YYYY, YYYY-MM and YYYY-MM-DD that a calendar has, from 1970 to 2199.
bool is_date(std::string_view text);

}  // namespace loadfactor::config
