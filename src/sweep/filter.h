// Which cases count: `tp * pp <= 16 and chip != 'l40s'` over the columns of the axes.
//
// Numbers are in the units of the columns; K, M, B and T behind one are powers of ten. Words stand
// in quotes. A comparison with a column that is blank, or with what was divided by 0, does not
// hold.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::sweep {

// A value of a column; a blank is std::monostate.
using FilterValue = std::variant<std::monostate, double, std::string>;
// The value of the column of that number.
using ColumnValue = std::function<FilterValue(std::size_t column)>;

class Filter {
 public:
  // LF501 for what is no filter, LF506 for a name that no column has; columns of errors count from
  // 1 in the text.
  static Result<Filter> parse(std::string_view text, std::span<const std::string> columns);

  bool holds(const ColumnValue& value) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace loadfactor::sweep
