// Which cases count: `tp * pp <= 16 and chip != 'l40s'` over the columns of the axes.
//
// A number has a unit of its own (`0.1 USD/kWh`, `50 %`), or is in that of the column; K, M, B and
// T behind one are powers of ten. Words stand in quotes, and a list of one word is that word.
// `null` is a column that is blank: it equals null and nothing else, and it is neither more nor
// less than anything. What cannot be calculated, such as a division by 0, compares with nothing:
// neither == nor != holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::sweep {

// A value of a column; a blank is std::monostate.
using FilterValue = std::variant<std::monostate, double, std::string>;
// The value of the column of that number.
using ColumnValue = std::function<FilterValue(std::size_t column)>;

// A column against a number or a word that the filter writes out.
struct Comparison {
  std::size_t column = 0;
  std::string sign;  // With the column on its left.
  FilterValue with;
  std::optional<Dimension> dimension;  // That of a number that is written with a unit.
};

// Whether a value of the column fulfils it.
bool holds(const Comparison& comparison, const FilterValue& value);

// The currency of the columns, and what a US dollar is worth in it; without a code, any may stand.
struct FilterMoney {
  std::string code;
  double per_usd = 1;
};

// Whether two words are one: `[h100-sxm]` is `h100-sxm`.
bool is_same_word(std::string_view a, std::string_view b);

class Filter {
 public:
  // LF501 for what is no filter, LF506 for a name that no column has; columns of errors count from
  // 1 in the text.
  static Result<Filter> parse(std::string_view text, std::span<const std::string> columns,
                              const FilterMoney& money = {});

  bool holds(const ColumnValue& value) const;
  // Those of all its parts, whatever `and`, `or` and `not` make of them.
  std::vector<Comparison> comparisons() const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace loadfactor::sweep
