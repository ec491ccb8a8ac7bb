// A shell script as the commands that it would run, as far as its text alone tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

struct Source;

// A word of a command, where it stands in the text.
struct Word {
  std::string text;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  bool is_known = true;    // False where a variable in it is set elsewhere.
  std::string doubt = {};  // Why it may be another one at run time; empty: it is this one.
  std::size_t sure = 0;    // So many characters at its beginning are without that doubt,
  std::size_t unsure_end = std::string::npos;  // and so are those from here on.
  const Source* origin = nullptr;              // The file of its line; none: the text that is read.
};
using Words = std::span<const Word>;
// A text that stands in a file begins in a line of it: its words move down, those of other files
// stay.
void move_down(Word& word, std::uint32_t lines, std::uint32_t last);
using Variables = std::map<std::string, Word, std::less<>>;

// A text that a command is given, from the line behind it on.
struct HereDocument {
  Word text;
  std::string file = {};      // What it is written to, without its folder; empty: to none.
  std::string given_to = {};  // The program that it is given to, without its folder.
  bool is_quoted = false;     // Whether it is taken as it stands, its variables too.
  bool is_run = false;  // Whether the script runs it, so that its commands are among the others.
  Variables variables = {};  // Those of the script, where the document begins.
};

struct ShellText {
  std::vector<std::vector<Word>> commands;
  std::set<std::size_t> in_open_loop;  // Those of them that run who knows how often.
  Variables variables;                 // As they are set last.
  std::vector<Word> comments;          // Each with its mark.
  std::vector<HereDocument> here_documents;
  std::optional<Word> unclosed;  // A quote that nothing closes.
};

// Texts of scripts by the last part of their names.
using ScriptFiles = std::map<std::string, std::string, std::less<>>;

// Quotes, continued lines, variables with their defaults, arrays and sums are followed. A branch
// whose test the text decides is read or left out; of others all arms are read, and what is set or
// started in one is in doubt. A loop over a list in the text is gone through, and what other
// programs print is not known. `variables`: those that are set before it begins; `files`: those
// that `source` may name; `arguments`: those of the script, where they are known.
ShellText read_shell(std::string_view text, Variables variables = {},
                     const ScriptFiles* files = nullptr,
                     const std::vector<Word>* arguments = nullptr);

// A here document with the variables put in that the shell would put in; not known, and as it is
// written, as far as they are set elsewhere.
Word filled_in(const HereDocument& document);

// The same of words that need no shell: `ps` shows a command as it was started.
std::vector<Word> split_words(std::string_view text, std::uint32_t line, std::uint32_t column);

}  // namespace loadfactor::launch
