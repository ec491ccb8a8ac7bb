// The program beside this one that measures accelerators.
#pragma once

#include <string>

namespace loadfactor::cli {

// Beside this program, in its libexec folder, or on the path; empty if nowhere.
std::string find_probe();

}  // namespace loadfactor::cli
