// Plain facts in the remarks of a row: words and the numbers that follow them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadfactor::validation {

bool mentions(std::string_view text, std::string_view words);

// The number that a cell holds and nothing else; NaN and infinity are none.
std::optional<double> number_in(const std::string& cell);

// The number written right after `words`: 128 of `head_dim 128`. Commas group digits.
std::optional<double> number_after(std::string_view text, std::string_view words);

// The number written right before `words`: 1600 of `with 1600 Gbps`.
std::optional<double> number_before(std::string_view text, std::string_view words);

}  // namespace loadfactor::validation
