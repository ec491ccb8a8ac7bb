// Rows of a measured table by column name, with numbers checked as they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "config/csv.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

class TableRow {
 public:
  TableRow(const config::CsvTable& table, Diagnostics& diagnostics)
      : table_(&table), diagnostics_(&diagnostics) {}
  void select(std::size_t row) {
    row_ = row;
    sound_ = true;
  }

  bool has(std::string_view column) const { return table_->column(column).has_value(); }
  // The text of a cell; empty when there is no such column.
  std::string_view text(std::string_view column) const;
  // A finite, positive number; anything else is reported once and makes the row unsound.
  double number(std::string_view column);
  std::int64_t whole(std::string_view column);
  // False once a cell of the row could not be read.
  bool sound() const { return sound_; }

 private:
  const config::CsvTable* table_;
  Diagnostics* diagnostics_;
  std::size_t row_ = 0;
  bool sound_ = true;
};

// A number that tells shapes apart and spreads them evenly.
std::uint64_t shape_number(std::initializer_list<std::int64_t> values);

}  // namespace loadfactor::calibrate
