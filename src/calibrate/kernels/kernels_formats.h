// The formats of kernel tables: the columns that tell one, and how its rows are read.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "calibrate/kernels/kernels_rows.h"
#include "calibrate/kernels/kernels_table.h"

namespace loadfactor::calibrate {

struct RowOrigin {
  std::string chip;
  std::string source;
};

struct TableFormat {
  std::array<std::string_view, 5> columns;  // All must be there; empty ones do not count.
  void (*read)(TableRow& row, const RowOrigin& origin, KernelMeasurements& found);
};

// The first that fits is taken.
std::span<const TableFormat> table_formats();

}  // namespace loadfactor::calibrate
