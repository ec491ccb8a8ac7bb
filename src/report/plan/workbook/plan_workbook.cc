#include "report/plan/workbook/plan_workbook.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/describe/tree.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_ways.h"
#include "report/plan/page/plan_page.h"
#include "report/plan/plan_words.h"
#include "report/plan/workbook/priced_lines.h"
#include "report/plan/workbook/workbook.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

// One way to pay in the table of ways.
struct WayRow {
  std::string name;
  int row = 0;      // In the sheet of ways.
  double cost = 0;  // Today.
  WayLines lines;   // That it is the sum of.
  const PageWay* way = nullptr;
};

class PlanBook {
 public:
  PlanBook(const PlanAnswer& answer, const std::string& file)
      : answer_(answer), ways_(answer), page_(plan_page_data(answer, file)) {}

  Value value() {
    const bool is_feasible = !ways_.all().empty();
    if (is_feasible) {
      inputs_.add_prices(answer_, ways_);
      add_ways();
      add_cash();
    }
    add_answer(is_feasible);
    inputs_.add_assumptions(answer_);
    Value::List sheets{answer_sheet_.value()};
    if (is_feasible) sheets.push_back(ways_sheet_.value());
    sheets.push_back(inputs_.sheet().value());
    if (is_feasible) sheets.push_back(cash_.value());
    return Value::Object{{"sheets", std::move(sheets)}};
  }

 private:
  std::string per() const { return answer_.is_training ? "USD for the run" : "USD a month"; }

  // The table first, then the lines that its rows are sums of.
  void add_ways() {
    ways_sheet_.add({text_cell("Ways to pay, each the sum of its lines below", CellForm::kTitle)});
    ways_sheet_.add({text_cell("way to pay", CellForm::kHead),
                     text_cell("you have", CellForm::kHead), text_cell(per(), CellForm::kHead),
                     text_cell("more than the best", CellForm::kHead),
                     text_cell(answer_.is_training ? "" : "carries up to", CellForm::kHead),
                     text_cell(answer_.is_training ? "" : "carries the traffic", CellForm::kHead)});
    first_ = ways_sheet_.rows() + 1;
    last_ = ways_sheet_.rows() + static_cast<int>(ways_.all().size());
    std::vector<std::vector<SheetCell>> lines;
    int next = last_ + 3 + other_rows();
    for (const PageWay& way : ways_.all()) {
      WayLines made = inputs_.lines_of(way, ways_, next);
      next += static_cast<int>(made.rows.size());
      add_way(way, made);
      for (auto& row : made.rows) lines.push_back(std::move(row));
    }
    add_others();
    ways_sheet_.add({});
    ways_sheet_.add({text_cell("way to pay", CellForm::kHead), text_cell("line", CellForm::kHead),
                     text_cell("quantity", CellForm::kHead),
                     text_cell(answer_.is_training ? "more, by the share of their life"
                                                   : "more, for each " + inputs_.unit(),
                               CellForm::kHead),
                     text_cell("unit", CellForm::kHead), text_cell("price", CellForm::kHead),
                     text_cell(per(), CellForm::kHead)});
    for (auto& row : lines) ways_sheet_.add(std::move(row));
  }

  void add_way(const PageWay& way, const WayLines& lines) {
    const std::string costs = ways_sheet_.range('C', first_, last_);
    const int row = ways_sheet_.rows() + 1;
    const double least = ways_.all().front().option->amount.base();
    std::vector<SheetCell> cells{
        text_cell(std::string(way.words.name)), text_cell(words_of(way.option->machines())),
        formula_cell(fmt::format("SUM({})", ways_sheet_.range('G', lines.first, lines.last)),
                     lines.sum, CellForm::kMoney),
        formula_cell(fmt::format("{}-MIN({})", ways_sheet_.at('C', row), costs), lines.sum - least,
                     CellForm::kMoney)};
    const double here = ways_.has_steps() ? ways_.table().here : 1;
    if (const auto* step = way.step_at(here); step != nullptr && !answer_.is_training) {
      cells.push_back(number_cell(step->to * inputs_.volume_today(), CellForm::kNumber));
      cells.push_back(formula_cell(fmt::format("IF({}<={},\"yes\",\"no: plan anew\")",
                                               inputs_.volume(), ways_sheet_.at('E', row)),
                                   "yes"));
    }
    rows_.push_back({.name = std::string(way.words.name),
                     .row = ways_sheet_.add(std::move(cells)),
                     .cost = lines.sum,
                     .lines = lines,
                     .way = &way});
  }

  int other_rows() const {
    return ways_.others().empty() ? 0 : static_cast<int>(ways_.others().size()) + 2;
  }

  // Amounts as they were planned: these follow no input.
  void add_others() {
    if (ways_.others().empty()) return;
    ways_sheet_.add({});
    ways_sheet_.add({text_cell("other machines and mixes", CellForm::kHead),
                     text_cell("you have", CellForm::kHead),
                     text_cell(per() + ", as planned", CellForm::kHead)});
    for (const engine::PlanOption* option : ways_.others())
      ways_sheet_.add(
          {text_cell(std::string(words_of(option->cost.kind, answer_.is_training).name)),
           text_cell(words_of(option->machines())),
           number_cell(option->amount.base(), CellForm::kMoney)});
  }

