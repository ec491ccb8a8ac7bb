// Axes: lists, ranges and choices of several values at once.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

using config::MapReader;
using config::Node;
using config::NodeKind;

enum class Scale : std::uint8_t { kLinear, kLog };
constexpr std::array<config::Word<Scale>, 2> kScales{
    {{"linear", Scale::kLinear}, {"log", Scale::kLog}}};

// A list of words in one value, as --set writes it: `[a, b]`.
std::string list_text(const Node& node) {
  std::string text;
  for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + item.scalar;
  return "[" + text + "]";
}

std::optional<WrittenText> written(const Desk& desk, const Node& node) {
  WrittenText out{.text = node.scalar, .is_blank = false, .position = node.position};
  if (node.kind == NodeKind::kNull) {
    out.is_blank = true;
  } else if (node.kind == NodeKind::kList) {
    const bool is_flat = std::all_of(node.items.begin(), node.items.end(), [](const Node& item) {
      return item.kind == NodeKind::kScalar;
    });
    if (!is_flat) {
      desk.refuse(lf::kWrongType, node.position, "a value of an axis is a word or a list of words",
                  "write values: [[h100-sxm, l40s], [b200]]");
      return std::nullopt;
    }
    out.text = list_text(node);
  } else if (node.kind != NodeKind::kScalar) {
    desk.refuse(lf::kWrongType, node.position, "a value of an axis is a word or a list of words",
                "`choices:` change several keys at once");
    return std::nullopt;
  }
  return out;
}

void add_block(const Desk& desk, Block block, config::Position at) {
  if (block.points.empty()) return;
  if (block.points.size() > kMostPoints)
    return desk.refuse(lf::kTooLarge, at, fmt::format("an axis of {} points", block.points.size()),
                       fmt::format("at most {}", kMostPoints));
  desk.sweep().blocks.push_back(std::move(block));
}

void read_values(const Desk& desk, MapReader& axis, std::size_t target) {
  Block block{.targets = {target}};
  const Node* node = axis.node("values");
  if (node->kind != NodeKind::kList)
    return desk.refuse(lf::kWrongType, node->position, "'values' is a list",
                       "write values: [a, b], or from, to and steps");
  if (node->items.empty())
    return desk.refuse(lf::kEmptyFile, node->position, "an axis without values",
                       "name at least one, or leave the axis out");
  for (const Node& item : node->items) {
    auto value = written(desk, item);
    if (value) add_value(desk, block, *std::move(value));
  }
  add_block(desk, std::move(block), node->position);
}

// The steps of a range; of 0 points, and the reason, where they are said in no way or in two.
struct Steps {
  std::size_t count = 0;
  double by = 0;
  double times = 0;

  double value(const Ends& ends, std::size_t i) const {
    const auto step = static_cast<double>(i);
    if (by > 0) return ends.from + step * by;
    if (times > 0) return ends.from * std::pow(times, step);
    return ends.at(step / static_cast<double>(count - 1));
  }
};

// A step in the unit of the ends: `by: 300 M` between 100 M and 1000 M is `by: 300`.
std::optional<double> read_by(const Desk& desk, MapReader& axis, const Ends& ends) {
  const Node* node = axis.node("by");
  const auto by = node != nullptr && node->kind == NodeKind::kScalar ? split_number(node->scalar)
                                                                     : std::nullopt;
  if (!by) {
    desk.refuse(lf::kNotANumber, axis.position_of("by"), "'by' is no number",
                "a step in the unit of the ends, such as by: 10");
    return std::nullopt;
  }
  if (by->unit.empty() || by->unit == ends.unit) return by->number;
  for (const auto& [letter, power] : kPowersOfTen)  // Whole numbers are counted in ones.
    if (ends.unit.empty() && by->unit == letter) return by->number * power;
  desk.refuse(lf::kWrongUnit, axis.position_of("by"),
              fmt::format("a step in {}, and ends {}", by->unit,
                          ends.unit.empty() ? "without a unit" : "in " + ends.unit),
              ends.unit.empty() ? "by: 10, as from and to are written"
                                : fmt::format("by: 10 {}, as from and to are written", ends.unit));
  return std::nullopt;
}

