// The probe's own command line, read without a library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadfactor::probe {

struct Arguments {
  bool quick = false;
  bool check = false;  // The smallest shapes, for checkers of memory and races.
  bool silent = false;
  bool help = false;
  double load_seconds = 20;  // Time that each load is held to read its power.
  std::uint64_t seed = 1;
  std::string output;             // Standard output when empty.
  std::string shapes;             // A file of further shapes.
  std::string meeting;            // Where several processes meet.
  std::vector<std::string> only;  // Sections; all when empty.
};

inline constexpr const char* kUsage =
    "loadfactor-probe [--quick | --check] [--output FILE] [--shapes FILE]\n"
    "                 [--only SECTION]… [--load-seconds N] [--seed N]\n"
    "                 [--meeting FILE] [--silent]\n"
    "Sections: launch memory cache gemm attention pointwise optimizer copies\n"
    "          collectives power\n"
    "--check takes the smallest shapes, for checkers of memory and races.\n"
    "Changes no clock, limit or mode.\n";

// None, with a sentence in `complaint`, when a word is not understood.
std::optional<Arguments> read_arguments(const std::vector<std::string>& words,
                                        std::string& complaint);

}  // namespace loadfactor::probe
