// How many terminal columns a UTF-8 text takes, and how to show foreign text safely.
//
// Wide characters (CJK, most emoji) take two columns, combining marks none. Text from a user's
// file may hold control characters or broken UTF-8; visible() makes it harmless to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loadfactor {

// One character of a UTF-8 text. A byte that starts no valid sequence is a character of its
// own, U+FFFD, of size 1.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 1;  // In bytes.
  bool valid = true;
};

// The character at byte `position`, which must be inside the text.
CodePoint decode_utf8(std::string_view text, std::size_t position);

// Appends a character to `text` as UTF-8.
void append_utf8(std::string& text, char32_t code_point);

// Columns of one character: 0, 1 or 2. Control characters count 0.
int code_point_width(char32_t code_point);

// Columns of a text.
int display_width(std::string_view text);

// The number of characters, as a column of a SourceSpan counts them.
std::size_t count_code_points(std::string_view text);

// What to print for one character: itself, or a harmless stand-in (spaces for a tab, a control
// picture such as ␛ for a control character, � for what is not text or would reorder it).
std::string visible(CodePoint code_point);

// visible() of every character.
std::string visible(std::string_view text);

// The text padded with spaces to `width` columns on the right.
std::string pad_right(std::string_view text, int width);

}  // namespace loadfactor
