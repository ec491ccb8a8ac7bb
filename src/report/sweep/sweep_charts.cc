#include "report/sweep/sweep_charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/sweep/sweep_words.h"

namespace loadfactor::report {
namespace {

using sweep::Look;
using sweep::LookRow;

constexpr double kLogSpread = 50;

// From numbers to places, by their logarithms where they spread over orders of magnitude.
struct Scale {
  double low = 0;
  double high = 1;
  bool is_log = false;
  double from = 0;  // Pixels.
  double to = 1;

  double at(double number) const {
    const auto bent = [this](double x) { return is_log ? std::log(x) : x; };
    const double span = bent(high) - bent(low);
    const double share = span > 0 ? (bent(number) - bent(low)) / span : 0.5;
    return from + share * (to - from);
  }
  double back(double share) const {
    return is_log ? low * std::pow(high / low, share) : low + (high - low) * share;
  }
};

Scale scale_of(const std::vector<double>& numbers, double from, double to) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  Scale scale{*least, *most, *least > 0 && *most / *least >= kLogSpread, from, to};
  return scale;
}

std::string pixels(double place) {
  return fmt::format("{:.1f}", place);
}

std::vector<double> numbers_in(const std::vector<LookRow>& rows, std::size_t column) {
  std::vector<double> out;
  for (const LookRow& row : rows)
    if (const auto number = sweep::number_in(row.cells[column])) out.push_back(*number);
  return out;
}

Value ticks_of(const Scale& scale, const sweep::ResultColumn& column, int count) {
  Value::List ticks;
  sweep::Spread spread;
  for (int i = 0; i <= count; ++i) spread.take(scale.back(static_cast<double>(i) / count));
  for (int i = 0; i <= count; ++i) {
    const double number = scale.back(static_cast<double>(i) / count);
    ticks.emplace_back(Value::Object{{"at", pixels(scale.at(number))},
                                     {"label", sweep_cell_text(number, column, spread)}});
    if (scale.high <= scale.low) break;
  }
  return ticks;
}

Value points_of(const Look& look, const std::vector<LookRow>& rows, const Scale& x, const Scale& y,
                const sweep::Front& front) {
  Value::List points;
  for (const LookRow& row : rows) {
    const auto at_x = sweep::number_in(row.cells[front.aims[0].column]);
    const auto at_y = sweep::number_in(row.cells[front.aims[1].column]);
    if (!at_x || !at_y) continue;
    points.emplace_back(Value::Object{
        {"x", pixels(x.at(*at_x))},
        {"y", pixels(y.at(*at_y))},
        {"words", fmt::format("case {}: {}; {}, {}", row.number, sweep_case_words(look, row),
                              sweep_cell_text(look, row, front.aims[0].column),
                              sweep_cell_text(look, row, front.aims[1].column))}});
  }
  return points;
}

// A column of the parallel coordinates, and where each of its values is.
struct LineColumn {
  std::size_t column = 0;
  bool is_number = false;
  Scale scale;
  std::vector<sweep::CellValue> words;

