#include "sweep/run/value_typer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/error_codes.h"
#include "sweep/parts_reader.h"
#include "sweep/run/cells.h"

namespace loadfactor::sweep {
namespace {

// Points of a block that are read one by one; in a longer table each value is read once.
constexpr std::size_t kMostRead = 2000;

// Cases that are tried for a value that does not read alone.
constexpr std::size_t kMostTried = 500;

bool is_key(const SweepFile& file, const Block& block, std::size_t t) {
  return file.sweep.targets[block.targets[t]].kind == TargetKind::kKey;
}

std::ptrdiff_t count_of(const SweepFile& file, const Block& block, TargetKind kind) {
  return std::count_if(block.targets.begin(), block.targets.end(),
                       [&](std::size_t target) { return file.sweep.targets[target].kind == kind; });
}

// The scenario that a point names, or nothing.
std::string scenario_in(const SweepFile& file, const Block& block, std::size_t point) {
  for (std::size_t t = 0; t < block.targets.size(); ++t)
    if (file.sweep.targets[block.targets[t]].kind == TargetKind::kScenario)
      return block.points[point].values[t].text;
  return {};
}

// A word that is no key's is its own meaning.
TypedValue word_value(const WrittenText& value) {
  return {{}, value.is_said() ? word_cell(value.text) : CellValue()};
}

// Points of numbers that we made go through the reader where they are an end, which knows bounds.
std::set<std::size_t> ends_of(const Block& block) {
  std::set<std::size_t> ends{0};
  for (std::size_t t = 0; t < block.targets.size(); ++t) {
    const auto number = [&](const Point& point) {
      return std::strtod(point.values[t].text.c_str(), nullptr);
    };
    const auto [least, most] =
        std::minmax_element(block.points.begin(), block.points.end(),
                            [&](const Point& a, const Point& b) { return number(a) < number(b); });
    ends.insert(static_cast<std::size_t>(least - block.points.begin()));
    ends.insert(static_cast<std::size_t>(most - block.points.begin()));
  }
  return ends;
}

// All points of a block, the ends first.
std::vector<std::size_t> reading_order(const Block& block, const std::set<std::size_t>& ends) {
  std::vector<std::size_t> order(ends.begin(), ends.end());
  for (std::size_t p = 0; p < block.points.size(); ++p)
    if (!ends.contains(p)) order.push_back(p);
  return order;
}

// For each target whether numbers may be read like the first: the ends come out as the reader has
// them, to the last bit.
std::vector<bool> alike(const Block& block, const std::set<std::size_t>& ends,
                        const TypedBlock& typed) {
  std::vector<bool> out(block.targets.size(), true);
  for (std::size_t t = 0; t < out.size(); ++t)
    for (const std::size_t end : ends) {
      const auto like = value_like(typed[0][t].value, block.points[0].values[t].text,
                                   block.points[end].values[t].text);
      out[t] = out[t] && like == typed[end][t].value;
    }
  return out;
}

// Units may differ in the last bits: `0.2 USD/kWh` is `200 USD/MWh`.
CellValue rounded(const CellValue& cell) {
  const auto* number = std::get_if<double>(&cell);
  constexpr int kDigits = 12;
  if (number == nullptr || !std::isfinite(*number)) return cell;
  return to_double(rounded_decimal(*number, kDigits)).value_or(*number);
}

}  // namespace

Unread unread_in(const SweepFile& file, const BaseScenarios& scenarios) {
  Unread out;
  std::ptrdiff_t blocks = 0;
  for (const Block& block : file.sweep.blocks) {
    const std::ptrdiff_t keys = count_of(file, block, TargetKind::kKey);
    if (keys == 0) continue;
    const bool is_read = !block.is_numeric && block.points.size() <= kMostRead;
    out.pairs = out.pairs || ++blocks > 1 || (keys > 1 && !is_read);
    out.scenarios = out.scenarios || (scenarios.all().size() > 1 &&
                                      count_of(file, block, TargetKind::kScenario) == 0);
  }
  return out;
}

bool visit_cases_with(const Sweep& sweep, std::size_t block, std::size_t point, std::size_t most,
                      const std::function<bool(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> points(sweep.blocks.size(), 0);
  points[block] = point;
  if (visit(points)) return true;
  std::size_t tried = 1;
  for (std::size_t b = 0; b < points.size(); ++b) {
    if (b == block) continue;
    for (std::size_t p = 1; p < sweep.blocks[b].points.size(); ++p) {
      if (tried++ >= most) return false;
      points[b] = p;
      if (visit(points)) return true;
    }
    points[b] = 0;
  }
  while (tried++ < most) {
    std::size_t b = points.size();
    while (b-- > 0) {
      if (b == block) continue;
      if (++points[b] < sweep.blocks[b].points.size()) break;
      points[b] = 0;
    }
    if (b >= points.size()) return false;  // All were tried.
    if (visit(points)) return true;
  }
  return false;
}

std::optional<config::Scenario> ValueTyper::read_alone(std::size_t block, std::size_t point,
                                                       Diagnostics& found) const {
  const Sweep& sweep = file_.sweep;
  const Block& of = sweep.blocks[block];
  const auto assignments = scenarios_.assignments(of, point);
  const bool names_scenario = count_of(file_, of, TargetKind::kScenario) > 0;
  std::vector<std::size_t> points(sweep.blocks.size(), 0);
  points[block] = point;
  for (const BaseScenario& scenario : scenarios_.all()) {
    if (names_scenario && scenarios_.of(points) != &scenario) continue;
    Diagnostics wrong;
    auto read = scenarios_.with(scenario, assignments, wrong);
    if (read) return read;
    if (found.empty()) found = wrong;
  }
  if (found.empty())
    found.add({.code = lf::kMissingKey,
               .message = "a key of a scenario varies, and there is none",
               .hint = "scenario: FILE names one"});
  return std::nullopt;
}

std::optional<config::Scenario> ValueTyper::read_in_a_case(std::size_t block,
                                                           std::size_t point) const {
  const Sweep& sweep = file_.sweep;
  std::optional<config::Scenario> read;
  visit_cases_with(sweep, block, point, kMostTried, [&](const std::vector<std::size_t>& points) {
    const BaseScenario* scenario = scenarios_.of(points);
    if (scenario == nullptr) return false;
    Diagnostics ignored;
    read = scenarios_.with(*scenario, scenarios_.assignments(points), ignored);
    return read.has_value();
  });
  return read;
}

// At the value that is wrong; where none is, because a key is missing, at the first of the point.
void ValueTyper::refuse(const Block& block, std::size_t point, const Diagnostics& found,
                        Diagnostics& diagnostics) const {
  const auto& values = block.points[point].values;
  for (const Error& error : found.errors()) {
    const WrittenText* at = nullptr;
    for (std::size_t t = 0; t < values.size(); ++t) {
      if (!is_key(file_, block, t) || values[t].is_base) continue;
      const std::string start = file_.sweep.targets[block.targets[t]].key + "=";
      if (at == nullptr || error.source_line == start + values[t].text) at = &values[t];
    }
    std::string hint = error.hint;
    if (is_about_several(error) && error.code != lf::kOutOfRange)
      hint += fmt::format("{}`choices:` of an axis sets keys together that need each other",
                          hint.empty() ? "" : "; ");
    Error placed = file_.error(error.code, *at, error.message, hint);
    placed.notes = error.notes;
    diagnostics.add(std::move(placed));
  }
}

// What YAML reads as nothing, though it says something: a comment, `~`.
bool ValueTyper::says_nothing(const Block& block, std::size_t point,
                              Diagnostics& diagnostics) const {
  bool is_sound = true;
  const auto& values = block.points[point].values;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!is_key(file_, block, t) || !values[t].is_said()) continue;
    const std::string& text = values[t].text;
    const auto first = text.find_first_not_of(" \t");
    const std::string_view word =
        first == std::string::npos ? std::string_view() : std::string_view(text).substr(first);
    constexpr std::array<std::string_view, 4> kNull{"", "~", "Null", "NULL"};
    const bool is_nothing =
        word.starts_with('#') || std::find(kNull.begin(), kNull.end(), word) != kNull.end();
    if (!is_nothing) continue;
    diagnostics.add(file_.error(lf::kWrongType, values[t], fmt::format("'{}' sets nothing", text),
                                "null takes the key out; leave out a row that does not count"));
    is_sound = false;
  }
  return !is_sound;
}

