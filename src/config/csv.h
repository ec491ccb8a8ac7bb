// A CSV file as a table that remembers where every cell stood.
//
// RFC 4180 with mercy: CRLF or LF, a missing last newline, a byte-order mark, quoted fields with
// commas and line breaks. Columns are found by name. A row with more or fewer cells than the
// header is LF514; a NUL byte or broken UTF-8 is LF509; an unclosed quote is LF501.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

struct CsvCell {
  std::string text;
  Position position;
};

struct CsvTable {
  std::string file;
  std::vector<CsvCell> header;
  std::vector<std::vector<CsvCell>> rows;

  // The index of a column, or nothing.
  std::optional<std::size_t> column(std::string_view name) const;
  // An error that points at a cell, with the line's text filled in.
  Error error(int code, const CsvCell& cell, std::string message, std::string hint = {}) const;
  std::string text;  // The whole file, for error lines.
  LineIndex lines;
};

// Ragged rows are reported and left out; the rest is returned.
Result<CsvTable> parse_csv(std::string file, std::string text, Diagnostics& diagnostics,
                           const Limits& limits = {});

}  // namespace loadfactor::config
