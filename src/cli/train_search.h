// `train --search`: the flags, and the run.
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "loadfactor/train.h"

namespace CLI {
class App;
}

namespace loadfactor::cli {

struct SearchFlags {
  bool search = false;
  bool exhaustive = false;
  bool scale = false;
  std::string objective;
  std::string placement;
  std::vector<int> gpus;
  double headroom = 0;
  double efficiency = 80;  // Percent: the line that --scale asks about.
  double day_value = 0;    // Dollars.

  bool any() const { return search || exhaustive || scale; }
};

void add_search_flags(CLI::App& verb, SearchFlags& flags);

// Answers `--search`, `--exhaustive` and `--scale`.
void run_search(Session& session, const SearchFlags& flags, const TrainRequest& request);

}  // namespace loadfactor::cli