  double place(const sweep::CellValue& cell) const {
    if (is_number) return scale.at(sweep::number_in(cell).value_or(scale.low));
    const auto found = std::find(words.begin(), words.end(), cell);
    const auto at = static_cast<double>(found - words.begin());
    const double last = std::max(1.0, static_cast<double>(words.size()) - 1);
    return scale.from + at / last * (scale.to - scale.from);
  }
};

LineColumn line_column(const Look& look, std::size_t column, double from, double to) {
  LineColumn out{.column = column};
  const auto numbers = numbers_in(look.lines, column);
  out.is_number = !numbers.empty() && numbers.size() * 2 > look.lines.size();
  out.scale = out.is_number ? scale_of(numbers, from, to) : Scale{0, 1, false, from, to};
  if (out.is_number) return out;
  for (const LookRow& row : look.lines)
    if (std::find(out.words.begin(), out.words.end(), row.cells[column]) == out.words.end())
      out.words.push_back(row.cells[column]);
  return out;
}

Value labels_of(const Look& look, const LineColumn& column) {
  Value::List labels;
  const auto text_of = [&](const sweep::CellValue& cell) {
    const LookRow probe{0, std::vector<sweep::CellValue>(look.identity.columns.size(), cell)};
    return sweep_cell_text(look, probe, column.column);
  };
  const auto add = [&](double at, std::string text) {
    constexpr std::size_t kMostLetters = 16;
    if (text.size() > kMostLetters) text = text.substr(0, kMostLetters - 1) + "…";
    labels.emplace_back(Value::Object{{"y", pixels(at)}, {"label", std::move(text)}});
  };
  if (column.is_number) {
    for (const double number : {column.scale.low, column.scale.high}) {
      add(column.scale.at(number), text_of(number));
      if (column.scale.low == column.scale.high) break;
    }
    return labels;
  }
  constexpr std::size_t kMostWords = 8;
  const std::size_t step = column.words.size() / kMostWords + 1;
  for (std::size_t i = 0; i < column.words.size(); i += step)
    add(column.place(column.words[i]), text_of(column.words[i]));
  return labels;
}

// The class of a word on a map: whom one pays has the colour that it has on every page.
std::vector<std::string> classes_of(const std::vector<std::string>& words) {
  constexpr std::array kOthers{"own", "dem", "spot", "res", "idle", "wrk"};
  std::vector<std::string> out;
  std::size_t next = 0;
  for (const std::string& word : words) {
    if (word == "infeasible" || word == "error" || word == "no") {
      out.emplace_back("lost");
    } else if (word.find("API") != std::string::npos) {
      out.emplace_back("api");
    } else {
      out.emplace_back(kOthers[next++ % kOthers.size()]);
    }
  }
  return out;
}

Value phase_cell(const Look& look, const sweep::PhaseMap& map,
                 const std::vector<std::string>& classes, const sweep::PhaseCell* cell) {
  if (cell == nullptr)
    return Value::Object{{"tone", "lost"}, {"depth", "0"}, {"mark", ""}, {"words", "no case"}};
  constexpr double kDeepest = 48;
  if (cell->word.empty()) {
    const double span = map.range.second - map.range.first;
    const double share = span > 0 ? (cell->number - map.range.first) / span : 0.5;
    const bool is_one = cell->cases == 1;
    return Value::Object{
        {"tone", "own"},
        {"depth", fmt::format("{:.0f}", 4 + kDeepest * share)},
        {"mark", sweep_place_mark(look, map, *cell)},
        {"words", is_one ? std::string()
                         : fmt::format("mean of {} of {} cases", cell->numbers, cell->cases)}};
  }
  const auto found = std::find(map.words.begin(), map.words.end(), cell->word);
  const auto word = static_cast<std::size_t>(found - map.words.begin());
  std::string words = cell->word;
  for (const std::string& tied : cell->tied) words += " or " + tied;
  if (cell->share < 1)
    words += fmt::format(", {:.0f} % of {} cases{}", 100 * cell->share, cell->cases,
                         cell->tied.empty() ? "" : " each");
  return Value::Object{{"tone", classes[word]},
                       {"depth", fmt::format("{:.0f}", 8 + 32 * cell->share)},
                       {"mark", sweep_place_mark(look, map, *cell)},
                       {"words", std::move(words)}};
}

Value phase_rows(const Look& look, const sweep::PhaseMap& map,
                 const std::vector<std::string>& classes, const sweep::PhasePanel& panel) {
  const sweep::SeenAxis& x = look.axes[map.x];
  const sweep::SeenAxis& y = look.axes[map.y];
  Value::List rows;
  for (std::size_t i = y.values.size(); i-- > 0;) {
    Value::List cells;
    for (std::size_t j = 0; j < x.values.size(); ++j) {
      const auto found =
          std::find_if(panel.cells.begin(), panel.cells.end(),
                       [&](const sweep::PhaseCell& cell) { return cell.x == j && cell.y == i; });
      cells.push_back(
          phase_cell(look, map, classes, found == panel.cells.end() ? nullptr : &*found));
    }
    rows.emplace_back(Value::Object{{"label", y.labels[i].empty() ? "–" : y.labels[i]},
                                    {"cells", std::move(cells)}});
  }
  return rows;
}

}  // namespace

Value sweep_front_chart(const Look& look, double width) {
  if (!look.front || look.front->front.empty()) return {};
  const sweep::Front& front = *look.front;
  std::vector<LookRow> all = front.front;
  all.insert(all.end(), front.others.begin(), front.others.end());
  constexpr double kHeight = 320;
  constexpr double kLeft = 78;
  constexpr double kRight = 52;
  const Scale x = scale_of(numbers_in(all, front.aims[0].column), kLeft, width - kRight);
  const Scale y = scale_of(numbers_in(all, front.aims[1].column), kHeight - 46, 22);
  std::string line;
  for (const LookRow& row : front.front)
    line += fmt::format("{}{} {}", line.empty() ? "M" : "L",
                        pixels(x.at(*sweep::number_in(row.cells[front.aims[0].column]))),
                        pixels(y.at(*sweep::number_in(row.cells[front.aims[1].column]))));
  const auto& columns = look.identity.columns;
  return Value::Object{{"width", pixels(width)},
                       {"height", pixels(kHeight)},
                       {"left", pixels(kLeft)},
                       {"base", pixels(kHeight - 46)},
                       {"right", pixels(width - kRight)},
                       {"x_ticks", ticks_of(x, columns[front.aims[0].column], width < 500 ? 2 : 5)},
                       {"y_ticks", ticks_of(y, columns[front.aims[1].column], 4)},
                       {"x_name", sweep_column_words(columns[front.aims[0].column])},
                       {"y_name", sweep_column_words(columns[front.aims[1].column])},
                       {"line", line},
                       {"others", points_of(look, front.others, x, y, front)},
                       {"points", points_of(look, front.front, x, y, front)}};
}

