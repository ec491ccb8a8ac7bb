// Tables that Slurm prints, with or without a header, between marks or padded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::observe {

// The columns of a table by what they hold.
using Columns = std::map<std::string, std::size_t>;

// By their names; nothing where a row is no header.
std::optional<Columns> header_of(const std::vector<std::string_view>& cells);
// Empty where there is no such column, or the row ends before it.
std::string_view cell_of(const std::vector<std::string_view>& cells, const Columns& columns,
                         const std::string& name);
bool looks_like_hosts(std::string_view cell);
// Makes one cell again of those from the last of `width` on: a name that stands last may hold
// marks.
void join_rest(std::vector<std::string_view>& cells, std::size_t width);
// What stands between cells: a bar, a tab, or blanks.
char mark_of(std::string_view text);

// The cells of a table of jobs, line by line. In a padded table a cell may be empty.
class JobTable {
 public:
  explicit JobTable(std::string_view text);
  bool next(std::vector<std::string_view>& cells);
  // Whether a row has more cells than the header: which of them holds a mark is not known.
  bool is_too_wide(const std::vector<std::string_view>& cells) const {
    return width_ > 0 && cells.size() > width_;
  }
  // Whether the last row ends before its header does: the file was cut off there.
  bool is_cut_off(const std::vector<std::string_view>& cells) const {
    return rest_.empty() && cells.size() < width_;
  }
  // The number of the line that was read last, and the line itself.
  std::size_t line() const { return line_; }
  std::string_view text() const { return text_; }
  const std::optional<Columns>& header() const { return header_; }

 private:
  std::string_view rest_;
  std::string_view text_;
  char mark_;
  std::size_t line_ = 0;
  std::vector<std::size_t> starts_;
  std::optional<Columns> header_;
  std::size_t width_ = 0;  // Cells of the header, between marks; 0: it does not tell.
  bool is_name_last_ = false;
};

}  // namespace loadfactor::observe
