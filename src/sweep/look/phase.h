// Where the verdict changes over two axes: one map for each value of the others.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sweep/look/look.h"

namespace loadfactor::sweep {

class PhaseMaker {
 public:
  // `shows` is a column, or none for what became of the cases.
  PhaseMaker(const Identity& identity, const std::vector<SeenAxis>& axes, PhaseMap map);

  void take(const CaseRow& row);
  PhaseMap finish();

 private:
  struct Heap {
    std::int64_t cases = 0;
    double sum = 0;
    std::int64_t numbers = 0;
    std::map<std::string, std::int64_t> words;
  };
  // The values of the axes that are not drawn.
  std::string panel_of(const CaseRow& row) const;

  const Identity& identity_;
  const std::vector<SeenAxis>& axes_;
  PhaseMap map_;
  std::map<std::string, std::size_t> panels_;
  std::vector<std::string> panel_names_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Heap> heaps_;  // Panel, y, x.
};

// The place of a cell among the values or bins of an axis.
std::size_t place_on(const SeenAxis& axis, const CellValue& cell);

}  // namespace loadfactor::sweep
