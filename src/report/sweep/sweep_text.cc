// The results of a sweep in a terminal.
#include <algorithm>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/text/bar.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/sweep/sweep_report.h"
#include "report/sweep/sweep_words.h"

namespace loadfactor::report {
namespace {

using sweep::Look;
using sweep::LookRow;
using sweep::PhaseCell;
using sweep::PhaseMap;

constexpr std::size_t kMostFrontRows = 12;

Table cases_table(const Look& look, const std::vector<LookRow>& rows, std::size_t most) {
  std::vector<Column> columns{{"case", Align::kRight}};
  const auto shown = sweep_table_columns(look);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& column = look.identity.columns[shown[i]];
    const bool is_word =
        !rows.empty() && std::holds_alternative<std::string>(rows[0].cells[shown[i]]);
    columns.push_back(
        {sweep_column_words(column), is_word ? Align::kLeft : Align::kRight, i < 5, is_word});
  }
  Table table(std::move(columns));
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    std::vector<Cell> cells{sweep_number_words(rows[i])};
    for (const std::size_t column : shown)
      cells.emplace_back(sweep_cell_text(look, rows[i], column));
    table.add_row(std::move(cells));
  }
  if (rows.size() > most)
    table.add_footnote(
        fmt::format("and {}", counted(static_cast<std::int64_t>(rows.size() - most), "more row")));
  return table;
}

std::string phase_cell_text(const Look& look, const PhaseMap& map, const PhaseCell& cell) {
  if (cell.word.empty())
    return sweep_cell_text(cell.number, look.identity.columns[*map.shows], map.spread);
  const auto found = std::find(map.words.begin(), map.words.end(), cell.word);
  return sweep_mark(static_cast<std::size_t>(found - map.words.begin())) +
         (cell.share < 1 ? "*" : "");
}

// A bin by where it begins, as the next column says where it ends.
std::string column_label(const sweep::SeenAxis& axis, std::size_t place) {
  const std::string& label = axis.labels[place];
  return axis.is_binned ? "≥" + label.substr(0, label.find("–")) : label;
}