Value sweep_lines_chart(const Look& look) {
  if (look.lines.size() < 2 || look.lines_over.size() < 2) return {};
  constexpr double kTop = 34, kBase = 286, kLeft = 20, kRight = 1030;
  std::vector<LineColumn> columns;
  Value::List axes;
  for (std::size_t i = 0; i < look.lines_over.size(); ++i) {
    columns.push_back(line_column(look, look.lines_over[i], kBase, kTop));
    const double at = kLeft + (kRight - kLeft) * static_cast<double>(i) /
                                  static_cast<double>(look.lines_over.size() - 1);
    axes.emplace_back(
        Value::Object{{"x", pixels(at)},
                      {"name", sweep_column_words(look.identity.columns[look.lines_over[i]])},
                      {"labels", labels_of(look, columns.back())}});
  }
  Value::List lines;
  Value::List picks;
  for (const LookRow& row : look.lines) {
    std::string path;
    for (std::size_t i = 0; i < columns.size(); ++i)
      path += fmt::format("{}{} {}", i == 0 ? "M" : "L",
                          pixels(kLeft + (kRight - kLeft) * static_cast<double>(i) /
                                             static_cast<double>(columns.size() - 1)),
                          pixels(columns[i].place(row.cells[columns[i].column])));
    const auto rank = std::find_if(look.best.begin(), look.best.end(),
                                   [&](const LookRow& best) { return best.number == row.number; }) -
                      look.best.begin();
    const bool is_best = rank < std::ssize(look.best);
    lines.emplace_back(Value::Object{
        {"path", path}, {"tone", is_best ? fmt::format("good p{}", rank) : std::string("rest")}});
  }
  // What is good lies above the rest.
  std::stable_sort(lines.begin(), lines.end(), [](const Value& a, const Value& b) {
    return a.find("tone")->text()->starts_with("rest") >
           b.find("tone")->text()->starts_with("rest");
  });
  for (std::size_t i = 0; i < look.best.size(); ++i)
    picks.emplace_back(Value::Object{
        {"place", std::to_string(i)},
        {"name", fmt::format("{}: case {}, {}", i + 1, look.best[i].number,
                             sweep_cell_text(look, look.best[i], look.goal->column))}});
  return Value::Object{{"axes", std::move(axes)},
                       {"lines", std::move(lines)},
                       {"picks", std::move(picks)},
                       {"top", pixels(kTop)},
                       {"base", pixels(kBase)}};
}

Value sweep_phase_maps(const Look& look) {
  if (!look.phase) return {};
  const sweep::PhaseMap& map = *look.phase;
  const auto classes = classes_of(map.words);
  Value::List keys;
  for (std::size_t i = 0; i < map.words.size(); ++i)
    keys.emplace_back(
        Value::Object{{"tone", classes[i]}, {"mark", sweep_mark(i)}, {"word", map.words[i]}});
  Value::List columns;
  for (const std::string& label : look.axes[map.x].labels)
    columns.emplace_back(Value::Object{{"label", label.empty() ? "–" : label}});
  Value::List panels;
  for (const sweep::PhasePanel& panel : map.panels)
    panels.emplace_back(Value::Object{{"name", panel.name},
                                      {"columns", columns},
                                      {"rows", phase_rows(look, map, classes, panel)}});
  const auto& names = look.identity.columns;
  return Value::Object{
      {"shows", map.shows ? sweep_column_words(names[*map.shows]) : std::string("the outcome")},
      {"x", sweep_axis_words(look, look.axes[map.x])},
      {"y", sweep_axis_words(look, look.axes[map.y])},
      {"keys", std::move(keys)},
      {"notes", fmt::format("{}", fmt::join(sweep_map_notes(map), "; "))},
      {"panels", std::move(panels)},
      {"left_out", map.panels_left_out > 0
                       ? fmt::format("{} more maps are left out.", map.panels_left_out)
                       : std::string()}};
}

}  // namespace loadfactor::report
