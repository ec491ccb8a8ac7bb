// The first reading of results: which values the axes take, and what kind of figures there are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/look/idle_axes.h"
#include "sweep/look/look.h"

namespace loadfactor::sweep {

struct SeenFigure {
  std::int64_t numbers = 0;
  std::int64_t words = 0;
  bool varies = false;
  bool repeats_axis = true;  // It is in every row the number of some axis.
  CellValue first;
  std::set<std::string> verdicts;  // The words, up to one more than a map can tell apart.

  // Whether it sorts the cases into a few kinds, by words.
  bool is_verdict() const;
};

// The unit that a value is written in, and its size in the unit of the column.
struct WrittenUnit {
  std::string name;
  double scale = 1;
};

class Survey {
 public:
  explicit Survey(const Identity& identity);

  void take(const CaseRow& row);
  std::vector<SeenAxis> axes() const;
  const std::vector<SeenFigure>& figures() const { return figures_; }  // By column.
  const std::vector<Spread>& spreads() const { return spreads_; }      // By column.
  std::int64_t rows() const { return rows_; }
  // Whether an axis has values that are no numbers, and none that is.
  bool is_words(std::size_t column) const;
  // By the column of an axis, the figures that repeat it in every row.
  const Echoes& echoes() const { return echoes_; }

 private:
  struct Values {
    std::map<CellValue, std::string> labels;
    std::vector<CellValue> in_order;
    // All rows count, those too whose values are no longer told apart.
    bool has_number = false;
    bool has_word = false;
    double low = 0;
    double high = 0;
    std::optional<WrittenUnit> unit;  // None before the first value, blank once two differ.
  };
  void take_echoes(const CaseRow& row);
  static void take_unit(Values& seen, const std::string& said, double number);
  // Whether a number is that of an axis in the same row.
  bool is_on_axis(const CaseRow& row, std::optional<double> number) const;
  // Whether every value of `of` goes with one value of `by` alone.
  bool is_decided(std::size_t of, std::size_t by) const;
  // Whether the sweep says so of a column.
  bool stands_in(std::string_view key, std::size_t column) const;
  SeenAxis axis(std::size_t column) const;

  const Identity& identity_;
  std::vector<std::size_t> axis_columns_;
  std::map<std::size_t, Values> values_;
  // Pairs of values of two axes that were seen together: by their numbers in `axis_columns_`.
  std::map<std::pair<std::size_t, std::size_t>, std::map<CellValue, std::set<CellValue>>> together_;
  std::vector<SeenFigure> figures_;
  std::vector<Spread> spreads_;
  Echoes echoes_;
  std::int64_t rows_ = 0;
};

}  // namespace loadfactor::sweep
