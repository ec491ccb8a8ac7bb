// What changes in the files of one launch to make them those of another, flag by flag.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/emit/emission.h"

namespace loadfactor::launch {

// A flag, a key or a variable; a value is empty where the flag stands alone.
struct FlagChange {
  std::string file;
  std::string flag;
  std::string before;
  std::string after;
  bool was = false;  // Whether the first has it,
  bool is = false;   // and the second.
};

// Argument files by their flags, configurations by their paths, scripts by the variables that a
// training program reads. In the order of the files; what is the same in both is left out.
std::vector<FlagChange> flag_patch(std::span<const EmittedFile> before,
                                   std::span<const EmittedFile> after);

}  // namespace loadfactor::launch
