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

// Whether cases are told apart by a column: figures that they are chosen by are never left out.
bool is_aim(const Look& look, std::size_t column) {
  const auto is_it = [&](const sweep::Aim& aim) { return aim.column == column; };
  return (look.goal && is_it(*look.goal)) ||
         (look.front && std::any_of(look.front->aims.begin(), look.front->aims.end(), is_it));
}

Table cases_table(const Look& look, const std::vector<LookRow>& rows, std::size_t most) {
  std::vector<Column> columns{{"case", Align::kRight}};
  const auto shown = sweep_table_columns(look);
  constexpr std::size_t kFirst = 3;  // Axes that are shown in any case.
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& column = look.identity.columns[shown[i]];
    const bool is_word =
        !rows.empty() && std::holds_alternative<std::string>(rows[0].cells[shown[i]]);
    columns.push_back({sweep_column_words(column), is_word ? Align::kLeft : Align::kRight,
                       i < kFirst || is_aim(look, shown[i]), is_word});
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

// A bin by where it begins, as the next column says where it ends.
std::string column_label(const sweep::SeenAxis& axis, std::size_t place) {
  const std::string& label = axis.labels[place];
  return axis.is_binned ? "≥" + label.substr(0, label.find("–")) : label;
}

// The columns of a map from `first` to before `end`; all but one may be left out. The first of
// several tables has the name.
Table phase_table(const Look& look, const PhaseMap& map, const sweep::PhasePanel& panel,
                  std::size_t first, std::size_t end) {
  const sweep::SeenAxis& x = look.axes[map.x];
  const sweep::SeenAxis& y = look.axes[map.y];
  std::vector<Column> columns{
      {fmt::format("{} \\ {}", sweep_axis_words(look, y), sweep_axis_words(look, x))}};
  for (std::size_t j = first; j < end; ++j)
    columns.push_back({column_label(x, j), Align::kRight, j == first});
  Table table(std::move(columns));
  if (!panel.name.empty() && first == 0) table.set_title(panel.name);
  // Large values stand at the top, as on a map.
  for (std::size_t i = y.values.size(); i-- > 0;) {
    std::vector<Cell> cells{y.labels[i]};
    for (std::size_t j = first; j < end; ++j) {
      const auto found =
          std::find_if(panel.cells.begin(), panel.cells.end(),
                       [&](const PhaseCell& cell) { return cell.x == j && cell.y == i; });
      cells.emplace_back(found == panel.cells.end() ? "" : sweep_place_mark(look, map, *found));
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
  for (const std::string& note : sweep_map_notes(map)) out += fmt::format("  {}\n", note);
  return out;
}

std::string influence_text(const Look& look, const TextOptions& options) {
  std::string out;
  constexpr int kBar = 20;
  for (const sweep::Influence& influence : look.influences) {
    Table table(
        {{"axis"}, {"alone", Align::kRight}, {"in all", Align::kRight}, {"", Align::kLeft}});
    const std::string title =
        fmt::format("What moves {}{}: shares of its variance, from {}",
                    sweep_column_words(look.identity.columns[influence.figure]),
                    sweep_slice_words(look, influence),
                    counted(static_cast<std::int64_t>(influence.indices.rows), "row"));
    table.set_title(fmt::format("{}", fmt::join(wrap(title, options.width), "\n")));
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
  const auto lines = [&](const std::string& words) {
    return words.empty() ? words : fmt::format("{}\n", fmt::join(wrap(words, options.width), "\n"));
  };
  std::string out = lines(sweep_verdict(look));
  out += lines(fmt::format("{}: {}: {}.", look.identity.name, sweep_done_words(look),
                           sweep_tally_words(look.tally)));
  out += lines(sweep_not_numbers_words(look)) + lines(sweep_idle_words(look));
  if (look.phase) out += phase_text(look, text);
  if (!look.best.empty())
    out += "\n" +
           lines(fmt::format("Best cases: {}{}", sweep_aim_words(look, *look.goal),
                             look.as_good > 0 ? fmt::format("; {} as good as the first",
                                                            counted(look.as_good, "case"))
                                              : "")) +
           render_text(cases_table(look, look.best, sweep::kBestShown), text);
  if (look.front && !look.front->front.empty()) {
    std::string aims;
    for (const sweep::Aim& aim : look.front->aims)
      aims += (aims.empty() ? "" : ", ") + sweep_aim_words(look, aim);
    out += "\n" +
           lines(fmt::format("Pareto front: {}; {} on it, beaten by none of {}", aims,
                             sweep_front_words(*look.front),
                             counted(look.front->beaten, "other case"))) +
           render_text(cases_table(look, look.front->front, kMostFrontRows), text);
  }
  out += influence_text(look, text);
  if (const std::string why = sweep_indices_words(look); !why.empty()) out += "\n" + lines(why);
  if (!look.failures.empty())
    out += "\nCases without an answer\n" + render_text(failure_table(look), text);
  return out;
}

}  // namespace loadfactor::report
