// Says in plain words what is wrong with a text that is not JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "config/tree_builder.h"

namespace loadfactor::config {

inline constexpr std::string_view kJsonBlanks = " \t\r\n";
inline constexpr std::string_view kJsonBetween = " \t\r\n,:";          // Between two tokens.
inline constexpr std::string_view kJsonAfterWord = " \t\r\n,:[]{}\"";  // Ends a number or word.

// The offset just past the quote that closes the text at `begin`, or nothing.
std::optional<std::size_t> end_of_json_text(std::string_view text, std::size_t begin);

// Explains a word that is no JSON value: `NaN`, `True`, `0x10`, `80GB`.
Refusal explain_json_word(std::string_view text, Extent extent);

// Explains why parsing stopped after the token that ends at `cursor`. `overflow` tells that the
// next token is a number too large for a double.
Refusal find_json_mistake(std::string_view text, std::size_t cursor, const TreeBuilder& builder,
                          bool overflow);

}  // namespace loadfactor::config
