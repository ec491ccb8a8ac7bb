// Rows of cells, as batch systems and nvidia-smi print them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::observe {

std::string_view trimmed(std::string_view text);
// Trimmed cells between marks; a blank mark takes any run of blanks.
std::vector<std::string_view> split_row(std::string_view line, char mark);
// The next line without its end.
std::string_view take_line(std::string_view& rest);
// The number at the beginning of `35 %` or `210.5 W`; nothing for `[N/A]`.
std::optional<double> leading_number(std::string_view text);
// Seconds since 1970 of `2026-11-10T10:00:00` or `2026/11/10 10:00:00.123`, taken as UTC where no
// zone is named, or of that number itself. Nothing where month and day cannot be told apart.
std::optional<double> read_stamp(std::string_view text);
// Whether numbers stand there as in a date of any order, `01/02/2026 10:00`, and no stamp.
bool looks_like_date(std::string_view text);

// A cell of a table, as errors point at it.
struct CellPlace {
  std::string file;
  std::size_t line = 0;
  std::string_view row;
  std::string_view column;  // Its name.
  std::string_view cell;    // A part of the row.
};
// That a date cannot be read, and what to write instead; `printer` is what prints it so.
Error odd_date(const CellPlace& place, std::string_view printer);

// Whether a sample can have been taken so many seconds after 1970: before the year 10000.
bool is_stamp(double seconds);
std::string lower_case(std::string_view text);

}  // namespace loadfactor::observe