bool ValueTyper::type_point(std::size_t block, std::size_t point, std::vector<TypedValue>& typed,
                            Diagnostics& diagnostics) const {
  const Block& of = file_.sweep.blocks[block];
  const auto& values = of.points[point].values;
  bool reads = false;
  for (std::size_t t = 0; t < values.size(); ++t) {
    reads = reads || (is_key(file_, of, t) && !values[t].is_base);
    if (!is_key(file_, of, t)) typed[t] = word_value(values[t]);
  }
  if (!reads) return true;
  if (says_nothing(of, point, diagnostics)) return false;
  Diagnostics found;
  auto scenario = read_alone(block, point, found);
  const bool may_be_read_in_a_case =
      !scenario && std::all_of(found.errors().begin(), found.errors().end(), is_about_several);
  if (may_be_read_in_a_case) scenario = read_in_a_case(block, point);
  if (!scenario) {
    refuse(of, point, found, diagnostics);
    return false;
  }
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!is_key(file_, of, t) || !values[t].is_said()) continue;
    typed[t].value = scenario->value(file_.sweep.targets[of.targets[t]].key);
    typed[t].cell = cell_of(typed[t].value);
  }
  return true;
}

// Numbers that we made between two ends are of the type of the first; values of a long table are
// what they were in an earlier row. One text is one value, wherever a sample repeats it: all values
// of a key between the ends come the same way.
bool ValueTyper::type_block(std::size_t number, TypedBlock& typed, Diagnostics& diagnostics) const {
  const Block& block = file_.sweep.blocks[number];
  typed.assign(block.points.size(), std::vector<TypedValue>(block.targets.size()));
  const std::set<std::size_t> ends = block.is_numeric ? ends_of(block) : std::set<std::size_t>();
  const bool may_repeat = !block.is_numeric && block.points.size() > kMostRead;
  // By target, the scenario of the same point, and text.
  std::map<std::tuple<std::size_t, std::string, std::string>, TypedValue> seen;
  const auto name = [&](std::size_t p, std::size_t t) {
    return std::tuple(t, scenario_in(file_, block, p), block.points[p].values[t].text);
  };
  std::vector<bool> is_like(block.targets.size(), false);
  const auto known = [&](std::size_t p, std::size_t t) -> std::optional<TypedValue> {
    const WrittenText& value = block.points[p].values[t];
    if (value.is_base || (value.is_blank && may_repeat)) return TypedValue();
    if (!is_key(file_, block, t)) return word_value(value);
    if (ends.contains(p)) return std::nullopt;
    if (const auto found = seen.find(name(p, t)); found != seen.end()) return found->second;
    if (!is_like[t]) return std::nullopt;
    const auto like = value_like(typed[0][t].value, block.points[0].values[t].text, value.text);
    return like ? std::optional(TypedValue{*like, cell_of(*like)}) : std::nullopt;
  };
  bool is_sound = true;
  std::size_t done = 0;
  for (const std::size_t p : reading_order(block, ends)) {
    if (done++ == ends.size() && block.is_numeric) is_like = alike(block, ends, typed);
    bool is_known = true;
    for (std::size_t t = 0; t < block.targets.size() && is_known; ++t) {
      const auto value = known(p, t);
      is_known = value.has_value();
      if (value) typed[p][t] = *value;
    }
    if (is_known) continue;
    const bool is_typed = type_point(number, p, typed[p], diagnostics);
    is_sound = is_typed && is_sound;
    if (!is_typed && block.is_numeric) break;
    for (std::size_t t = 0; t < block.targets.size() && is_typed && may_repeat; ++t)
      if (is_key(file_, block, t) && block.points[p].values[t].is_said())
        seen.try_emplace(name(p, t), typed[p][t]);
    for (std::size_t t = 0; t < block.targets.size() && is_typed; ++t)
      if (const auto value = known(p, t)) typed[p][t] = *value;
  }
  return is_sound;
}

