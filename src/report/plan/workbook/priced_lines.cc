#include "report/plan/workbook/priced_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"

namespace loadfactor::report {
namespace {

using engine::MoneyPart;

constexpr double kNothing = 1e-9;
constexpr double kKwh = 3.6e6;
constexpr int kMostYears = 8;
constexpr std::array<std::string_view, engine::kNumMoneyParts> kLineNames{
    "Purchase", "Maintenance and insurance", "Rent", "Electricity", "People", "Tokens", "All else"};

// What a month carries of a purchase of 1: its price less what is left, repaid with interest.
double charge_of(double years, double interest, double left) {
  const double recovery =
      interest == 0 ? 1 / years : interest / (1 - std::pow(1 + interest, -years));
  return (1 - left * std::pow(1 + interest, -years)) * recovery / 12;
}

}  // namespace

std::string BookInputs::add_input(const std::string& name, double value, CellForm form,
                                  const std::string& unit) {
  const int row = sheet_.add({text_cell(name), input_cell(value, form), text_cell(unit)});
  return sheet_.at('B', row);
}

void BookInputs::add_owning(const PageWays& ways) {
  const auto& own = *ways.table().own;
  years_ = std::clamp(static_cast<int>(std::ceil(own.years - kNothing)), 1, kMostYears);
  left_today_ = own.left;
  const std::string life = add_input("Life of the machines", own.years, CellForm::kNumber, "years");
  const std::string interest = add_input("Interest", own.interest, CellForm::kShare, "a year");
  left_ = add_input("Value left at the end", own.left, CellForm::kShare, "of the price");
  charge_today_ = charge_of(own.years, own.interest, own.left);
  const int row = sheet_.add(
      {text_cell("A month of a purchase"),
       formula_cell(fmt::format("(1-{2}*(1+{1})^-{0})*IF({1}=0,1/{0},{1}/(1-(1+{1})^-{0}))/12",
                                life, interest, left_),
                    charge_today_, CellForm::kNumber),
       text_cell("of the price")});
  charge_ = sheet_.at('B', row);
  electricity_today_ = own.electricity.base() * kKwh;
  if (electricity_today_ > 0)
    electricity_ = add_input("Electricity", electricity_today_, CellForm::kMoney, "USD/kWh");
}

void BookInputs::add_prices(const engine::PlanAnswer& answer, const PageWays& ways) {
  is_run_ = answer.is_training;
  sheet_.add({text_cell("Inputs: change a blue cell and every total follows", CellForm::kTitle)});
  sheet_.add({text_cell("input", CellForm::kHead), text_cell("value", CellForm::kHead),
              text_cell("unit", CellForm::kHead)});
  if (!ways.has_steps()) return;
  const auto& table = ways.table();
  here_ = table.here;
  const bool has_requests = answer.rate > Hertz();
  unit_ = is_run_ ? "" : has_requests ? "request" : "token";
  volume_today_ = is_run_ ? table.here : has_requests ? answer.rate * kMonth : table.tokens.base();
  volume_ = is_run_ ? add_input("Share of their life in which the machines work", volume_today_,
                                CellForm::kShare, "of their life")
                    : add_input(has_requests ? "Requests a month" : "Tokens a month", volume_today_,
                                CellForm::kNumber, unit_ + "s");
  if (table.own) add_owning(ways);
  if (table.api) {
    api_today_ = table.api->base();
    api_ = add_input("Tokens of the API", api_today_, CellForm::kMoney, "USD/M tokens");
  }
  for (const PageWay& way : ways.all()) {
    const auto* step = way.steps != nullptr ? way.step_at(table.here) : nullptr;
    if (step == nullptr || !step->unit || *step->unit <= Dollars()) continue;
    const bool is_own = way.kind == OptionKind::kOwn;
    const std::string unit = is_own ? "USD/GPU" : "USD/GPU-hour";
    const std::string name = fmt::format("{}: {} {}", way.words.name,
                                         is_own ? "one" : "an hour of one", step->accelerator);
    units_[way.kind] = {add_input(name, step->unit->base(), CellForm::kMoney, unit),
                        step->unit->base(), is_own ? "GPUs" : "GPU-hours"};
  }
  people_ = add_input("People, times today’s", 1, CellForm::kNumber, "times");
  rents_ = add_input("Rents inside mixes, times today’s", 1, CellForm::kNumber, "times");
  machines_ =
      add_input("Price of machines inside mixes, times today’s", 1, CellForm::kNumber, "times");
}

void BookInputs::add_assumptions(const engine::PlanAnswer& answer) {
  if (answer.assumptions.empty()) return;
  sheet_.add({});
  sheet_.add({text_cell("All that the plan rests on", CellForm::kHead),
              text_cell("value", CellForm::kHead), text_cell("basis", CellForm::kHead),
              text_cell("from", CellForm::kHead)});
  for (const auto& each : answer.assumptions)
    sheet_.add({text_cell(each.what), text_cell(each.value), text_cell(each.basis),
                text_cell(each.date.empty() ? each.source : each.source + ", " + each.date)});
}

// What a quantity of this part is multiplied with; quantities are the money over its value today.
BookInputs::Price BookInputs::price_of(const PageWay& way, MoneyPart part) const {
  const auto unit = units_.find(way.kind);
  const bool has_unit = unit != units_.end();
  switch (part) {
    case MoneyPart::kPrice:
      if (charge_.empty()) break;
      if (has_unit && way.kind == OptionKind::kOwn)
        return {fmt::format("{}*{}", unit->second.cell, charge_),
                unit->second.today * charge_today_, "GPUs"};
      return {fmt::format("{}*{}", machines_, charge_), charge_today_, "USD of machines"};
    case MoneyPart::kUpkeep:
      if (has_unit && way.kind == OptionKind::kOwn)
        return {unit->second.cell, unit->second.today, "times the price of a GPU"};
      return {machines_, 1, "USD"};
    case MoneyPart::kRent:
      if (has_unit && way.kind != OptionKind::kOwn) return unit->second;
      return {rents_, 1, "USD"};
    case MoneyPart::kPower:
      if (!electricity_.empty()) return {electricity_, electricity_today_, "kWh"};
      break;
    case MoneyPart::kPeople:
      return {people_, 1, "USD"};
    case MoneyPart::kApi:
      if (!api_.empty()) return {api_, api_today_, "M tokens"};
      break;
    case MoneyPart::kOther:
      break;
  }
  return {"1", 1, "USD"};
}

// Quantity, what comes with each unit of the volume, price, and the money of both.
std::vector<SheetCell> BookInputs::line(const PageWay& way, MoneyPart part, double fixed,
                                        double moving, int row, double& amount) const {
  const Price price = price_of(way, part);
  const double quantity = fixed / price.today;
  const double each = moving / price.today / (is_run_ ? 1.0 : volume_today_);
  const double more = is_run_ ? each / volume_today_ : each * volume_today_;
  amount = (quantity + more) * price.today;
  const char* sign = is_run_ ? "/" : "*";
  return {text_cell(std::string(way.words.name)),
          text_cell(std::string(kLineNames[static_cast<std::size_t>(part)])),
          input_cell(quantity, CellForm::kNumber),
          input_cell(each, CellForm::kNumber),
          text_cell(price.unit),
          formula_cell(price.cell, price.today, CellForm::kNumber),
          volume_.empty() ? formula_cell(fmt::format("C{0}*F{0}", row), amount, CellForm::kMoney)
                          : formula_cell(fmt::format("(C{0}+D{0}{1}{2})*F{0}", row, sign, volume_),
                                         amount, CellForm::kMoney)};
}

WayLines BookInputs::lines_of(const PageWay& way, const PageWays& ways, int first) const {
  WayLines made{.first = first};
  const auto* step = way.steps != nullptr ? way.step_at(ways.table().here) : nullptr;
  const auto add = [&](MoneyPart part, double fixed, double moving) {
    if (std::abs(fixed) + std::abs(moving) <= kNothing) return;
    const int row = first + static_cast<int>(made.rows.size());
    double amount = 0;
    made.rows.push_back(line(way, part, fixed, moving, row, amount));
    made.sum += amount;
    const auto unit = units_.find(way.kind);
    if (part != MoneyPart::kPrice || way.kind != OptionKind::kOwn || unit == units_.end()) return;
    const double gpus = step->gpus;
    made.bought = Purchase{.price = gpus * unit->second.today,
                           .price_formula = fmt::format("{}*{}", gpus, unit->second.cell),
                           .monthly = amount,
                           .monthly_formula = fmt::format("'Ways to pay'!$G${}", row)};
  };
  if (step == nullptr) {
    add(MoneyPart::kOther, way.option->amount.base(), 0);
  } else {
    for (std::size_t i = 0; i < engine::kNumMoneyParts; ++i)
      add(static_cast<MoneyPart>(i), step->fixed[i].base() * way.scale,
          step->moving[i].base() * way.scale * (is_run_ ? 1.0 : here_));
  }
  if (made.rows.empty()) made.rows.push_back(line(way, MoneyPart::kOther, 0, 0, first, made.sum));
  made.last = first + static_cast<int>(made.rows.size()) - 1;
  return made;
}

}  // namespace loadfactor::report
