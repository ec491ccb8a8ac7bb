// Ways to pay as pages name and colour them.
#pragma once

#include <string_view>

#include "loadfactor/cost.h"

namespace loadfactor::report {

// How a kind of way is named on a page.
struct WayWords {
  std::string_view colour;  // `own`, `res`, `dem`, `spot` or `api`.
  std::string_view name;    // In the table and at the line.
  std::string_view noun;    // In sentences: `the API`, `owning`.
};
WayWords words_of(OptionKind kind, bool is_run);

}  // namespace loadfactor::report
