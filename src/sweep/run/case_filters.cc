// Which cases of a sweep count, and whether its filters say what was meant.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sweep/run/case_maker.h"
#include "sweep/run/cells.h"
#include "sweep/run/held_values.h"

namespace loadfactor::sweep {
namespace {

// How numbers are written, with the units of the columns that the filters compare.
std::string how_to_write(const std::vector<ResultColumn>& columns,
                         const std::vector<Filter>& filters, const std::string& currency) {
  std::set<std::size_t> compared;
  for (const Filter& filter : filters)
    for (const Comparison& comparison : filter.comparisons()) compared.insert(comparison.column);
  std::string units;
  for (const std::size_t column : compared)
    if (const ResultColumn& each = columns[column]; !each.unit.empty() && each.unit != "1")
      units += fmt::format("{}{} in {}", units.empty() ? "" : ", ", each.name,
                           in_currency(each.unit, currency));
  std::string hint = "a number may have a unit, as in the scenario";
  return units.empty() ? hint
                       : fmt::format("{}; without one it is as in the results: {}", hint, units);
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
  std::map<std::size_t, HeldValues> held;
  const auto columns = axis_columns();
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const auto comparisons = filters_[i].comparisons();
    for (const Comparison& comparison : comparisons) {
      const std::size_t target = comparison.column;
      if (!held.contains(target))
        held.emplace(target, HeldValues(columns[target], values_of(target), currency()));
      auto wrong = held.at(target).misfit(comparison);
      // One that is the whole filter is told below, with the filter.
      if (!wrong && comparisons.size() > 1) wrong = held.at(target).decides_nothing(comparison);
      if (!wrong) continue;
      is_sound = false;
      diagnostics.add(file_.error(wrong->code, {.position = file_.sweep.filters[i].position},
                                  wrong->message, wrong->hint));
    }
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
                              how_to_write(axis_columns(), filters_, currency())));
  return false;
}

// A filter that takes nothing out is written in other units or words than the results have.
bool CaseMaker::every_filter_works(Diagnostics& diagnostics) const {
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    std::int64_t number = 0;
    while (number < cases() && passes(filters_[i], number)) ++number;
    if (number < cases()) continue;
    diagnostics.add(
        file_.error(lf::kOutOfRange, {.position = file_.sweep.filters[i].position},
                    "the filter takes no case out",
                    "leave it out; " + how_to_write(axis_columns(), filters_, currency())));
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