// The columns of a map from `first` to before `end`; all but one may be left out.
Table phase_table(const Look& look, const PhaseMap& map, const sweep::PhasePanel& panel,
                  std::size_t first, std::size_t end) {
  const sweep::SeenAxis& x = look.axes[map.x];
  const sweep::SeenAxis& y = look.axes[map.y];
  std::vector<Column> columns{
      {fmt::format("{} \\ {}", sweep_axis_words(look, y), sweep_axis_words(look, x))}};
  for (std::size_t j = first; j < end; ++j)
    columns.push_back({column_label(x, j), Align::kRight, j == first});
  Table table(std::move(columns));
  if (!panel.name.empty()) table.set_title(panel.name);
  // Large values stand at the top, as on a map.
  for (std::size_t i = y.values.size(); i-- > 0;) {
    std::vector<Cell> cells{y.labels[i]};
    for (std::size_t j = first; j < end; ++j) {
      const auto found =
          std::find_if(panel.cells.begin(), panel.cells.end(),
                       [&](const PhaseCell& cell) { return cell.x == j && cell.y == i; });
      cells.emplace_back(found == panel.cells.end() ? "" : phase_cell_text(look, map, *found));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

// As many tables as the width asks for.
std::string panel_text(const Look& look, const PhaseMap& map, const sweep::PhasePanel& panel,
                       const TextOptions& options) {
  std::string out;
  const std::size_t columns = look.axes[map.x].values.size();
  for (std::size_t first = 0; first < columns;) {
    const Table all = phase_table(look, map, panel, first, columns);
    const std::size_t end = columns - hidden_columns(all, options.width).size();
    out += "\n" + render_text(phase_table(look, map, panel, first, end), options);
    first = end;
  }
  return out;
}

std::string phase_text(const Look& look, const TextOptions& options) {
  const PhaseMap& map = *look.phase;
  std::string out = fmt::format(
      "\nWhere {} changes\n",
      map.shows ? sweep_column_words(look.identity.columns[*map.shows]) : "the outcome");
  for (std::size_t i = 0; i < map.words.size(); ++i)
    out += fmt::format("  {}  {}\n", sweep_mark(i), map.words[i]);
  for (const auto& panel : map.panels) out += panel_text(look, map, panel, options);
  if (map.panels_left_out > 0)
    out += fmt::format("and {} more\n", counted(map.panels_left_out, "map"));
  const bool is_mixed = std::any_of(map.panels.begin(), map.panels.end(), [](const auto& panel) {
    return std::any_of(panel.cells.begin(), panel.cells.end(),
                       [](const PhaseCell& cell) { return cell.share < 1; });
  });
  if (is_mixed) out += "  * most of the cases there, not all\n";
  return out;
}

std::string influence_text(const Look& look, const TextOptions& options) {
  std::string out;
  constexpr int kBar = 20;
  for (const sweep::Influence& influence : look.influences) {
    Table table(
        {{"axis"}, {"alone", Align::kRight}, {"in all", Align::kRight}, {"", Align::kLeft}});
    table.set_title(fmt::format("What moves {}{}: shares of its variance, from {}",
                                sweep_column_words(look.identity.columns[influence.figure]),
                                sweep_slice_words(look, influence),
                                counted(static_cast<std::int64_t>(influence.indices.rows), "row")));
    for (std::size_t i = 0; i < influence.over.size(); ++i) {
      const sweep::SobolIndex& index = influence.indices.of[i];
      table.add_row({sweep_column_words(look.identity.columns[influence.over[i]]),
                     sweep_share_words(index.first, index.first_error),
                     sweep_share_words(index.total, index.total_error),
                     fraction_bar(index.total, kBar)});
    }
    out += "\n" + render_text(table, options);
  }
  return out;
}

Table failure_table(const Look& look) {
  Table table({{"cases", Align::kRight},
               {"code"},
               {"reason, as the first has it", Align::kLeft, true, true},
               {"first", Align::kRight}});
  for (const sweep::FailedCases& failed : look.failures)
    table.add_row({std::to_string(failed.count), sweep_code_words(failed), failed.reason,
                   std::to_string(failed.example)});
  return table;
}

}  // namespace

std::string sweep_text(const Look& look, const SweepTextOptions& options) {
  const TextOptions text{.width = options.width, .colour = options.colour};
  std::string out = sweep_verdict(look) + "\n";
  out += fmt::format("{}: {}: {}.\n", look.identity.name, sweep_done_words(look),
                     sweep_tally_words(look.tally));
  for (const std::size_t column : look.not_numbers)
    out += fmt::format("{} holds words: no case is the best or on a front by it.\n",
                       look.identity.columns[column].name);
  if (const std::string idle = sweep_idle_words(look); !idle.empty())
    out += fmt::format("{}\n", fmt::join(wrap(idle, options.width), "\n"));
  if (look.phase) out += phase_text(look, text);
  if (!look.best.empty())
    out += fmt::format("\nBest cases: {}\n", sweep_aim_words(look, *look.goal)) +
           render_text(cases_table(look, look.best, sweep::kBestShown), text);
  if (look.front && !look.front->front.empty()) {
    std::string aims;
    for (const sweep::Aim& aim : look.front->aims)
      aims += (aims.empty() ? "" : ", ") + sweep_aim_words(look, aim);
    out += fmt::format("\nPareto front: {}; {} on it, beaten by none of {}\n", aims,
                       sweep_front_words(*look.front), counted(look.front->beaten, "other case")) +
           render_text(cases_table(look, look.front->front, kMostFrontRows), text);
  }
  out += influence_text(look, text);
  if (const std::string why = sweep_indices_words(look); !why.empty())
    out += fmt::format("\n{}\n", fmt::join(wrap(why, options.width), "\n"));
  if (!look.failures.empty())
    out += "\nCases without an answer\n" + render_text(failure_table(look), text);
  return out;
}

}  // namespace loadfactor::report
