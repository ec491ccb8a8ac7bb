// The words of a command as flags of a program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/read/findings.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

struct GivenFlag {
  std::string name;  // As the table has it.
  std::vector<Word> values;
  bool says_no = false;
  Word at;
};

class GivenFlags {
 public:
  // Flags of the program among the words: `--tp 4`, `--tp=4`, `-tp 4`. What is wrong with a value
  // is told at its place, as is a flag that is given twice with two values.
  GivenFlags(const Program& program, const Source& source, std::span<const Word> words,
             Findings& findings);

  const GivenFlag* find(std::string_view name) const;
  bool has(std::string_view name) const;  // Given, and not by the name that says no.
  std::optional<std::int64_t> number(std::string_view name) const;
  std::string text(std::string_view name) const;  // Empty where it is not given.
  // Words that belong to no flag, in their order.
  const std::vector<Word>& others() const { return others_; }
  const std::vector<Word>& unknown() const { return unknown_; }
  Place place(std::string_view name) const;
  // Sets a key to a whole number, or to a text, where the flag is given.
  void count(std::string_view name, std::string_view key);
  void word(std::string_view name, std::string_view key);

 private:
  void take(const Program& program, const FlagMatch& match, std::size_t& at,
            std::span<const Word> words, std::optional<Word> joined);
  void keep(GivenFlag given, const Flag& flag);

  const Source* source_;
  Findings* findings_;
  std::vector<GivenFlag> given_;
  std::vector<Word> others_;
  std::vector<Word> unknown_;
};

Place place_of(const Source& source, const Word& word);

}  // namespace loadfactor::launch
