// The words of a command as flags of a program.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/findings/findings.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

struct GivenFlag {
  std::string name;  // As the table has it.
  std::vector<Word> values;
  bool says_no = false;
  Word at;
  std::string otherwise;         // Its default, where the table has it.
  mutable bool is_used = false;  // Whether somebody asked for it.
};

class GivenFlags {
 public:
  // Flags of the program among the words: `--tp 4`, `--tp=4`, `-tp 4`. What is wrong with a value
  // is told at its place, as is a flag that is given twice with two values.
  GivenFlags(const Program& program, const Source& source, std::span<const Word> words,
             Findings& findings);

  const GivenFlag* find(std::string_view name) const;
  bool has(std::string_view name) const;  // Given, and not by the name that says no.
  // Given with a value that is not in the files.
  bool is_unknown(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;
  std::string text(std::string_view name) const;  // Empty where it is not given, or not known.
  // Words that belong to no flag, in their order.
  const std::vector<Word>& others() const { return others_; }
  const std::vector<Word>& unknown() const { return unknown_; }
  Place place(std::string_view name) const;
  // Sets a key to a whole number, or to a text, where the flag is given.
  void count(std::string_view name, std::string_view key);
  void word(std::string_view name, std::string_view key);
  // What a flag means, at its place, as far as its words are not in doubt.
  void say(std::string_view name, std::string_view key, std::string value) const;
  void say(std::string_view name, std::string_view key, std::int64_t value) const {
    say(name, key, std::to_string(value));
  }
  // Whether the value is not in the files; the key is a question then.
  bool leaves_open(std::string_view name, std::string_view key) const;
  // A word that is set elsewhere and may hold any flag; nothing where there is none. The first word
  // that belongs to no flag is what the program works on, where `has_subject`.
  const Word* open_words(bool has_subject) const;
  // Keys of flags that are not given are questions where such a word may give them.
  struct FlagKey {
    std::string_view flag;
    std::string key;
  };
  void leave_rest_open(bool has_subject, std::span<const FlagKey> keys) const;
  // Tells the flags as they run; what is set elsewhere is `?`.
  void tell() const { tell({}); }
  // The same of keys in a file, `micro_batch_size: 2`, without the dashes that they were read with.
  void tell_keys() const { tell(":"); }
  // Flags that nobody asked for, or knows, are remarks, where they are not harmless. Of a dump of
  // all arguments those alone that have another value than their default.
  void remark_rest(std::string_view title, bool is_dump = false) const;

 private:
  void tell(std::string_view behind) const;
  void take(const FlagMatch& match, std::size_t& at, std::span<const Word> words,
            std::optional<Word> joined);
  // `--speculative-config.method eagle3` is a part of what the flag before the dot is given.
  bool take_part(const Program& program, const std::string& name, std::size_t& at,
                 std::span<const Word> words, const std::optional<Word>& joined);
  void keep(GivenFlag given, const Flag& flag);

  std::string program_;
  const Source* source_;
  Findings* findings_;
  std::vector<GivenFlag> given_;
  std::vector<Word> others_;
  std::vector<Word> unknown_;
  std::vector<std::string> nearest_;  // The flags that they may be slips of; empty: none.
};

Place place_of(const Source& source, const Word& word);

// A configuration that is named and not among the files may say what the command leaves out: that
// is a question then, and no default.
void ask_for_file(const GivenFlags& flags, std::string_view name,
                  std::initializer_list<std::string> keys, Findings& findings);

}  // namespace loadfactor::launch
