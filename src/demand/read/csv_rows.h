// Splits delimited text into rows of cells, fast enough for millions of them.
//
// Cells are views into the block, except quoted ones that hold doubled quotes, which are copied.
// LF and CRLF, a missing last newline and a byte-order mark are all right.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::demand {

class CsvRows {
 public:
  static constexpr std::size_t kMostCells = 16'384;  // Columns of the widest sheets people make.

  explicit CsvRows(char delimiter) : delimiter_(delimiter) {}

  // Reads the row at the front of `text` into cells() and returns its size with the line break;
  // 0 if it is not complete and `is_last` does not say that nothing follows.
  std::size_t read(std::string_view text, bool is_last);

  // Cells of the last row. A blank line has no cells.
  const std::vector<std::string_view>& cells() const { return cells_; }
  // Whether the row at the front has more cells than any table has; it is not read.
  bool is_too_wide() const { return is_too_wide_; }
  // Whether the last row ended inside a quoted cell.
  bool is_broken() const { return is_broken_; }
  // Line breaks within the last row, its own included.
  std::size_t lines() const { return lines_; }

 private:
  std::size_t read_quoted(std::string_view text, std::size_t at, bool is_last);

  char delimiter_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> copies_;
  bool is_broken_ = false;
  bool is_incomplete_ = false;
  bool is_too_wide_ = false;
  std::size_t lines_ = 1;
};

// The delimiter a header line uses: tab, semicolon, bar or comma.
char guess_delimiter(std::string_view header);

}  // namespace loadfactor::demand
