#include "launch/vocabulary/table.h"

#include <algorithm>

#include "catalog/load/embedded_file.h"

namespace loadfactor::launch {
namespace {

std::string_view bytes_of(std::string_view path) {
  const auto files = catalog::embedded_files();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  if (found == files.end()) return {};
  return {found->begin, static_cast<std::size_t>(found->end - found->begin)};
}

// One line of CSV; a quote inside a quoted cell is doubled.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

std::vector<std::vector<std::string>> read_table(std::string_view path) {
  std::vector<std::vector<std::string>> rows;
  std::string_view rest = bytes_of("integrations/" + std::string(path));
  std::size_t width = 0;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    auto cells = cells_of(line);
    if (width == 0) {
      width = cells.size();
      continue;
    }
    cells.resize(width);
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::vector<std::string> split_cell(std::string_view cell, char mark) {
  std::vector<std::string> parts;
  while (!cell.empty()) {
    const auto end = std::min(cell.find(mark), cell.size());
    if (end > 0) parts.emplace_back(cell.substr(0, end));
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
  return parts;
}

}  // namespace loadfactor::launch
