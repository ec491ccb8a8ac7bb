#include "calibrate/kernels/kernels_rows.h"

#include <charconv>
#include <cmath>

#include "base/error_codes.h"

namespace loadfactor::calibrate {

std::string_view TableRow::text(std::string_view column) const {
  const auto index = table_->column(column);
  return index ? std::string_view(table_->rows[row_][*index].text) : std::string_view{};
}

double TableRow::number(std::string_view column) {
  const auto index = table_->column(column);
  if (!index) {
    sound_ = false;
    return 1.0;
  }
  const config::CsvCell& cell = table_->rows[row_][*index];
  double value = 0.0;
  const char* end = cell.text.data() + cell.text.size();
  const auto parsed = std::from_chars(cell.text.data(), end, value);
  if (parsed.ec == std::errc{} && parsed.ptr == end && std::isfinite(value) && value >= 0.0) {
    return value;
  }
  if (sound_) {
    diagnostics_->add(table_->error(lf::kNotANumber, cell,
                                    "'" + cell.text + "' is not a measured number",
                                    "write a plain decimal number"));
  }
  sound_ = false;
  return 1.0;
}

std::int64_t TableRow::whole(std::string_view column) {
  const double value = number(column);
  return value < 9e15 ? static_cast<std::int64_t>(std::llround(value)) : 0;
}

std::uint64_t shape_number(std::initializer_list<std::int64_t> values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::int64_t value : values) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  hash *= 0xbf58476d1ce4e5b9ULL;
  return hash ^ (hash >> 32U);
}

}  // namespace loadfactor::calibrate
