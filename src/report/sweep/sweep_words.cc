#include "report/sweep/sweep_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "report/sweep/number_style.h"

namespace loadfactor::report {

using sweep::CellValue;
using sweep::Look;
using sweep::LookRow;
using sweep::ResultColumn;

std::string sweep_cell_text(const CellValue& cell, const ResultColumn& column,
                            const sweep::Spread& spread) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto number = sweep::number_in(cell);
  return number ? column_number_text(*number, column.unit, spread) : "–";
}

std::string sweep_cell_text(const Look& look, const LookRow& row, std::size_t column) {
  const CellValue& cell = row.cells[column];
  for (const sweep::SeenAxis& axis : look.axes) {
    if (axis.column != column) continue;
    if (const auto number = sweep::number_in(cell); axis.is_binned && number && !axis.unit.empty())
      return fmt::format("{} {}", three_figures(*number / axis.scale), axis.unit);
    if (axis.is_binned) break;
    const auto found = std::find(axis.values.begin(), axis.values.end(), cell);
    if (found == axis.values.end()) break;
    const std::string& label = axis.labels[static_cast<std::size_t>(found - axis.values.begin())];
    if (!label.empty()) return label;
  }
  return sweep_cell_text(cell, look.identity.columns[column], look.spreads[column]);
}

std::string sweep_column_words(const ResultColumn& column) {
  std::string words = column.name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string sweep_axis_words(const Look& look, const sweep::SeenAxis& axis) {
  const std::string words = sweep_column_words(look.identity.columns[axis.column]);
  return axis.is_binned && !axis.unit.empty() ? fmt::format("{}, {}", words, axis.unit) : words;
}

std::string sweep_idle_words(const Look& look) {
  std::vector<std::string> names;
  for (const std::size_t column : look.idle)
    names.push_back(sweep_column_words(look.identity.columns[column]));
  if (names.empty()) return {};
  const bool is_one = names.size() == 1;
  return fmt::format(
      "No figure changes with {}: {} moves nothing that is kept, or the verb does not look at {}.",
      fmt::join(names, ", "), is_one ? "it" : "each", is_one ? "it" : "them");
}

std::string sweep_not_numbers_words(const Look& look) {
  std::vector<std::string> names;
  for (const std::size_t column : look.not_numbers)
    names.push_back(look.identity.columns[column].name);
  if (names.empty()) return {};
  return fmt::format("{} {} words: no case is the best or on a front by {}.",
                     fmt::join(names, ", "), names.size() == 1 ? "holds" : "hold",
                     names.size() == 1 ? "it" : "them");
}

std::string sweep_as_good_words(const Look& look) {
  if (look.as_good == 0) return {};
  return fmt::format("; {} {} as good", counted(look.as_good, "other case"),
                     look.as_good == 1 ? "is" : "are");
}

std::string sweep_case_words(const Look& look, const LookRow& row) {
  std::string out;
  for (const sweep::SeenAxis& axis : look.axes) {
    if (!axis.varies()) continue;
    if (!out.empty()) out += ", ";
    const std::string text = sweep_cell_text(look, row, axis.column);
    const bool is_word = std::holds_alternative<std::string>(row.cells[axis.column]);
    out += is_word
               ? text
               : fmt::format("{} {}", sweep_column_words(look.identity.columns[axis.column]), text);
  }
  return out;
}

std::string sweep_number_words(const LookRow& row) {
  std::string out = std::to_string(row.number);
  for (const std::int64_t number : row.alike) out += fmt::format(", {}", number);
  return row.more_alike > 0 ? fmt::format("{} and {} more", out, row.more_alike) : out;
}

std::string sweep_share_words(double share, double error) {
  return fmt::format("{:.2f} ± {:.2f}", share, error);
}

std::string sweep_slice_words(const Look& look, const sweep::Influence& influence) {
  std::string out;
  if (!influence.slice) return out;
  for (const sweep::SeenAxis& axis : look.axes) {
    const bool is_sampled = std::find(influence.over.begin(), influence.over.end(), axis.column) !=
                            influence.over.end();
    if (is_sampled || !axis.varies()) continue;
    out += fmt::format("{} {} {}", out.empty() ? " for" : ",",
                       sweep_column_words(look.identity.columns[axis.column]),
                       sweep_cell_text(look, *influence.slice, axis.column));
  }
  return out;
}

std::string sweep_indices_words(const Look& look) {
  if (look.has_filtered_sample)
    return "No Sobol indices: filters took cases out of the sample. Sweep without filters, or over "
           "narrower ranges.";
  std::string out;
  if (look.sample_open > 0)
    out = fmt::format("{} of the sample for Sobol indices {} not done yet: {}. ",
                      counted(look.sample_open, "case"), look.sample_open == 1 ? "is" : "are",
                      look.influences.empty() ? "there are no indices before they are"
                                              : "indices are of the rows of it that are whole");
  if (look.slices_left_out > 0)
    out += fmt::format("Indices for {} of the axes beside the sample are not shown.",
                       counted(look.slices_left_out, "further value"));
  if (look.without_figure > 0)
    out += fmt::format(
        "{}Sobol indices are left out where cases of the sample lack the figure ({} do): the "
        "others "
        "are no fair sample. Sweep over narrower ranges, or without limits that cases miss.",
        out.empty() || out.ends_with(' ') ? "" : " ", look.without_figure);
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string sweep_done_words(const Look& look) {
  const std::int64_t done = look.tally.done;
  const std::int64_t all = look.counting.value_or(look.identity.cases);
  const std::string left_out = look.counting
                                   ? fmt::format(" ({} of {} are left out by filters)",
                                                 format_count(look.identity.cases - *look.counting),
                                                 format_count(look.identity.cases))
                               : look.has_filters ? std::string(" (before filters)")
                                                  : std::string();
  if (done == all) return counted(done, "case") + left_out;
  return fmt::format("{} of {}{}", format_count(done), counted(all, "case"), left_out);
}

std::string sweep_front_words(const sweep::Front& front) {
  const std::string cases = counted(front.cases(), "case");
  return front.cases() == std::ssize(front.front)
             ? cases
             : fmt::format("{} in {}", cases, counted(std::ssize(front.front), "row"));
}

std::string sweep_tally_words(const sweep::Tally& tally) {
  std::string out;
  const auto add = [&](std::int64_t count, std::string words) {
    if (count > 0) out += (out.empty() ? "" : ", ") + std::move(words);
  };
  add(tally.answers, counted(tally.answers, "answer"));
  add(tally.no, fmt::format("{} no", tally.no));
  add(tally.infeasible, fmt::format("{} infeasible", tally.infeasible));
  add(tally.errors, counted(tally.errors, "error"));
  return out.empty() ? "nothing yet" : out;
}

std::string sweep_aim_words(const Look& look, const sweep::Aim& aim) {
  return fmt::format("{} {}", aim.is_more_better ? "most" : "least",
                     sweep_column_words(look.identity.columns[aim.column]));
}

std::string sweep_verdict(const Look& look) {
  if (look.tally.done == 0) return fmt::format("{}: no case is done yet", look.identity.name);
  if (!look.goal || look.best.empty())
    return fmt::format("{}: {}", look.identity.name, sweep_tally_words(look.tally));
  const LookRow& best = look.best.front();
  std::string verdict = fmt::format("{} {}: {}{}", sweep_aim_words(look, *look.goal),
                                    sweep_cell_text(look, best, look.goal->column),
                                    sweep_case_words(look, best), sweep_as_good_words(look));
  verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict[0])));
  return verdict;
}