// `8` and `8.0` are one value. Rows of a table and samples may repeat.
bool ValueTyper::is_told_once(const Block& block, const TypedBlock& typed,
                              Diagnostics& diagnostics) const {
  const bool is_list = block.targets.size() == 1 && block.sampling == Sampling::kNone &&
                       block.points.front().values.front().document == nullptr;
  if (!is_list) return true;
  std::map<CellValue, std::size_t> seen;
  bool is_sound = true;
  for (std::size_t p = 0; p < typed.size(); ++p) {
    CellValue cell = typed[p].front().cell;
    const WrittenText& value = block.points[p].values.front();
    if (const auto number = split_number(value.text);
        number && number->unit.empty() && cell != CellValue())
      cell = number->number;  // `8`, `8.0` and `"8 "`
    const auto [first, is_new] = seen.try_emplace(rounded(cell), p);
    if (is_new || cell == CellValue()) continue;
    diagnostics.add(file_.error(lf::kDuplicateName, value,
                                fmt::format("'{}' is the same value as '{}'", value.text,
                                            block.points[first->second].values.front().text),
                                "keep one"));
    is_sound = false;
  }
  return is_sound;
}

std::optional<std::vector<TypedBlock>> ValueTyper::type_all(Diagnostics& diagnostics) const {
  bool is_sound = true;
  std::vector<TypedBlock> typed(file_.sweep.blocks.size());
  for (std::size_t i = 0; i < typed.size(); ++i) {
    is_sound = type_block(i, typed[i], diagnostics) &&
               is_told_once(file_.sweep.blocks[i], typed[i], diagnostics) && is_sound;
  }
  if (!is_sound) return std::nullopt;
  return typed;
}

}  // namespace loadfactor::sweep
