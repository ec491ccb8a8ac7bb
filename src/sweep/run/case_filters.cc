// Which cases of a sweep count, and whether its filters say what was meant.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "sweep/run/case_maker.h"
#include "sweep/run/cells.h"

namespace loadfactor::sweep {
namespace {

// What the values of a column are.
struct Held {
  std::set<std::string> words;
  bool has_number = false;

  explicit Held(const std::vector<CellValue>& cells) {
    for (const CellValue& cell : cells) {
      if (const auto* word = std::get_if<std::string>(&cell)) words.insert(*word);
      has_number = has_number || std::holds_alternative<double>(filter_value(cell));
    }
  }
  bool has(const std::string& word) const {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& each) { return is_same_word(each, word); });
  }
  // Some of the words, in quotes.
  std::string some() const {
    constexpr std::size_t kShown = 6;
    std::vector<std::string> out;
    for (const std::string& word : words)
      if (out.size() < kShown) out.push_back(fmt::format("'{}'", word));
    return fmt::format("{}{}", fmt::join(out, ", "), words.size() > kShown ? ", …" : "");
  }
};

// What is wrong with comparing a column with what the filter writes, and what to write instead.
std::optional<Error> misfit(const std::string& column, const Held& held, const FilterValue& with) {
  const auto* word = std::get_if<std::string>(&with);
  const auto refuse = [](std::string message, std::string hint) {
    return Error{.code = lf::kUnknownWord, .message = std::move(message), .hint = std::move(hint)};
  };
  if (held.words.empty() && !held.has_number) return std::nullopt;  // All are blank.
  if (word == nullptr) {
    if (held.has_number) return std::nullopt;
    return refuse(fmt::format("'{}' holds words, and is compared with a number", column),
                  fmt::format("words stand in quotes: {}", held.some()));
  }
  if (held.has(*word)) return std::nullopt;
  if (held.words.empty())
    return refuse(fmt::format("'{}' holds numbers, and is compared with a word", column),
                  fmt::format("leave out the quotes; {} == null where it is blank", column));
  const auto nearest =
      config::suggest(*word, std::vector<std::string>(held.words.begin(), held.words.end()));
  return refuse(fmt::format("no case has {} '{}'", column, *word),
                nearest ? fmt::format("did you mean '{}'?", *nearest) : "one of: " + held.some());
}

// In which units numbers are compared.
std::string as_results_do(const std::vector<ResultColumn>& columns) {
  std::string units;
  for (const ResultColumn& column : columns)
    if (!column.unit.empty() && column.unit != "1")
      units += fmt::format("{} in {}, ", column.name, column.unit);
  std::string hint =
      fmt::format("write it as the results do: {}0.5 for 50 %, words in quotes", units);
  return hint;
}

}  // namespace

std::vector<CellValue> CaseMaker::values_of(std::size_t target) const {
  const Sweep& sweep = file_.sweep;
  std::vector<CellValue> out;
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const auto& targets = sweep.blocks[b].targets;
    const auto found = std::find(targets.begin(), targets.end(), target);
    if (found == targets.end()) continue;
    const auto t = static_cast<std::size_t>(found - targets.begin());
    bool has_base = false;
    for (std::size_t p = 0; p < typed_[b].size(); ++p) {
      out.push_back(typed_[b][p][t].cell);
      has_base = has_base || sweep.blocks[b].points[p].values[t].is_base;
    }
    for (const BaseScenario& base : scenarios_.all())
      if (has_base && sweep.targets[target].kind == TargetKind::kKey)
        out.push_back(cell_of(base.read.value(sweep.targets[target].key)));
  }
  return out;
}

bool CaseMaker::filters_fit(Diagnostics& diagnostics) const {
  bool is_sound = true;
  std::map<std::size_t, Held> held;
  for (std::size_t i = 0; i < filters_.size(); ++i)
    for (const Comparison& comparison : filters_[i].comparisons()) {
      const std::size_t target = comparison.column;
      if (!held.contains(target)) held.emplace(target, values_of(target));
      const auto wrong =
          misfit(file_.sweep.targets[target].column, held.at(target), comparison.with);
      if (!wrong) continue;
      is_sound = false;
      diagnostics.add(file_.error(lf::kUnknownWord, {.position = file_.sweep.filters[i].position},
                                  wrong->message, wrong->hint));
    }
  return is_sound;
}

bool CaseMaker::has_cases(Diagnostics& diagnostics) const {
  constexpr std::int64_t kMostTried = 5'000'000;  // Seconds; beyond, whoever runs them finds out.
  const std::int64_t last = std::min(cases(), kMostTried);
  std::int64_t number = 0;
  while (number < last && !counts(number)) ++number;
  const auto& filters = file_.sweep.filters;
  if (number < last || last < cases()) return last < cases() || every_filter_works(diagnostics);
  diagnostics.add(file_.error(lf::kOutOfRange, {.position = filters.front().position},
                              filters.size() == 1 ? "the filter lets no case through"
                                                  : "the filters together let no case through",
                              as_results_do(axis_columns())));
  return false;
}

// A filter that takes nothing out is written in other units or words than the results have.
bool CaseMaker::every_filter_works(Diagnostics& diagnostics) const {
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    std::int64_t number = 0;
    while (number < cases() && passes(filters_[i], number)) ++number;
    if (number < cases()) continue;
    diagnostics.add(file_.error(lf::kOutOfRange, {.position = file_.sweep.filters[i].position},
                                "the filter takes no case out",
                                "leave it out, or " + as_results_do(axis_columns())));
  }
  return diagnostics.empty();
}

bool CaseMaker::counts(std::int64_t number) const {
  return std::all_of(filters_.begin(), filters_.end(),
                     [&](const Filter& filter) { return passes(filter, number); });
}

bool CaseMaker::passes(const Filter& filter, std::int64_t number) const {
  const Sweep& sweep = file_.sweep;
  const auto points = points_of(sweep, number);
  const auto value = [&](std::size_t target) -> FilterValue {
    for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
      const auto& targets = sweep.blocks[b].targets;
      const auto found = std::find(targets.begin(), targets.end(), target);
      if (found == targets.end()) continue;
      const auto t = static_cast<std::size_t>(found - targets.begin());
      return filter_value(value_at(points, b, t).cell);
    }
    return {};
  };
  return filter.holds(value);
}

}  // namespace loadfactor::sweep
