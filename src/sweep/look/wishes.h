// What the sweep asks its report for, and what its figures suggest where it asks for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loadfactor/result.h"
#include "sweep/look/look.h"
#include "sweep/look/survey.h"

namespace loadfactor::sweep {

struct Wishes {
  std::optional<Aim> goal;
  std::vector<Aim> pareto;
  std::optional<std::size_t> phase_x;  // Columns.
  std::optional<std::size_t> phase_y;
  std::optional<std::size_t> phase_shows;
  std::vector<std::size_t> saltelli;
  std::int64_t saltelli_points = 0;
  bool is_saltelli_filtered = false;
  bool has_filters = false;
};

// As `report:` of the sweep says it. LF506 where a name is no column.
Result<Wishes> wishes_of(const Identity& identity);

// Goals, trade-offs and the figure of the map that are not asked for; a figure that is words is no
// goal.
void fill_in(Wishes& wishes, const Identity& identity, const Survey& survey, Look& look);

}  // namespace loadfactor::sweep
