// Axes that change no figure: the verb does not look at them, or what they move is not kept.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "sweep/look/look.h"

namespace loadfactor::sweep {

// Figures that say what was asked, by the column of the axis that they repeat.
using Echoes = std::map<std::size_t, std::set<std::size_t>>;

// Compares cases that differ in one axis alone. An axis without two such cases says nothing.
class IdleAxes {
 public:
  IdleAxes(const Identity& identity, const std::vector<SeenAxis>& axes, const Echoes& echoes);

  void take(const CaseRow& row);
  // Columns of the axes of which every pair of cases has the same figures.
  std::vector<std::size_t> finish() const;

 private:
  struct Group {
    CellValue value;  // The axis' own, of the first case.
    std::size_t figures = 0;
  };
  struct Axis {
    std::size_t column = 0;
    std::vector<std::size_t> fixed;       // Columns in which compared cases are equal.
    std::vector<std::size_t> figures;     // Those that do not repeat the axis.
    std::map<std::size_t, Group> groups;  // By a digest of what is fixed.
    bool was_compared = false;
    bool has_effect = false;
  };
  // A digest of what a case answers.
  static std::size_t figures_of(const CaseRow& row, const Axis& axis);

  std::vector<Axis> axes_;
};

}  // namespace loadfactor::sweep
