#include "catalog/load/sources_loader.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "config/number_text.h"

namespace loadfactor::catalog {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

// The cells between the bars; `\|` is a bar in the text.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back(trim(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  if (!trim(cell).empty()) cells.emplace_back(trim(cell));
  return cells;
}

bool is_rule(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of(":-") == std::string::npos;
  });
}

bool is_source_id(std::string_view id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

struct Row {
  const DataFile& file;
  std::string_view line;
  std::uint32_t number;

  Error error(int code, std::string message, std::string hint) const {
    return Error{.code = code,
                 .message = std::move(message),
                 .hint = std::move(hint),
                 .where = {file.shown_as, number, 1, 1},
                 .source_line = std::string(line.substr(0, 200))};
  }
};

// Whether the row could be read as a source.
bool check(const Row& row, const std::vector<std::string>& cells, Diagnostics& diagnostics) {
  if (cells.size() != 3) {
    diagnostics.add(row.error(lf::kRaggedRow,
                              "a source has 3 cells, not " + std::to_string(cells.size()),
                              "write '| id | document, version, page | date |'"));
    return false;
  }
  if (!is_source_id(cells[0])) {
    diagnostics.add(row.error(lf::kUnknownWord, in_quotes(cells[0]) + " is not the id of a source",
                              "use lower-case letters, digits, '-' and '.'"));
    return false;
  }
  if (cells[1].empty()) {
    diagnostics.add(row.error(lf::kMissingKey, in_quotes(cells[0]) + " names no document", ""));
    return false;
  }
  if (!config::is_date(cells[2])) {
    diagnostics.add(row.error(lf::kBadDate, in_quotes(cells[2]) + " is not a date",
                              "write YYYY, YYYY-MM or YYYY-MM-DD"));
    return false;
  }
  return true;
}

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

void load_sources(const DataFile& file, std::vector<Source>& sources, Diagnostics& diagnostics) {
  std::map<std::string, Source, std::less<>> added;
  std::string_view rest = file.text;
  bool in_table = false;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const Row row{file, next_line(rest), number};
    const std::string_view line = trim(row.line);
    const bool is_bar = !line.empty() && line.front() == '|';
    const bool is_header = is_bar && !in_table;
    in_table = is_bar;
    if (!is_bar || is_header) continue;
    const auto cells = cells_of(line);
    if (is_rule(cells) || !check(row, cells, diagnostics)) continue;
    Source source{cells[0], cells[1], cells[2], file.shown_as, number};
    if (!added.try_emplace(cells[0], std::move(source)).second) {
      diagnostics.add(row.error(lf::kDuplicateName,
                                "the source " + in_quotes(cells[0]) + " stands twice",
                                "keep one row per id"));
    }
  }
  for (auto& source : sources) added.try_emplace(source.id, std::move(source));
  sources.clear();
  for (auto& [id, source] : added) sources.push_back(std::move(source));
}

const Source* find_source(const std::vector<Source>& sources, std::string_view id) {
  const auto found = std::lower_bound(
      sources.begin(), sources.end(), id,
      [](const Source& source, std::string_view wanted) { return source.id < wanted; });
  return found == sources.end() || found->id != id ? nullptr : &*found;
}

}  // namespace loadfactor::catalog
