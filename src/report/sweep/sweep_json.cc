// The report of a sweep for programs: what the text shows, as JSON.
#include <variant>

#include "loadfactor/value.h"
#include "report/describe/tree.h"
#include "report/sweep/sweep_report.h"
#include "report/sweep/sweep_words.h"

namespace loadfactor::report {
namespace {

using sweep::Look;
using sweep::LookRow;

Value cell_value(const sweep::CellValue& cell) {
  return std::visit(
      [](const auto& value) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return {};
        else
          return value;
      },
      cell);
}

const std::string& name_at(const Look& look, std::size_t column) {
  return look.identity.columns[column].name;
}

Value row_value(const Look& look, const LookRow& row) {
  Value::Object cells;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    cells.emplace_back(name_at(look, i), cell_value(row.cells[i]));
  Value::Object out{{"case", row.number}, {"values", std::move(cells)}};
  if (row.cases() > 1) {
    Value::List alike;
    for (const std::int64_t number : row.alike) alike.emplace_back(number);
    out.emplace_back("alike", std::move(alike));
    out.emplace_back("cases_alike", row.cases() - 1);
  }
  return out;
}

Value rows_value(const Look& look, const std::vector<LookRow>& rows) {
  Value::List out;
  for (const LookRow& row : rows) out.push_back(row_value(look, row));
  return out;
}

Value aim_value(const Look& look, const sweep::Aim& aim) {
  return Value::Object{{"figure", name_at(look, aim.column)},
                       {"better", aim.is_more_better ? "more" : "less"}};
}

Value front_value(const Look& look, const sweep::Front& front) {
  Value::List aims;
  for (const sweep::Aim& aim : front.aims) aims.push_back(aim_value(look, aim));
  return Value::Object{{"aims", std::move(aims)},
                       {"cases", front.cases()},
                       {"beaten", front.beaten},
                       {"rows", rows_value(look, front.front)}};
}

Value map_value(const Look& look, const sweep::PhaseMap& map) {
  const auto& x = look.axes[map.x];
  const auto& y = look.axes[map.y];
  Value::List panels;
  for (const auto& panel : map.panels) {
    Value::List cells;
    for (const auto& cell : panel.cells) {
      Value::Object one{{"x", x.labels[cell.x]},
                        {"y", y.labels[cell.y]},
                        {"x_value", cell_value(x.values[cell.x])},
                        {"y_value", cell_value(y.values[cell.y])},
                        {"shows", cell.word.empty() ? Value(cell.number) : cell.word},
                        {"cases", cell.cases},
                        {"share", cell.share}};
      if (cell.word.empty()) one.emplace_back("mean_of", cell.numbers);
      Value::List tied;
      for (const std::string& word : cell.tied) tied.emplace_back(word);
      if (!cell.tied.empty()) one.emplace_back("tied", std::move(tied));
      cells.emplace_back(std::move(one));
    }
    panels.emplace_back(Value::Object{{"name", panel.name}, {"cells", std::move(cells)}});
  }
  return Value::Object{{"x", name_at(look, x.column)},
                       {"y", name_at(look, y.column)},
                       {"shows", map.shows ? name_at(look, *map.shows) : "status"},
                       {"panels", std::move(panels)},
                       {"panels_left_out", map.panels_left_out}};
}

Value influences_value(const Look& look) {
  Value::List out;
  for (const sweep::Influence& influence : look.influences) {
    Value::List axes;
    for (std::size_t i = 0; i < influence.over.size(); ++i)
      axes.emplace_back(Value::Object{{"axis", name_at(look, influence.over[i])},
                                      {"first", influence.indices.of[i].first},
                                      {"total", influence.indices.of[i].total},
                                      {"first_error", influence.indices.of[i].first_error},
                                      {"total_error", influence.indices.of[i].total_error}});
    Value::Object one{{"figure", name_at(look, influence.figure)},
                      {"rows", static_cast<std::int64_t>(influence.indices.rows)},
                      {"axes", std::move(axes)}};
    if (influence.slice) one.emplace_back("slice", row_value(look, *influence.slice));
    out.emplace_back(std::move(one));
  }
  return out;
}

Value failures_value(const Look& look) {
  Value::List out;
  for (const sweep::FailedCases& failed : look.failures)
    out.emplace_back(
        Value::Object{{"cases", failed.count},
                      {"status", std::string(sweep::name_of(failed.status))},
                      {"code", failed.code > 0 ? Value(sweep_code_words(failed)) : Value()},
                      {"reason", failed.reason},
                      {"example", failed.example}});
  return out;
}

Value columns_value(const Look& look) {
  Value::List out;
  for (const sweep::ResultColumn& column : look.identity.columns)
    out.emplace_back(
        Value::Object{{"name", column.name},
                      {"kind", column.kind == sweep::ColumnKind::kAxis ? "axis" : "figure"},
                      {"unit", column.unit},
                      {"meaning", column.meaning}});
  return out;
}

}  // namespace

std::string sweep_json(const Look& look) {
  const sweep::Tally& tally = look.tally;
  Value::Object out{{"sweep", look.identity.name},
                    {"verdict", sweep_verdict(look)},
                    {"version", look.identity.version},
                    {"cases", look.identity.cases},
                    {"counting", look.counting ? Value(*look.counting) : Value()},
                    {"done", tally.done},
                    {"answers", tally.answers},
                    {"no", tally.no},
                    {"infeasible", tally.infeasible},
                    {"errors", tally.errors},
                    {"columns", columns_value(look)}};
  if (look.goal) out.emplace_back("goal", aim_value(look, *look.goal));
  out.emplace_back("best", rows_value(look, look.best));
  out.emplace_back("as_good_as_best", look.as_good);
  Value::List words;
  for (const std::size_t column : look.not_numbers) words.emplace_back(name_at(look, column));
  out.emplace_back("aims_that_are_words", std::move(words));
  if (look.front) out.emplace_back("front", front_value(look, *look.front));
  if (look.phase) out.emplace_back("map", map_value(look, *look.phase));
  out.emplace_back("indices", influences_value(look));
  out.emplace_back("slices_left_out", look.slices_left_out);
  out.emplace_back("cases_without_figure", look.without_figure);
  out.emplace_back("sample_cases_open", look.sample_open);
  Value::List idle;
  for (const std::size_t column : look.idle) idle.emplace_back(name_at(look, column));
  out.emplace_back("idle_axes", std::move(idle));
  out.emplace_back("failures", failures_value(look));
  return print_json(out) + "\n";
}

}  // namespace loadfactor::report
