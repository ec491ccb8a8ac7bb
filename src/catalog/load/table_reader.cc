#include "catalog/load/table_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/load/entry_reader.h"
#include "config/number_text.h"

namespace loadfactor::catalog {
namespace {

std::string list_of(std::span<const std::string_view> columns) {
  std::string all;
  for (const auto column : columns) all += (all.empty() ? "" : ",") + std::string(column);
  return all;
}

// Returns whether every column can be found.
bool check_header(const config::CsvTable& table, std::span<const std::string_view> columns,
                  Diagnostics& diagnostics) {
  std::set<std::string_view> seen;
  for (const auto& cell : table.header) {
    seen.insert(cell.text);
    if (std::find(columns.begin(), columns.end(), cell.text) == columns.end()) {
      diagnostics.add(table.error(lf::kUnknownKey, cell, "unknown column " + in_quotes(cell.text),
                                  "the columns are " + list_of(columns)));
    }
  }
  bool complete = true;
  for (const auto column : columns) {
    if (seen.contains(column)) continue;
    complete = false;
    diagnostics.add(table.error(lf::kMissingColumn,
                                table.header.empty() ? config::CsvCell{} : table.header.front(),
                                "the column '" + std::string(column) + "' is missing",
                                "the columns are " + list_of(columns)));
  }
  return complete;
}

// Returns whether all cells are of a length that a person writes.
bool check_lengths(const config::CsvTable& table, Diagnostics& diagnostics) {
  constexpr std::size_t kMaxCell = 4096;
  for (const auto& row : table.rows) {
    for (const auto& cell : row) {
      if (cell.text.size() <= kMaxCell) continue;
      diagnostics.add(table.error(lf::kTooLarge, cell,
                                  "a cell of " + std::to_string(cell.text.size()) + " bytes",
                                  "a cell has 4096 bytes at most; is a quote not closed?"));
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<config::CsvTable> open_table(const DataFile& file,
                                           std::span<const std::string_view> columns,
                                           Diagnostics& diagnostics) {
  auto table = config::parse_csv(file.shown_as, file.text, diagnostics);
  if (!table) {
    diagnostics.add(std::move(table).error());
    return std::nullopt;
  }
  if (!check_header(*table, columns, diagnostics)) return std::nullopt;
  if (!check_lengths(*table, diagnostics)) return std::nullopt;
  return *std::move(table);
}

RowReader::RowReader(const config::CsvTable& table, std::size_t row, Diagnostics& diagnostics)
    : table_(&table), row_(row), diagnostics_(&diagnostics) {}

const config::CsvCell& RowReader::cell(std::string_view column) const {
  return table_->rows[row_][*table_->column(column)];
}

void RowReader::report(std::string_view column, int code, std::string message, std::string hint) {
  good_ = false;
  if (diagnostics_->size() >= config::kMostErrors) return;
  diagnostics_->add(table_->error(code, cell(column), std::move(message), std::move(hint)));
}

std::string RowReader::maybe_text(std::string_view column) const {
  return cell(column).text;
}

std::string RowReader::text(std::string_view column) {
  const std::string& written = cell(column).text;
  if (written.empty()) {
    report(column, lf::kMissingKey, "'" + std::string(column) + "' is empty",
           "every row must state it");
  }
  return written;
}

std::optional<double> RowReader::maybe_number(std::string_view column, config::Range range) {
  const std::string& written = cell(column).text;
  if (written.empty()) return std::nullopt;
  double value = 0.0;
  const char* const last = written.data() + written.size();
  const auto [end, problem] = std::from_chars(written.data(), last, value);
  if (problem == std::errc() && end == last && !std::isfinite(value)) {
    report(column, lf::kNotFinite, in_quotes(written) + " is not finite",
           "leave it empty if unknown");
    return std::nullopt;
  }
  if (problem == std::errc::result_out_of_range) {
    report(column, lf::kAbsurdMagnitude, in_quotes(written) + " is beyond any plausible figure");
    return std::nullopt;
  }
  if (problem != std::errc() || end != last) {
    report(column, lf::kNotANumber, in_quotes(written) + " is not a number",
           "write digits and a point; the unit stands in the name of the column");
    return std::nullopt;
  }
  if (value < range.low || value > range.high) {
    const bool absurd = range.physical && value > 0.0;
    report(column, absurd ? lf::kAbsurdMagnitude : lf::kOutOfRange,
           in_quotes(written) + " is outside what '" + std::string(column) + "' can be",
           "check the figure and the unit in the column's name");
    return std::nullopt;
  }
  return value;
}

double RowReader::number(std::string_view column, config::Range range) {
  if (text(column).empty()) return 0.0;
  return maybe_number(column, range).value_or(0.0);
}

std::optional<double> RowReader::maybe_price(std::string_view column, config::Range range) {
  double zero = 1.0;
  const std::string& written = cell(column).text;
  std::from_chars(written.data(), written.data() + written.size(), zero);
  if (zero == 0.0) {
    report(column, lf::kPlaceholderPrice, "a price of 0 is a placeholder, not an offer",
           "leave it empty if unknown");
    return std::nullopt;
  }
  return maybe_number(column, range);
}

double RowReader::price(std::string_view column, config::Range range) {
  if (text(column).empty()) return 0.0;
  return maybe_price(column, range).value_or(0.0);
}

std::string RowReader::maybe_date(std::string_view column) {
  const std::string& written = cell(column).text;
  if (!written.empty() && !config::is_date(written)) {
    report(column, lf::kBadDate, in_quotes(written) + " is not a date",
           "write YYYY, YYYY-MM or YYYY-MM-DD");
  }
  return written;
}

std::string RowReader::date(std::string_view column) {
  text(column);
  return maybe_date(column);
}

Provenance RowReader::provenance(std::string_view date_column) {
  Provenance provenance;
  provenance.file = table_->file;
  provenance.line = cell(date_column).position.line;
  provenance.date = date(date_column);
  const std::string source = text("source");
  if (!source.empty()) provenance.sources.push_back(source);
  if (!table_->column("kind")) {
    provenance.kind = SourceKind::kPublished;
    return provenance;
  }
  const std::string kind = text("kind");
  if (const auto found = find_source_kind(kind)) {
    provenance.kind = *found;
  } else if (!kind.empty()) {
    report("kind", lf::kUnknownWord, in_quotes(kind) + " is not a kind",
           "one of: measured, datasheet, published, assumed");
  }
  return provenance;
}

void RowReader::check_bounds(std::string_view column, double value, std::optional<double> low,
                             std::optional<double> high) {
  if (!good_ || (low.value_or(value) <= value && value <= high.value_or(value))) return;
  report(column, lf::kInconsistentFigures, "the value lies outside its own bounds",
         "low <= value <= high must hold");
}

}  // namespace loadfactor::catalog
