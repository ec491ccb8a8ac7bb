// Sheets of cells with live formulas, as plain data: whoever has a library for it writes the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/value.h"

namespace loadfactor::report {

// How a cell looks.
enum class CellForm : std::uint8_t { kText, kTitle, kHead, kMoney, kNumber, kShare, kNote };

// A text, a number or a formula with the value it has today. An input is a number to change.
struct SheetCell {
  CellForm form = CellForm::kText;
  std::string text = {};
  std::string formula = {};
  double number = 0;
  bool is_input = false;
  bool is_number = false;
};
SheetCell text_cell(std::string text, CellForm form = CellForm::kText);
SheetCell number_cell(double number, CellForm form);
SheetCell input_cell(double number, CellForm form);
// A formula without its `=`.
SheetCell formula_cell(std::string formula, double today, CellForm form);
SheetCell formula_cell(std::string formula, std::string today);

class Sheet {
 public:
  Sheet(std::string name, std::vector<double> widths)
      : name_(std::move(name)), widths_(std::move(widths)) {}

  // The row's number as a formula writes it, from 1.
  int add(std::vector<SheetCell> row);
  int rows() const { return static_cast<int>(rows_.size()); }
  // `'Ways to pay'!$B$7`.
  std::string at(char column, int row) const;
  // `'Ways to pay'!$B$7:$B$9`.
  std::string range(char column, int first, int last) const;
  Value value() const;

 private:
  std::string name_;
  std::vector<double> widths_;
  std::vector<std::vector<SheetCell>> rows_;
};

}  // namespace loadfactor::report
