#include "launch/vocabulary/program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "launch/vocabulary/table.h"

namespace loadfactor::launch {
namespace {

struct KindRow {
  std::string_view word;
  FlagKind kind;
};
constexpr std::array kKinds{
    KindRow{"switch", FlagKind::kSwitch},   KindRow{"toggle", FlagKind::kToggle},
    KindRow{"boolean", FlagKind::kBoolean}, KindRow{"integer", FlagKind::kInteger},
    KindRow{"size", FlagKind::kSize},       KindRow{"number", FlagKind::kNumber},
    KindRow{"word", FlagKind::kWord},       KindRow{"text", FlagKind::kText},
    KindRow{"json", FlagKind::kJson},       KindRow{"list", FlagKind::kList},
    KindRow{"section", FlagKind::kSection},
};

FlagKind kind_of(std::string_view word) {
  const auto* row = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const KindRow& each) { return each.word == word; });
  return row == kKinds.end() ? FlagKind::kText : row->kind;
}

std::string spelled(std::string_view written) {
  std::string name(written);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// `--no-x` of `--x`; `--profiler.no_x` of `--profiler.x`.
bool says_no(const Flag& flag, const std::string& other) {
  if (flag.kind != FlagKind::kToggle) return false;
  const std::string name = spelled(flag.name);
  const std::string no = spelled(other);
  const auto at = no.find("no-");
  return at != std::string::npos && no.substr(0, at) + no.substr(at + 3) == name;
}

ProgramOrigin origin_of(std::string_view name) {
  for (const auto& row : read_table("programs.csv"))
    if (row[0] == name) return {row[1], row[2], row[3]};
  return {};
}

bool is_number(std::string_view text, bool whole) {
  double number = 0;
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto done =
      whole ? std::from_chars(text.data(), end, count) : std::from_chars(text.data(), end, number);
  return done.ec == std::errc() && done.ptr == end;
}

bool is_truth(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWords{"true", "false", "True", "False"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

}  // namespace

Program::Program(std::string name, ProgramOrigin origin, std::vector<Flag> flags)
    : name_(std::move(name)), origin_(std::move(origin)), flags_(std::move(flags)) {
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    index_.emplace(spelled(flags_[i].name), std::pair(i, false));
    for (const auto& other : flags_[i].other_names)
      index_.emplace(spelled(other), std::pair(i, says_no(flags_[i], other)));
  }
}

std::optional<FlagMatch> Program::find(std::string_view written) const {
  const auto found = index_.find(spelled(written));
  if (found == index_.end()) return std::nullopt;
  return FlagMatch{&flags_[found->second.first], found->second.second};
}

std::vector<std::string> Program::names() const {
  std::vector<std::string> names;
  names.reserve(flags_.size());
  for (const Flag& flag : flags_) names.push_back(flag.name);
  return names;
}

std::optional<std::int64_t> size_of(std::string_view text) {
  struct UnitRow {
    char unit;
    double factor;
  };
  constexpr std::array kUnits{UnitRow{'k', 1e3}, UnitRow{'K', 1024.0},
                              UnitRow{'m', 1e6}, UnitRow{'M', 1048576.0},
                              UnitRow{'g', 1e9}, UnitRow{'G', 1073741824.0}};
  double factor = 1;
  for (const auto& [unit, times] : kUnits) {
    if (text.empty() || text.back() != unit) continue;
    factor = times;
    text.remove_suffix(1);
    break;
  }
  if (factor == 1 && !is_number(text, true)) return std::nullopt;
  double number = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double kMaxNumber = 1e15;
  if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return std::nullopt;
  if (!(std::abs(number * factor) < kMaxNumber)) return std::nullopt;
  return static_cast<std::int64_t>(number * factor);
}

std::string value_fault(const Flag& flag, std::string_view value) {
  switch (flag.kind) {
    case FlagKind::kSwitch:
    case FlagKind::kToggle:
      return value.empty() ? "" : fmt::format("takes no value, and '{}' is given", value);
    case FlagKind::kBoolean:
      return is_truth(value) ? "" : fmt::format("'{}' is neither true nor false", value);
    case FlagKind::kInteger:
      return is_number(value, true) ? "" : fmt::format("'{}' is no whole number", value);
    case FlagKind::kSize:
      return value == "auto" || size_of(value)
                 ? ""
                 : fmt::format("'{}' is no whole number, no 32k and not auto", value);
    case FlagKind::kNumber:
      return is_number(value, false) ? "" : fmt::format("'{}' is no number", value);
    case FlagKind::kWord:
      if (std::find(flag.choices.begin(), flag.choices.end(), value) == flag.choices.end())
        return fmt::format("'{}' is none of {}", value, fmt::join(flag.choices, ", "));
      return "";
    default:
      return value.empty() ? "needs a value" : "";
  }
}

Program read_program(std::string_view name) {
  std::vector<Flag> flags;
  for (auto& row : read_table(fmt::format("flags/{}.csv", name)))
    flags.push_back({std::move(row[0]), split_cell(row[1], ' '), kind_of(row[2]),
                     split_cell(row[3], '|'), std::move(row[4])});
  return {std::string(name), origin_of(name), std::move(flags)};
}

std::vector<TitanConfig> read_titan_configs() {
  std::vector<TitanConfig> configs;
  for (auto& row : read_table("torchtitan.csv"))
    configs.push_back({std::move(row[0]), std::move(row[1])});
  return configs;
}

std::vector<Metric> read_metrics() {
  std::vector<Metric> metrics;
  for (auto& row : read_table("metrics.csv"))
    metrics.push_back(
        {std::move(row[0]), std::move(row[1]), std::move(row[2]), split_cell(row[3], ' ')});
  return metrics;
}

}  // namespace loadfactor::launch
