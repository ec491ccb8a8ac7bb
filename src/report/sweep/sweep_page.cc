// The page of a sweep: web/sweep.html, filled.
#include <algorithm>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "loadfactor/version.h"
#include "report/page/page_html.h"
#include "report/page/page_words.h"
#include "report/sweep/sweep_charts.h"
#include "report/sweep/sweep_report.h"
#include "report/sweep/sweep_words.h"

namespace loadfactor::report {
namespace {

using sweep::Look;
using sweep::LookRow;

constexpr std::size_t kMostFrontRows = 30;

Value cases_table(const Look& look, const std::vector<LookRow>& rows, std::size_t most) {
  const auto shown = sweep_table_columns(look);
  Value::List columns;
  for (const std::size_t column : shown) {
    const bool is_word =
        !rows.empty() && std::holds_alternative<std::string>(rows.front().cells[column]);
    columns.emplace_back(Value::Object{{"name", sweep_column_words(look.identity.columns[column])},
                                       {"tone", is_word ? "" : "n"}});
  }
  Value::List lines;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    Value::List cells;
    for (const std::size_t column : shown) {
      const bool is_word = std::holds_alternative<std::string>(rows[i].cells[column]);
      cells.emplace_back(
          Value::Object{{"text", sweep_cell_text(look, rows[i], column)},
                        {"tone", is_word ? "" : "n"},
                        {"name", sweep_column_words(look.identity.columns[column])}});
    }
    lines.emplace_back(
        Value::Object{{"number", sweep_number_words(rows[i])}, {"cells", std::move(cells)}});
  }
  const std::size_t more = rows.size() - std::min(most, rows.size());
  return Value::Object{
      {"columns", std::move(columns)},
      {"rows", std::move(lines)},
      {"more", more > 0 ? fmt::format("The results have {}.",
                                      counted(static_cast<std::int64_t>(more), "more row"))
                        : ""}};
}

Value tile(std::string label, std::string value, std::string unit, std::string note) {
  return Value::Object{{"label", std::move(label)},
                       {"value", std::move(value)},
                       {"unit", std::move(unit)},
                       {"note", std::move(note)}};
}

// The word that most places of the maps show, and on how many of them.
Value verdict_tile(const Look& look) {
  if (!look.phase || look.phase->words.empty()) {
    const std::int64_t front = look.front ? look.front->cases() : 0;
    return tile("On the front", format_count(front), "", "cases that no other beats");
  }
  std::int64_t all = 0;
  std::int64_t with = 0;
  for (const auto& panel : look.phase->panels)
    for (const auto& cell : panel.cells) {
      ++all;
      with += cell.word == look.phase->words.front() && cell.tied.empty() ? 1 : 0;
    }
  const double share = all > 0 ? static_cast<double>(with) / static_cast<double>(all) : 0;
  return tile("Most of the map", page_percent(share), "", look.phase->words.front());
}

Value tiles_of(const Look& look) {
  Value::List tiles;
  tiles.push_back(
      tile("Cases done", format_count(look.tally.done), "",
           fmt::format("of {}{}", format_count(look.counting.value_or(look.identity.cases)),
                       look.counting ? " that filters leave" : "")));
  if (look.goal && !look.best.empty())
    tiles.push_back(tile("Best: " + sweep_aim_words(look, *look.goal),
                         sweep_cell_text(look, look.best[0], look.goal->column), "",
                         fmt::format("case {}{}", look.best[0].number, sweep_as_good_words(look))));
  tiles.push_back(verdict_tile(look));
  tiles.push_back(tile("Without an answer",
                       format_count(look.tally.no + look.tally.infeasible + look.tally.errors), "",
                       fmt::format("{} infeasible, {}", look.tally.infeasible,
                                   counted(look.tally.errors, "error"))));
  return tiles;
}

Value influences_of(const Look& look) {
  Value::List out;
  for (const sweep::Influence& influence : look.influences) {
    Value::List rows;
    const auto width = [](double share) {
      return fmt::format("{:.1f}", 100 * std::clamp(share, 0.0, 1.0));
    };
    for (std::size_t i = 0; i < influence.over.size(); ++i) {
      const sweep::SobolIndex& index = influence.indices.of[i];
      rows.emplace_back(
          Value::Object{{"name", sweep_column_words(look.identity.columns[influence.over[i]])},
                        {"first", sweep_share_words(index.first, index.first_error)},
                        {"total", sweep_share_words(index.total, index.total_error)},
                        {"first_width", width(index.first)},
                        {"total_width", width(index.total)}});
    }
    out.emplace_back(Value::Object{
        {"figure", sweep_column_words(look.identity.columns[influence.figure]) +
                       sweep_slice_words(look, influence)},
        {"sampled", counted(static_cast<std::int64_t>(influence.indices.rows), "row")},
        {"rows", std::move(rows)}});
  }
  return out;
}

Value failures_of(const Look& look) {
  Value::List rows;
  for (const sweep::FailedCases& failed : look.failures)
    rows.emplace_back(Value::Object{{"count", format_count(failed.count)},
                                    {"code", sweep_code_words(failed)},
                                    {"reason", failed.reason},
                                    {"example", failed.example}});
  return rows;
}

Value inputs_of(const Look& look) {
  Value::List rows;
  for (const auto& [name, digest] : look.identity.inputs)
    rows.emplace_back(Value::Object{{"name", name}, {"digest", digest.substr(0, 16)}});
  return rows;
}

Value charts_of(const Look& look) {
  Value::List charts;
  for (const auto& [width, tone] : {std::pair(1060.0, "w-only"), std::pair(368.0, "n-only")}) {
    Value chart = sweep_front_chart(look, width);
    if (chart.is_null()) return charts;
    charts.emplace_back(Value::Object{{"tone", tone}, {"chart", std::move(chart)}});
  }
  return charts;
}

}  // namespace

std::string sweep_page(const Look& look, const std::string& file) {
  std::string aims;
  if (look.front)
    for (const sweep::Aim& aim : look.front->aims)
      aims += (aims.empty() ? "" : ", ") + sweep_aim_words(look, aim);
  if (look.front) aims += "; " + sweep_front_words(*look.front);
  const Value page = Value::Object{
      {"title", look.identity.name + ": " + sweep_verdict(look)},
      {"name", look.identity.name},
      {"what", sweep_done_words(look)},
      {"decision", sweep_verdict(look)},
      {"lead", fmt::format("{}. {} {}", sweep_tally_words(look.tally),
                           sweep_not_numbers_words(look), sweep_idle_words(look))},
      {"tiles", tiles_of(look)},
      {"phase", sweep_phase_maps(look)},
      {"goal", look.goal ? sweep_aim_words(look, *look.goal) : std::string()},
      {"best", look.best.empty() ? Value() : cases_table(look, look.best, sweep::kBestShown)},
      {"aims", aims},
      {"charts", charts_of(look)},
      {"beaten", look.front ? counted(look.front->beaten, "case") : std::string()},
      {"front", look.front ? cases_table(look, look.front->front, kMostFrontRows) : Value()},
      {"lines", sweep_lines_chart(look)},
      {"influences", influences_of(look)},
      {"no_indices", sweep_indices_words(look)},
      {"failures", look.failures.empty() ? Value() : Value::Object{{"rows", failures_of(look)}}},
      {"inputs", inputs_of(look)},
      {"version", look.identity.version},
      {"file", file}};
  return plain_page_html("sweep.html", page);
}

}  // namespace loadfactor::report
