// What changes in the files of one launch to make them those of another, flag by flag.
#pragma once

#include <span>
#include <string>
#include <string_view>
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
  // Nothing that runs says whether the first has it so already. Where it does, nothing changes.
  bool is_presumed = false;
};

struct FlagSetting {
  std::string file;
  std::string flag;
  std::string value;
  bool is_said = true;  // Whether a line of the scenario gave it.
};

// What files set, one by one. Without a scenario all of it is said.
std::vector<FlagSetting> flag_settings(std::span<const EmittedFile> files,
                                       std::string_view scenario);

// Flags of what runs, by the comment that `read` leaves in its scenario; none where it has none.
struct SaidFlag {
  std::string flag;
  std::string value;         // All words behind it; `?` where it is not known.
  std::string written = {};  // As it is spelled where it runs.
};
std::vector<SaidFlag> said_flags(std::string_view scenario_text);

// Argument files by their flags, configurations by their paths, scripts by the variables that a
// training program reads. In the order of the files; what is the same in both is left out. A flag
// that the scenario of the first, `running`, does not say may run or not: it is added where the
// second has it otherwise, and presumed where both agree on it or the second is without it. The
// whole patch makes the flags of the second out of those that the scenario says, and out of all
// flags of the first. Where the flags of what runs are known, they are what is taken away, in their
// own spelling, and stay where the second does not differ from the first.
std::vector<FlagChange> flag_patch(std::span<const EmittedFile> before,
                                   std::span<const EmittedFile> after, std::string_view running,
                                   std::span<const SaidFlag> spelled = {});

}  // namespace loadfactor::launch
