// Everything the command line takes from the outside world, handed in so that tests can replace it.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "config/reading/scenario_reader.h"

namespace loadfactor {
class Crew;
}

namespace loadfactor::cli {

struct Environment {
  std::istream* in = nullptr;   // Answers to our questions; nullptr asks none.
  std::ostream* out = nullptr;  // Results.
  std::ostream* err = nullptr;  // Progress, notices, errors.
  bool in_is_terminal = false;
  // Whether anything comes from an `in` that is no terminal; nothing: it is read to see.
  std::function<bool()> has_input = nullptr;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;
  int width = 80;
  std::string config_folder;  // ~/.config/loadfactor, or empty.
  std::string today;          // YYYY-MM-DD.
  // Reads every scenario of the program, and counts them.
  std::shared_ptr<config::ScenarioReader> scenarios = std::make_shared<config::ScenarioReader>();
};

// Reads terminal, NO_COLOR, COLUMNS, HOME, XDG_CONFIG_HOME and the date. Called once, by main.
Environment system_environment();

// The program: parses the arguments, runs one verb, returns the exit status. With a crew, it does
// so together with other processes.
int run(int argc, const char* const* argv, const Environment& environment, Crew* crew = nullptr);

// The same on the system as it is, and where even its environment does not fit into memory.
int run_here(int argc, const char* const* argv);

}  // namespace loadfactor::cli
