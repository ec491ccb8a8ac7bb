// Reads typed cells out of a CSV table whose columns are known, and reports all that is wrong.
//
// An empty cell is an unknown value, never 0. Units stand in the column names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/load/data_file.h"
#include "catalog/spec/provenance.h"
#include "config/csv.h"
#include "config/reader.h"

namespace loadfactor::catalog {

// Parses the file and holds its header against `columns`: all must be there (LF513) and no other
// (LF502), and no cell is longer than a page (LF508). Nothing is returned otherwise.
std::optional<config::CsvTable> open_table(const DataFile& file,
                                           std::span<const std::string_view> columns,
                                           Diagnostics& diagnostics);

class RowReader {
 public:
  RowReader(const config::CsvTable& table, std::size_t row, Diagnostics& diagnostics);

  // Required cells: LF504 if empty.
  std::string text(std::string_view column);
  double number(std::string_view column, config::Range range);
  std::string date(std::string_view column);
  template <typename T>
  T word(std::string_view column, std::span<const config::Word<T>> words, T otherwise);

  // Optional cells: nothing if empty, still reported if broken.
  std::optional<double> maybe_number(std::string_view column, config::Range range);
  std::string maybe_text(std::string_view column) const;
  std::string maybe_date(std::string_view column);

  // A required or optional price: as a number, but 0 is a placeholder (LF304).
  double price(std::string_view column, config::Range range);
  std::optional<double> maybe_price(std::string_view column, config::Range range);

  // Kind and source of the row; the date stands in `date_column`.
  Provenance provenance(std::string_view date_column);

  void report(std::string_view column, int code, std::string message, std::string hint = {});
  // Reports (LF209) a value that lies outside its own bounds.
  void check_bounds(std::string_view column, double value, std::optional<double> low,
                    std::optional<double> high);
  bool good() const { return good_; }  // Nothing was reported of this row.

 private:
  const config::CsvCell& cell(std::string_view column) const;
  const config::CsvTable* table_;
  std::size_t row_;
  Diagnostics* diagnostics_;
  bool good_ = true;
};

template <typename T>
T RowReader::word(std::string_view column, std::span<const config::Word<T>> words, T otherwise) {
  const std::string written = text(column);
  if (written.empty()) return otherwise;
  std::vector<std::string> candidates;
  for (const auto& candidate : words) {
    if (candidate.text == written) return candidate.value;
    candidates.emplace_back(candidate.text);
  }
  std::string all;
  for (const auto& candidate : candidates) all += (all.empty() ? "" : ", ") + candidate;
  report(column, lf::kUnknownWord, in_quotes(written) + " is not a " + std::string(column),
         "one of: " + all);
  return otherwise;
}

}  // namespace loadfactor::catalog
