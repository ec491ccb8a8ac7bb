// The reader of a program's arguments, by its name or by the arguments alone.
#include <array>
#include <string_view>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

bool read_program_flags(std::string_view program, const Invocation& call, Findings& findings) {
  struct ReaderRow {
    std::string_view program;
    void (*read)(const Invocation&, Findings&);
  };
  constexpr std::array kReaders{ReaderRow{"megatron", read_megatron},
                                ReaderRow{"torchtitan", read_torchtitan},
                                ReaderRow{"vllm", read_vllm}, ReaderRow{"sglang", read_sglang}};
  for (const auto& [name, read] : kReaders) {
    if (name != program) continue;
    read(call, findings);
    return true;
  }
  return false;
}

bool read_bare_arguments(const Source& source, Words words, Findings& findings) {
  constexpr std::array<const char*, 4> kPrograms{"megatron", "torchtitan", "vllm", "sglang"};
  int best = 0;
  std::string_view chosen;
  for (const char* name : kPrograms) {
    const Program program = read_program(name);
    int score = 0;
    for (const Word& word : words)
      if (word.text.starts_with("--"))
        score += program.find(word.text.substr(0, word.text.find('='))) ? 1 : -1;
    if (score > best) {
      best = score;
      chosen = name;
    }
  }
  return read_program_flags(chosen, {source, words, place_of(source, words.front())}, findings);
}

}  // namespace loadfactor::launch