Steps read_steps(const Desk& desk, MapReader& axis, const Ends& ends) {
  const auto steps =
      axis.maybe_integer("steps", {.low = 2,
                                   .high = static_cast<double>(kMostPoints),
                                   .hint = "steps counts both ends; one value is values: [8]"});
  const auto by = axis.has("by") ? read_by(desk, axis, ends) : std::nullopt;
  const auto times = axis.maybe_count("times", {1, 1e18});
  const int given =
      (axis.has("steps") ? 1 : 0) + (axis.has("by") ? 1 : 0) + (axis.has("times") ? 1 : 0);
  if (given != 1) {
    desk.refuse(given == 0 ? lf::kMissingKey : lf::kContradictoryKeys, axis.position(),
                given == 0 ? "a range without steps" : "a range with two kinds of steps",
                "steps: 9, by: 10 or times: 2");
    return {};
  }
  if (steps) return {.count = static_cast<std::size_t>(*steps)};
  if (!by && !times) return {};
  const double factor = by ? *by : *times;
  if ((by && factor <= 0) || (times && (factor <= 1 || ends.from <= 0))) {
    desk.refuse(lf::kOutOfRange, axis.position_of(by ? "by" : "times"),
                "a step that never reaches the end",
                by ? "by: more than 0" : "times: more than 1, from: more than 0");
    return {};
  }
  const double reach =
      by ? (ends.to - ends.from) / factor : std::log(ends.to / ends.from) / std::log(factor);
  const double count = std::floor(reach * (1 + 1e-12) + 1e-9) + 1;
  if (count <= static_cast<double>(kMostPoints))
    return {static_cast<std::size_t>(count), by.value_or(0), times.value_or(0)};
  desk.refuse(lf::kTooLarge, axis.position(), fmt::format("an axis of {:.0f} points", count),
              fmt::format("at most {}", kMostPoints));
  return {};
}

void read_range(const Desk& desk, MapReader& axis, std::size_t target) {
  const auto ends = read_ends(desk, axis);
  for (const char* key : {"steps", "by", "times"}) axis.allow(key);
  if (!ends) return;
  const Steps steps = read_steps(desk, axis, *ends);
  Block block{.targets = {target}, .is_numeric = true};
  const bool is_seed = desk.sweep().targets[target].kind == TargetKind::kSeed;
  std::string before;
  for (std::size_t i = 0; i < steps.count; ++i) {
    const double value = steps.value(*ends, i);
    const bool is_exact = ends->is_whole || (is_seed && value == std::floor(value));
    std::string text = is_exact ? whole_number(std::round(value), ends->unit)
                                : number_with_unit(value, ends->unit);
    if (text == before) continue;  // Two points that are the same whole number.
    before = text;
    block.points.push_back({{{.text = std::move(text), .position = axis.position()}}});
  }
  add_block(desk, std::move(block), axis.position());
}

// Each choice gives a value to every key that the first one names.
void read_choices(const Desk& desk, MapReader& axis, const std::string& name) {
  const Node* list = axis.node("choices");
  if (list->kind != NodeKind::kList || list->items.empty())
    return desk.refuse(lf::kWrongType, list->position, "'choices' is a list of maps",
                       "- {serve.model: llama-3.1-8b, limits.gpus: 8}");
  Block block;
  for (const Node& item : list->items) {
    if (item.kind != NodeKind::kMap) {
      desk.refuse(lf::kWrongType, item.position, "a choice is a map of keys and values",
                  "- {serve.model: llama-3.1-8b, limits.gpus: 8}");
      return;
    }
    const bool is_first = &item == &list->items.front();
    Point point;
    point.values.resize(is_first ? 0 : block.targets.size(), {.is_blank = true});
    std::size_t found = 0;
    for (const auto& member : item.members) {
      auto value = written(desk, member.value);
      if (!value) return;
      if (is_first) {
        const std::string column = block.targets.empty() ? name : "";
        const auto target = add_target(desk, member.key, member.key_position, column);
        if (!target) return;
        block.targets.push_back(*target);
        point.values.push_back(*std::move(value));
        ++found;
        continue;
      }
      bool is_known = false;
      for (std::size_t i = 0; i < block.targets.size(); ++i) {
        const Target& target = desk.sweep().targets[block.targets[i]];
        const std::string word = (target.kind == TargetKind::kOption ? "--" : "") + target.key;
        if (word != member.key) continue;
        point.values[i] = *std::move(value);
        is_known = true;
        ++found;
        break;
      }
      if (!is_known)
        return desk.refuse(lf::kUnknownKey, member.key_position,
                           fmt::format("the first choice does not name '{}'", member.key),
                           "every choice names the same keys; null takes one out");
    }
    if (found != block.targets.size())
      return desk.refuse(lf::kMissingKey, item.position, "a choice lacks a key of the first one",
                         "every choice names the same keys once; null takes one out");
    block.points.push_back(std::move(point));
  }
  add_block(desk, std::move(block), list->position);
}