  void add_answer(bool is_feasible) {
    answer_sheet_.add({text_cell(answer_.scenario, CellForm::kTitle)});
    answer_sheet_.add({text_cell(plan_title(answer_))});
    answer_sheet_.add({text_cell("The plan says"), text_cell(*page_.find("decision")->text())});
    answer_sheet_.add({text_cell("In full"), text_cell(plan_verdict(answer_))});
    if (!is_feasible) return;
    const std::string costs = ways_sheet_.range('C', first_, last_);
    const std::string names = ways_sheet_.range('A', first_, last_);
    answer_sheet_.add({});
    answer_sheet_.add({text_cell("With the inputs of this workbook", CellForm::kHead)});
    const int best = answer_sheet_.add(
        {text_cell("Cheapest way to pay"),
         formula_cell(fmt::format("INDEX({},MATCH(MIN({}),{},0))", names, costs, costs),
                      rows_.front().name)});
    answer_sheet_.add({text_cell("You pay, " + per()),
                       formula_cell(fmt::format("MIN({})", costs), least(0), CellForm::kMoney)});
    if (rows_.size() > 1)
      answer_sheet_.add({text_cell("You save against the next best way"),
                         formula_cell(fmt::format("SMALL({},2)-SMALL({},1)", costs, costs),
                                      least(1) - least(0), CellForm::kMoney)});
    answer_sheet_.add(
        {text_cell("The same way as planned"),
         formula_cell(fmt::format("IF({}={},\"yes\",\"no: your inputs change it\")",
                                  answer_sheet_.at('B', best), ways_sheet_.at('A', first_)),
                      "yes")});
    answer_sheet_.add(
        {text_cell("Cells in blue on the sheet Inputs can be changed; a new plan is "
                   "exact where the number of machines changes.",
                   CellForm::kNote)});
  }

  double least(std::size_t place) const {
    std::vector<double> costs;
    for (const WayRow& row : rows_) costs.push_back(row.cost);
    std::sort(costs.begin(), costs.end());
    return costs[place];
  }

  // Payments by year: purchases before the first one, what is left of them behind the last one.
  void add_cash() {
    if (answer_.is_training) return add_run_cash();
    const int years = inputs_.years();
    std::vector<SheetCell> head{text_cell("USD, paid", CellForm::kHead),
                                text_cell("at once", CellForm::kHead)};
    for (int year = 1; year <= years; ++year)
      head.push_back(text_cell(fmt::format("year {}", year), CellForm::kHead));
    head.push_back(text_cell("together", CellForm::kHead));
    cash_.add({text_cell("Cash by year, at today’s prices and traffic", CellForm::kTitle)});
    cash_.add(std::move(head));
    for (const WayRow& row : rows_) add_cash_row(row, years);
    cash_.add(
        {text_cell("A purchase is paid at once; its value at the end comes off the last year.",
                   CellForm::kNote)});
  }

  void add_cash_row(const WayRow& row, int years) {
    constexpr double kMonths = 12;
    const int at = cash_.rows() + 1;
    const std::string month = ways_sheet_.at('C', row.row);
    const auto& bought = row.lines.bought;
    const double running = row.lines.sum - (bought ? bought->monthly : 0);
    const double paid = bought ? bought->price : 0;
    std::vector<SheetCell> cells{
        text_cell(row.name), bought ? formula_cell(bought->price_formula, paid, CellForm::kMoney)
                                    : number_cell(0, CellForm::kMoney)};
    const std::string running_formula =
        bought ? fmt::format("12*({}-{})", month, bought->monthly_formula)
               : fmt::format("12*{}", month);
    double sum = paid;
    for (int year = 1; year <= years; ++year) {
      const bool is_last = year == years && bought;
      const double amount = kMonths * running - (is_last ? paid * inputs_.left_today() : 0);
      sum += amount;
      cells.push_back(formula_cell(
          is_last ? fmt::format("{}-{}*{}", running_formula, cash_.at('B', at), inputs_.left())
                  : running_formula,
          amount, CellForm::kMoney));
    }
    const char end = static_cast<char>('B' + years);
    cells.push_back(formula_cell(fmt::format("SUM({}:${}${})", cash_.at('B', at), end, at), sum,
                                 CellForm::kMoney));
    cash_.add(std::move(cells));
  }

  void add_run_cash() {
    cash_.add({text_cell("Cash of the run", CellForm::kTitle)});
    cash_.add({text_cell("way to pay", CellForm::kHead), text_cell("for the run", CellForm::kHead),
               text_cell("paid at once", CellForm::kHead)});
    for (const WayRow& row : rows_) {
      const auto& bought = row.lines.bought;
      cash_.add({text_cell(row.name),
                 formula_cell(ways_sheet_.at('C', row.row), row.cost, CellForm::kMoney),
                 bought ? formula_cell(bought->price_formula, bought->price, CellForm::kMoney)
                        : number_cell(0, CellForm::kMoney)});
    }
    cash_.add(
        {text_cell("The run carries the part of a purchase that its share of the machines’ "
                   "life makes; the rest is for what they do after it.",
                   CellForm::kNote)});
  }

  const PlanAnswer& answer_;
  const PageWays ways_;
  const Value page_;
  BookInputs inputs_;
  std::vector<WayRow> rows_;
  int first_ = 0;
  int last_ = 0;
  Sheet answer_sheet_{"Answer", {38, 70}};
  Sheet ways_sheet_{"Ways to pay", {26, 34, 18, 22, 16, 18, 18}};
  Sheet cash_{"Cash", {26, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16}};
};

}  // namespace

std::string plan_workbook(const PlanAnswer& answer, const std::string& file) {
  return print_compact_json(PlanBook(answer, file).value());
}

}  // namespace loadfactor::report