std::string sweep_code_words(const sweep::FailedCases& failed) {
  return failed.code > 0 ? fmt::format("LF{:03}", failed.code)
                         : std::string(sweep::name_of(failed.status));
}

std::string sweep_place_mark(const Look& look, const sweep::PhaseMap& map,
                             const sweep::PhaseCell& cell) {
  constexpr double kAll = 1 - 1e-9;
  if (cell.word.empty())
    return sweep_cell_text(cell.number, look.identity.columns[*map.shows], map.spread) +
           (cell.share < kAll ? "*" : "");
  const auto mark_of = [&](const std::string& word) {
    const auto found = std::find(map.words.begin(), map.words.end(), word);
    return sweep_mark(static_cast<std::size_t>(found - map.words.begin()));
  };
  std::string out = mark_of(cell.word);
  for (const std::string& word : cell.tied) out += "/" + mark_of(word);
  const double share = cell.share * static_cast<double>(1 + cell.tied.size());
  return out + (share < kAll ? "*" : "");
}

std::vector<std::string> sweep_map_notes(const sweep::PhaseMap& map) {
  bool is_mean = false, is_partly = false, is_mixed = false, is_tied = false;
  for (const auto& panel : map.panels)
    for (const sweep::PhaseCell& cell : panel.cells) {
      is_mean = is_mean || cell.numbers > 1;
      is_partly = is_partly || (cell.word.empty() && cell.share < 1);
      is_mixed = is_mixed || (!cell.word.empty() && cell.share < 1 && cell.tied.empty());
      is_tied = is_tied || !cell.tied.empty();
    }
  std::vector<std::string> out;
  if (is_mean) out.emplace_back("numbers are means of the cases at a place");
  if (is_partly) out.emplace_back("* of the cases there that have an answer; others have none");
  if (is_mixed) out.emplace_back("* the most frequent there; other cases say something else");
  if (is_tied) out.emplace_back("A/B as many cases there say the one as the other");
  return out;
}

std::vector<std::size_t> sweep_table_columns(const Look& look) {
  std::vector<std::size_t> out;
  for (const sweep::SeenAxis& axis : look.axes)
    if (axis.varies() && !axis.follows) out.push_back(axis.column);
  constexpr std::size_t kMostFigures = 8;
  std::size_t figures = 0;
  const auto add = [&](std::size_t column) {
    if (std::find(out.begin(), out.end(), column) != out.end() || figures >= kMostFigures) return;
    out.push_back(column);
    ++figures;
  };
  if (look.goal) add(look.goal->column);
  if (look.front)
    for (const sweep::Aim& aim : look.front->aims) add(aim.column);
  if (look.phase && look.phase->shows) add(*look.phase->shows);
  for (std::size_t i = 0; i < look.identity.columns.size(); ++i)
    if (look.identity.columns[i].kind == sweep::ColumnKind::kFigure &&
        !sweep::is_unit(look.identity.columns[i]))
      add(i);
  return out;
}

std::string sweep_mark(std::size_t word) {
  constexpr std::size_t kLetters = 26;
  return word < kLetters ? std::string(1, static_cast<char>('A' + word)) : fmt::format("{}", word);
}

}  // namespace loadfactor::report