void read_axis(const Desk& desk, MapReader& axis) {
  const std::string name = axis.maybe_text("name").value_or("");
  const bool has_range = axis.has("from") || axis.has("to");
  const int forms =
      (axis.has("values") ? 1 : 0) + (has_range ? 1 : 0) + (axis.has("choices") ? 1 : 0);
  if (forms != 1) {
    desk.refuse(forms == 0 ? lf::kMissingKey : lf::kContradictoryKeys, axis.position(),
                forms == 0 ? "an axis without values" : "an axis with two kinds of values",
                "one of: values: [a, b]; from, to and steps; choices");
    for (const char* key :
         {"key", "values", "from", "to", "steps", "by", "times", "scale", "whole", "choices"})
      axis.allow(key);
  } else if (axis.has("choices")) {
    read_choices(desk, axis, name);
  } else {
    const std::string key =
        desk.needs(axis, "key", "limits.gpus, --gpu or seed") ? axis.text("key") : "";
    const auto target =
        key.empty() ? std::nullopt : add_target(desk, key, axis.position_of("key"), name);
    if (!target) {
      for (const char* each : {"values", "from", "to", "steps", "by", "times", "scale", "whole"})
        axis.allow(each);
    } else if (axis.has("values")) {
      read_values(desk, axis, *target);
    } else {
      read_range(desk, axis, *target);
    }
  }
  axis.finish();
}

}  // namespace

double Ends::at(double share) const {
  if (share <= 0) return from;
  if (share >= 1) return to;
  return is_log ? from * std::pow(to / from, share) : from + (to - from) * share;
}

std::optional<NumberWithUnit> split_number(std::string_view text) {
  NumberWithUnit out;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out.number);
  if (failed != std::errc() || !std::isfinite(out.number)) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  out.unit = rest;
  return out;
}

std::string number_with_unit(double number, const std::string& unit) {
  return fmt::format("{:.12g}{}{}", number, unit.empty() ? "" : " ", unit);
}

std::string whole_number(double number, const std::string& unit) {
  return fmt::format("{:.0f}{}{}", number, unit.empty() ? "" : " ", unit);
}

std::optional<Ends> read_ends(const Desk& desk, MapReader& axis) {
  const auto scale = axis.maybe_word<Scale>("scale", kScales);
  const bool is_whole = axis.maybe_boolean("whole").value_or(false);
  std::array<std::optional<NumberWithUnit>, 2> read;
  constexpr std::array<const char*, 2> kKeys{"from", "to"};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const Node* node = axis.node(kKeys[i]);
    if (node == nullptr || node->kind == NodeKind::kNull) {
      desk.refuse(lf::kMissingKey, axis.position(), fmt::format("a range without '{}'", kKeys[i]),
                  "a range has from, to and steps");
      continue;
    }
    if (node->kind == NodeKind::kScalar) read.at(i) = split_number(node->scalar);
    if (!read.at(i))
      desk.refuse(lf::kNotANumber, node->position, fmt::format("'{}' is no number", kKeys[i]),
                  "a number and its unit: 0.1 M, 40 ms");
  }
  const auto& [low, high] = read;
  if (!low || !high) return std::nullopt;
  const auto refuse = [&](int code, const char* key, const char* message, const char* hint) {
    desk.refuse(code, axis.position_of(key), message, hint);
    return std::nullopt;
  };
  if (low->unit != high->unit)
    return refuse(lf::kWrongUnit, "to", "both ends of a range have the same unit",
                  "write from: 0.1 M with to: 100 M");
  if (low->number == high->number)
    return refuse(lf::kOutOfRange, "to", "a range that ends where it begins",
                  "values: [1] for one value, or from < to");
  if (low->number > high->number)
    return refuse(lf::kOutOfRange, "to", "a range that ends before it begins", "from < to");
  Ends ends{low->number, high->number, low->unit, scale == Scale::kLog, is_whole};
  // Whole numbers between 1 K and 30 K are those of ones, not of thousands.
  for (const auto& [letter, power] : kPowersOfTen) {
    if (!is_whole || ends.unit != letter) continue;
    ends.from *= power;
    ends.to *= power;
    ends.unit.clear();
  }
  if (ends.is_log && ends.from <= 0)
    return refuse(lf::kOutOfRange, "from", "a logarithmic range begins above 0", "from: 0.01");
  return ends;
}

void add_value(const Desk& desk, Block& block, WrittenText value) {
  const bool is_there =
      std::any_of(block.points.begin(), block.points.end(), [&](const Point& point) {
        return point.values.front().text == value.text &&
               point.values.front().is_blank == value.is_blank;
      });
  if (is_there)
    return desk.refuse(lf::kDuplicateName, value.position,
                       fmt::format("the value '{}' stands twice", value.text), "keep one");
  block.points.push_back({{std::move(value)}});
}

void read_axes(const Desk& desk, MapReader& map) {
  for (MapReader& axis : map.maps("axes", false)) read_axis(desk, axis);
}

}  // namespace loadfactor::sweep
