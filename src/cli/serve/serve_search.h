// `loadfactor serve SCENARIO --search`: the cheapest deployment that keeps the SLO.
#pragma once

#include <string>

#include "cli/session/session.h"

namespace loadfactor::cli {

struct SizingFlags {
  bool search = false;
  int spares = -1;
  int confirm = 3;
  int weeks = 0;
  int fleet = 0;
  std::string cold_start = "180 s";
  std::string maintenance = "2 h";
};

void add_search_options(CLI::App& verb, SizingFlags& flags);
void run_search(Session& session, const std::string& scenario, const SizingFlags& flags);

}  // namespace loadfactor::cli
