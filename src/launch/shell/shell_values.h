// Numbers and lists that a shell computes from its text alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/shell/shell.h"

namespace loadfactor::launch {

// A whole number; nothing where it is none.
std::optional<std::int64_t> whole_number(std::string_view text);

// `4`, `4*8`, `NODES*(8+1)` with what is known of the names, and a comparison as 1 or 0; a doubt
// about one is one about all.
std::optional<std::int64_t> computed(std::string_view text, const Variables& variables,
                                     std::string& doubt);

// The values of one word of a loop's list: `{0..3}`, `node{1..4}`, `$(seq 0 $N)`, or itself.
// Nothing is added of a word that is not known.
void add_values(const Word& word, const Variables& variables, std::vector<Word>& values);

// The list of `((i = 0; i < 4; i++))`, and the name that goes through it; empty where it is not in
// the text.
struct CountedLoop {
  std::string name;
  std::vector<Word> values;
};
CountedLoop counted_loop(const Word& head, const Variables& variables);

}  // namespace loadfactor::launch
