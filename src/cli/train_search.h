// `train --search`: the flags, and the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "loadfactor/result.h"
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
  std::vector<std::string> precisions;
  std::optional<double> headroom;
  std::optional<double> efficiency;  // Percent: the line that --scale asks about.
  std::optional<double> day_value;   // Dollars.

  bool any() const { return search || exhaustive || scale; }
};

// Flags that belong to another question than the one asked are refused, not dropped.
Result<bool> check_search_flags(const SearchFlags& flags, bool trace);

void add_search_flags(CLI::App& verb, SearchFlags& flags);

// Answers `--search`, `--exhaustive` and `--scale`.
void run_search(Session& session, const SearchFlags& flags, const TrainRequest& request);

}  // namespace loadfactor::cli
