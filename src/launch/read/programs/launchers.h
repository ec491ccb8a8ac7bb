// The flags of launchers, and where the program begins that one starts.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "launch/shell/shell.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

// The last part of a path.
std::string base_name(const std::string& path);

Program torchrun_flags();
// Those of mpirun and horovodrun.
Program process_flags();

// Words of a launcher that are set elsewhere stand before its script: `torchrun $DISTRIBUTED_ARGS
// train.py`. Where nothing behind such a word can be the script, it is the script itself.
struct LauncherWords {
  std::size_t script = 0;
  const Word* open = nullptr;
};
LauncherWords launcher_words(const Program& program, std::span<const Word> words, std::size_t from);

}  // namespace loadfactor::launch
