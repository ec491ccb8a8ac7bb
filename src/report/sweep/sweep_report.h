// The results of a sweep for people: in a terminal, and as one page.
#pragma once

#include <string>

#include "sweep/look/look.h"

namespace loadfactor::report {

struct SweepTextOptions {
  int width = 80;
  bool colour = false;
};

std::string sweep_text(const sweep::Look& look, const SweepTextOptions& options);
// The same for programs; rows with all of their columns.
std::string sweep_json(const sweep::Look& look);
// One self-contained page without a script; `file` is the results'.
std::string sweep_page(const sweep::Look& look, const std::string& file);

}  // namespace loadfactor::report
