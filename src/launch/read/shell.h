// A shell script as the commands that it would run, as far as its text alone tells.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

// A word of a command, where it stands in the text.
struct Word {
  std::string text;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  bool is_known = true;  // False where a variable in it is set elsewhere.
};

struct ShellText {
  std::vector<std::vector<Word>> commands;
  std::map<std::string, Word, std::less<>> variables;  // As they are set last.
  std::vector<Word> comments;                          // Each with its mark.
};

// Quotes, continued lines, variables with their defaults, arrays and products of numbers are
// followed; branches are all taken, and what other programs print is not known.
ShellText read_shell(std::string_view text);

// The same of words that need no shell: `ps` shows a command as it was started.
std::vector<Word> split_words(std::string_view text, std::uint32_t line, std::uint32_t column);

}  // namespace loadfactor::launch
