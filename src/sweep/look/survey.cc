#include "sweep/look/survey.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "base/text/json_text.h"
#include "base/units.h"
#include "sweep/filter.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

// Values of an axis that are told apart; further ones fall in bins anyway.
constexpr std::size_t kMostTold = 4096;
constexpr std::size_t kBins = 16;
constexpr double kLogSpread = 3;           // Ends closer than this look alike on both scales.
constexpr std::size_t kMostVerdicts = 12;  // Different words that a map can tell apart.

// The text of a key in the flat object that a row's edits are.
std::string edit_text(const std::string& edits, const std::string& key) {
  const std::string mark = json_string(key) + ": \"";
  auto at = edits.find(mark);
  if (at == std::string::npos) return {};
  at += mark.size();
  std::string out;
  for (; at < edits.size() && edits[at] != '"'; ++at) {
    const bool is_escaped = edits[at] == '\\' && at + 1 < edits.size();
    if (is_escaped) ++at;
    const bool is_break = is_escaped && (edits[at] == 'n' || edits[at] == 't' || edits[at] == 'r');
    out += is_break ? ' ' : edits[at];
  }
  // A list of one word is that word.
  const bool is_list = out.size() > 2 && out.front() == '[' && out.back() == ']';
  return is_list && out.find(',') == std::string::npos ? out.substr(1, out.size() - 2) : out;
}

// What a scenario says itself stands in no edit.
std::string own_text(const CellValue& cell, const std::string& unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto number = number_in(cell);
  if (!number) return {};
  const UnitExpression read = parse_unit(unit);
  const bool has_unit = !unit.empty() && !read.error;
  return has_unit ? format_display({*number, read.unit.dimension})
                  : fmt::format("{:.12g}", *number);
}

// Numbers that were made between two ends have more digits than anybody reads.
std::string short_label(const std::string& label) {
  constexpr std::size_t kManyDigits = 9;
  const auto read = split_number(label);
  const auto digits = std::min(label.find_first_not_of("0123456789.-"), label.size());
  if (!read || digits <= kManyDigits || std::abs(read->number) >= 1e6) return label;
  return fmt::format("{}{}{}", three_figures(read->number), read->unit.empty() ? "" : " ",
                     read->unit);
}

// Whether the middle of ascending numbers lies where that of ratios does, not that of differences.
bool is_even_by_ratio(const std::vector<CellValue>& values,
                      const std::pair<double, double>& range) {
  const auto [low, high] = range;
  if (low <= 0 || high < kLogSpread * low) return false;
  const double middle = number_in(values[(values.size() - 1) / 2]).value_or(0);
  const double after = number_in(values[values.size() / 2]).value_or(0);
  const double ratio = std::sqrt(middle) * std::sqrt(after);
  return std::abs(std::log(ratio / std::sqrt(low * high))) <
         std::abs(std::log((middle + after) / (low + high)));
}

bool is_same_word(const CellValue& a, const CellValue& b) {
  const auto* s = std::get_if<std::string>(&a);
  const auto* t = std::get_if<std::string>(&b);
  return s != nullptr && t != nullptr && sweep::is_same_word(*s, *t);
}

void put_in_bins(SeenAxis& axis) {
  axis.is_binned = true;
  axis.values.clear();
  axis.labels.clear();
  const auto [low, high] = axis.range;
  const auto edge = [&, low = low, high = high](std::size_t i) {
    const double share = static_cast<double>(i) / kBins;
    return axis.is_log ? low * std::pow(high / low, share) : low + (high - low) * share;
  };
  for (std::size_t i = 0; i < kBins; ++i) {
    axis.values.emplace_back(edge(i));
    axis.labels.push_back(fmt::format("{}–{}", three_figures(edge(i) / axis.scale),
                                      three_figures(edge(i + 1) / axis.scale)));
  }
}

}  // namespace

std::optional<double> number_in(const CellValue& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell); real != nullptr && std::isfinite(*real))
    return *real;
  return std::nullopt;
}

void Spread::take(double number) {
  const double size = std::abs(number);
  if (size > 0) least = most > 0 ? std::min(least, size) : size;
  most = std::max(most, size);
  is_whole = is_whole && number == std::floor(number);
}

Survey::Survey(const Identity& identity)
    : identity_(identity), figures_(identity.columns.size()), spreads_(identity.columns.size()) {
  for (std::size_t i = 0; i < identity.columns.size(); ++i)
    if (identity.columns[i].kind == ColumnKind::kAxis) axis_columns_.push_back(i);
  for (const std::size_t axis : axis_columns_)
    for (std::size_t i = 0; i < identity.columns.size(); ++i)
      if (identity.columns[i].kind == ColumnKind::kFigure) echoes_[axis].insert(i);
}

// A figure that once differs from an axis does not repeat it.
void Survey::take_echoes(const CaseRow& row) {
  for (auto& [axis, figures] : echoes_) {
    const CellValue& asked = row.cells[axis];
    std::erase_if(figures, [&, &asked = asked](std::size_t column) {
      const CellValue& cell = row.cells[column];
      const auto number = number_in(cell);
      const bool is_same =
          cell == asked || (number && number == number_in(asked)) || is_same_word(cell, asked);
      return !is_same && !std::holds_alternative<std::monostate>(cell);
    });
  }
}

