#include "demand/read/csv_rows.h"

#include <algorithm>

namespace loadfactor::demand {

// Reads the quoted cell that begins at `at` and returns where it ends: on a delimiter, a line
// break or the end of the text.
std::size_t CsvRows::read_quoted(std::string_view text, std::size_t at, bool is_last) {
  const std::size_t first = at + 1;
  std::size_t end = first;
  bool has_doubled = false;
  for (;; ++end) {
    end = text.find('"', end);
    if (end == std::string_view::npos) {
      is_broken_ = true;
      is_incomplete_ = !is_last;
      cells_.push_back(text.substr(first));
      return text.size();
    }
    if (end + 1 >= text.size() || text[end + 1] != '"') break;
    has_doubled = true;
    ++end;
  }
  std::string_view cell = text.substr(first, end - first);
  lines_ += static_cast<std::size_t>(std::count(cell.begin(), cell.end(), '\n'));
  if (has_doubled) {
    std::string& copy = copies_.emplace_back();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      copy += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = copy;
  }
  cells_.push_back(cell);
  ++end;
  while (end < text.size() && text[end] != delimiter_ && text[end] != '\n') ++end;
  return end;
}

std::size_t CsvRows::read(std::string_view text, bool is_last) {
  cells_.clear();
  copies_.clear();
  is_broken_ = false;
  is_incomplete_ = false;
  is_too_wide_ = false;
  lines_ = 1;
  const char* const begin = text.data();
  const std::size_t size = text.size();
  std::size_t at = 0;
  while (true) {
    is_too_wide_ = cells_.size() >= kMostCells;
    if (is_too_wide_) return 0;
    if (at < size && begin[at] == '"') {
      at = read_quoted(text, at, is_last);
    } else {
      const std::size_t first = at;
      while (at < size && begin[at] != delimiter_ && begin[at] != '\n') ++at;
      std::size_t end = at;
      if (end > first && begin[end - 1] == '\r' && (at == size || begin[at] == '\n')) --end;
      cells_.emplace_back(begin + first, end - first);
    }
    if (at >= size) {
      if (!is_last || is_incomplete_) return 0;
      break;
    }
    if (begin[at++] == '\n') break;
  }
  if (cells_.size() == 1 && cells_.front().empty()) cells_.clear();
  return at;
}

char guess_delimiter(std::string_view header) {
  const std::string_view line = header.substr(0, header.find('\n'));
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', '|', '\t', ';'}) {
    const auto count = std::count(line.begin(), line.end(), candidate);
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

}  // namespace loadfactor::demand
