// `loadfactor serve SCENARIO --search`: the cheapest deployment that keeps the SLO.
#pragma once

#include <string>

#include "cli/session.h"

namespace loadfactor::cli {

struct SearchFlags {
  bool search = false;
  int spares = 0;
  int confirm = 3;
  std::string cold_start = "180 s";
};

void add_search_options(CLI::App& verb, SearchFlags& flags);
void run_search(Session& session, const std::string& scenario, const SearchFlags& flags);

}  // namespace loadfactor::cli
