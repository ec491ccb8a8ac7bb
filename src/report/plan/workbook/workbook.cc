#include "report/plan/workbook/workbook.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace loadfactor::report {
namespace {

constexpr std::array<std::string_view, 7> kForms{"text",   "title", "head", "money",
                                                 "number", "share", "note"};

Value value_of(const SheetCell& cell) {
  Value::Object made{{"form", kForms[static_cast<std::size_t>(cell.form)]}};
  if (!cell.formula.empty()) made.push_back({"formula", cell.formula});
  if (cell.is_number)
    made.push_back({"number", cell.number});
  else
    made.push_back({"text", cell.text});
  if (cell.is_input) made.push_back({"input", true});
  return made;
}

}  // namespace

SheetCell text_cell(std::string text, CellForm form) {
  return {.form = form, .text = std::move(text)};
}
SheetCell number_cell(double number, CellForm form) {
  return {.form = form, .number = number, .is_number = true};
}
SheetCell input_cell(double number, CellForm form) {
  return {.form = form, .number = number, .is_input = true, .is_number = true};
}
SheetCell formula_cell(std::string formula, double today, CellForm form) {
  return {.form = form, .formula = std::move(formula), .number = today, .is_number = true};
}
SheetCell formula_cell(std::string formula, std::string today) {
  return {.text = std::move(today), .formula = std::move(formula)};
}

int Sheet::add(std::vector<SheetCell> row) {
  rows_.push_back(std::move(row));
  return rows();
}

std::string Sheet::at(char column, int row) const {
  return fmt::format("'{}'!${}${}", name_, column, row);
}

std::string Sheet::range(char column, int first, int last) const {
  return fmt::format("{}:${}${}", at(column, first), column, last);
}

Value Sheet::value() const {
  Value::List rows;
  for (const auto& row : rows_) {
    Value::List cells;
    for (const SheetCell& cell : row) cells.push_back(value_of(cell));
    rows.push_back(std::move(cells));
  }
  return Value::Object{{"name", name_},
                       {"widths", Value::List(widths_.begin(), widths_.end())},
                       {"rows", std::move(rows)}};
}

}  // namespace loadfactor::report
