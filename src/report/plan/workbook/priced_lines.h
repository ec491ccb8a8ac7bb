// The sheet of inputs, and the lines of each way to pay as quantities times prices of that sheet.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "report/plan/page/page_ways.h"
#include "report/plan/workbook/workbook.h"

namespace loadfactor::report {

// Machines that are bought: what is paid at once, and what of it a month or the run carries.
struct Purchase {
  double price = 0;
  std::string price_formula;
  double monthly = 0;
  std::string monthly_formula;
};

struct WayLines {
  std::vector<std::vector<SheetCell>> rows;
  int first = 0;  // In the sheet of ways.
  int last = 0;
  double sum = 0;  // Today.
  std::optional<Purchase> bought;
};

class BookInputs {
 public:
  // Cells of the volume, of every price and of what a purchase is spread with.
  void add_prices(const engine::PlanAnswer& answer, const PageWays& ways);
  // All that the plan rests on, as text, below.
  void add_assumptions(const engine::PlanAnswer& answer);
  // The lines of a way, to stand from a row of the sheet of ways on.
  WayLines lines_of(const PageWay& way, const PageWays& ways, int first) const;

  const Sheet& sheet() const { return sheet_; }
  // `request`, `token`, or nothing for a run.
  const std::string& unit() const { return unit_; }
  const std::string& volume() const { return volume_; }
  double volume_today() const { return volume_today_; }
  const std::string& left() const { return left_; }
  double left_today() const { return left_today_; }
  // Whole years of cash that are shown.
  int years() const { return years_; }

 private:
  // A cell that the reader may change; its place.
  std::string add_input(const std::string& name, double value, CellForm form,
                        const std::string& unit);
  void add_owning(const PageWays& ways);
  std::vector<SheetCell> line(const PageWay& way, engine::MoneyPart part, double fixed,
                              double moving, int row, double& amount) const;
  struct Price {
    std::string cell;
    double today = 1;
    std::string unit = "USD";
  };
  Price price_of(const PageWay& way, engine::MoneyPart part) const;

  Sheet sheet_{"Inputs", {44, 18, 22, 60}};
  bool is_run_ = false;
  std::string unit_, volume_, left_, charge_, electricity_, api_, people_, rents_, machines_;
  double volume_today_ = 1, here_ = 1, left_today_ = 0, charge_today_ = 1, electricity_today_ = 1,
         api_today_ = 1;
  int years_ = 3;
  std::map<OptionKind, Price> units_;  // A rented GPU-hour, or an owned GPU.
};

}  // namespace loadfactor::report
