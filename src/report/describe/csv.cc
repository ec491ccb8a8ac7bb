#include "report/describe/csv.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/text/csv_text.h"
#include "report/describe/schema_walk.h"

namespace loadfactor::report {
namespace {

using Cells = std::vector<std::string>;

// A field that has one value, or the part of a quantity.
struct CsvColumn {
  std::string path;
  std::string_view part;  // A member of a quantity; empty for a plain value.

  std::string name() const {
    return part.empty() || part == "value" ? path : path + "." + std::string(part);
  }
};

bool is_in_list(const std::string& path) {
  return path.find("[]") != std::string::npos || path.find('*') != std::string::npos;
}

std::vector<CsvColumn> columns_of(const Value& schema) {
  std::vector<CsvColumn> columns;
  visit_fields(schema, [&](const std::string& path, const Value& field) {
    if (!has_one_value(field) || is_in_list(path)) return;
    if (!is_quantity(present(field))) {
      columns.push_back({path, ""});
      return;
    }
    for (const char* part : {"value", "low", "high"}) columns.push_back({path, part});
    if (unit_of(field).empty()) columns.push_back({path, "unit"});
  });
  return columns;
}

// What stands at a path; nothing where the answer does not have it.
const Value* at_path(const Value& value, std::string_view path) {
  const Value* here = &value;
  while (here != nullptr && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    here = here->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return here;
}

// Spreadsheets compute a text that begins like a formula, and names are anybody's choice: a quote
// before it keeps it a text.
std::string cell_text(const Value& value) {
  const std::string* text = value.text();
  if (text == nullptr || text->empty()) return leaf_text(value);
  const bool is_formula =
      std::string_view("=+-@\t\r").find(text->front()) != std::string_view::npos;
  return is_formula && text->size() > 1 ? "'" + *text : *text;
}

std::string cell_of(const Value& item, const CsvColumn& column) {
  const Value* value = at_path(item, column.path);
  if (value != nullptr && !column.part.empty()) value = value->find(column.part);
  return value == nullptr ? "" : cell_text(*value);
}

void add_cells(const Value& item, const std::vector<CsvColumn>& columns, Cells& cells) {
  for (const CsvColumn& column : columns) cells.push_back(cell_of(item, column));
}

// One list on the way to the last one.
struct Level {
  std::string path;  // From the item of the list above, or from the answer.
  std::vector<CsvColumn> columns;
};

// Cuts a path at the lists that it goes through.
std::vector<Level> levels_of(const Value& schema, std::string_view path) {
  std::vector<Level> levels;
  std::string inner;
  const Value* here = &schema;
  while (here != nullptr && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    inner += (inner.empty() ? "" : ".") + std::string(path.substr(0, dot));
    here = find_field(*here, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
    const Value* items = here == nullptr ? nullptr : present(*here).find("items");
    if (items == nullptr) continue;
    levels.push_back({std::exchange(inner, ""), columns_of(*items)});
    here = items;
  }
  return levels;
}

void add_rows(const Value& value, std::span<const Level> levels, const Cells& before,
              std::string& text) {
  const Value* list = at_path(value, levels.front().path);
  if (list == nullptr || list->list() == nullptr) return;
  for (const Value& item : *list->list()) {
    Cells cells = before;
    add_cells(item, levels.front().columns, cells);
    if (levels.size() == 1)
      text += csv_line(cells);
    else
      add_rows(item, levels.subspan(1), cells, text);
  }
}

}  // namespace

std::string csv_list(const Value& schema, const Value& answer, std::string_view path) {
  const std::vector<Level> levels = levels_of(schema, path);
  if (levels.empty()) return {};
  Cells names;
  for (const Level& level : levels) {
    const bool is_last = &level == &levels.back();
    for (const CsvColumn& column : level.columns)
      names.push_back(is_last ? column.name() : level.path + "." + column.name());
  }
  std::string text = csv_line(names);
  add_rows(answer, levels, {}, text);
  return text;
}

std::string csv_fields(const Value& schema, const Value& answer) {
  std::string text = csv_line({"field", "value", "low", "high", "unit", "basis", "source"});
  visit_fields(schema, [&](const std::string& path, const Value& field) {
    const Value* value =
        has_one_value(field) && !is_in_list(path) ? at_path(answer, path) : nullptr;
    if (value == nullptr || value->is_null()) return;
    if (!is_quantity(present(field))) {
      text += csv_line({path, cell_text(*value), "", "", unit_of(field), "", ""});
      return;
    }
    Cells cells{path};
    for (const char* part : {"value", "low", "high", "unit", "basis", "source"})
      cells.push_back(leaf_text(*value->find(part)));
    text += csv_line(cells);
  });
  return text;
}

}  // namespace loadfactor::report