void Survey::take(const CaseRow& row) {
  ++rows_;
  take_echoes(row);
  for (std::size_t column = 0; column < row.cells.size(); ++column)
    if (const auto number = number_in(row.cells[column])) spreads_[column].take(*number);
  for (std::size_t i = 0; i < axis_columns_.size(); ++i) {
    const std::size_t column = axis_columns_[i];
    const CellValue& cell = row.cells[column];
    Values& seen = values_[column];
    if (const auto number = number_in(cell)) {
      seen.low = seen.has_number ? std::min(seen.low, *number) : *number;
      seen.high = seen.has_number ? std::max(seen.high, *number) : *number;
      seen.has_number = true;
    } else {
      seen.has_word = true;
    }
    if (seen.labels.size() >= kMostTold) continue;
    if (!seen.labels.contains(cell)) {
      const std::string said = edit_text(row.edits, identity_.columns[column].meaning);
      if (const auto number = number_in(cell)) take_unit(seen, said, *number);
      seen.labels[cell] = said.empty() ? own_text(cell, identity_.columns[column].unit) : said;
      seen.in_order.push_back(cell);
    }
    for (std::size_t j = 0; j < i; ++j)
      if (together_[{i, j}].size() < kMostTold)
        together_[{i, j}][row.cells[axis_columns_[j]]].insert(cell);
  }
  for (std::size_t column = 0; column < row.cells.size(); ++column) {
    if (identity_.columns[column].kind == ColumnKind::kAxis) continue;
    const CellValue& cell = row.cells[column];
    if (std::holds_alternative<std::monostate>(cell)) continue;
    SeenFigure& figure = figures_[column];
    if (figure.numbers + figure.words == 0) figure.first = cell;
    figure.varies = figure.varies || cell != figure.first;
    figure.repeats_axis = figure.repeats_axis && is_on_axis(row, number_in(cell));
    ++(number_in(cell) ? figure.numbers : figure.words);
    const auto* word = std::get_if<std::string>(&cell);
    if (word != nullptr && figure.verdicts.size() <= kMostVerdicts) figure.verdicts.insert(*word);
  }
}

void Survey::take_unit(Values& seen, const std::string& said, double number) {
  constexpr double kSame = 1e-6;
  const auto read = split_number(said);
  WrittenUnit unit;
  if (read && read->number != 0 && number != 0) unit = {read->unit, number / read->number};
  if (!seen.unit) seen.unit = unit;
  const bool is_same = seen.unit->name == unit.name &&
                       std::abs(seen.unit->scale - unit.scale) <= kSame * std::abs(unit.scale);
  if (!is_same) seen.unit = WrittenUnit{};
}

bool Survey::is_words(std::size_t column) const {
  const auto found = values_.find(column);
  return found != values_.end() && found->second.has_word && !found->second.has_number;
}

bool Survey::is_on_axis(const CaseRow& row, std::optional<double> number) const {
  return number && std::any_of(axis_columns_.begin(), axis_columns_.end(), [&](std::size_t column) {
           return number_in(row.cells[column]) == number;
         });
}

bool SeenFigure::is_verdict() const {
  constexpr std::size_t kLongest = 60;  // What is longer is a sentence about its case alone.
  return words > numbers && varies && verdicts.size() <= kMostVerdicts &&
         std::ssize(verdicts) < words &&  // They repeat.
         std::all_of(verdicts.begin(), verdicts.end(),
                     [](const std::string& word) { return word.size() <= kLongest; });
}

bool Survey::is_decided(std::size_t of, std::size_t by) const {
  const std::size_t column = axis_columns_[of];
  if (stands_in("sampled", column)) return false;
  const std::size_t other = axis_columns_[by];
  // A table may list every value once, which says nothing of two columns; a choice says it.
  const auto seen = values_.find(other);
  const bool repeats =
      seen != values_.end() && static_cast<std::int64_t>(seen->second.labels.size()) < rows_;
  const auto found = together_.find({of, by});
  return found != together_.end() && (repeats || stands_in("choice", column)) &&
         std::all_of(found->second.begin(), found->second.end(),
                     [](const auto& pair) { return pair.second.size() == 1; });
}

bool Survey::stands_in(std::string_view key, std::size_t column) const {
  const std::string& name = identity_.columns[column].name;
  return std::any_of(identity_.remarks.begin(), identity_.remarks.end(), [&](const auto& remark) {
    return remark.first == key && remark.second == name;
  });
}

SeenAxis Survey::axis(std::size_t column) const {
  SeenAxis out{.column = column};
  const auto found = values_.find(column);
  if (found == values_.end()) return out;
  out.values = found->second.in_order;
  out.is_number = found->second.has_number && !found->second.has_word;
  if (out.is_number) {
    std::sort(out.values.begin(), out.values.end(), [](const CellValue& a, const CellValue& b) {
      return number_in(a).value_or(0) < number_in(b).value_or(0);
    });
    out.range = {found->second.low, found->second.high};
    out.is_log = is_even_by_ratio(out.values, out.range);
    if (found->second.unit && !found->second.unit->name.empty()) {
      out.unit = found->second.unit->name;
      out.scale = found->second.unit->scale;
    }
  }
  std::set<std::string> different;
  for (const CellValue& value : out.values) {
    out.labels.push_back(short_label(found->second.labels.at(value)));
    different.insert(out.labels.back());
  }
  if (different.size() < out.labels.size())  // Short ones do not tell them apart.
    for (std::size_t i = 0; i < out.values.size(); ++i)
      out.labels[i] = found->second.labels.at(out.values[i]);
  for (std::string& label : out.labels)
    if (label.empty()) label = "–";  // A key that is taken out.
  if (out.is_number && out.values.size() > kMostPhaseValues) put_in_bins(out);
  return out;
}

std::vector<SeenAxis> Survey::axes() const {
  std::vector<SeenAxis> out;
  for (std::size_t i = 0; i < axis_columns_.size(); ++i) {
    out.push_back(axis(axis_columns_[i]));
    for (std::size_t j = 0; j < i && !out.back().follows; ++j)
      out.back().follows = out[j].varies() && is_decided(i, j);
  }
  return out;
}

}  // namespace loadfactor::sweep
