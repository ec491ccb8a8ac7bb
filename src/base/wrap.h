// Breaks text into lines of a given width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadfactor {

// `text` in lines of at most `width` columns, broken at blanks, and within a word only if the
// word alone is wider. Line breaks in the text are kept, and so is a line that fits, with its
// blanks. At least one line, if an empty one; a character wider than `width` stands alone.
std::vector<std::string> wrap(std::string_view text, int width);

// The lines of `text` as they are. At least one.
std::vector<std::string_view> lines_of(std::string_view text);

// The columns of the widest word.
int widest_word(std::string_view text);

}  // namespace loadfactor
