#include "report/describe/ends.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/statistics.h"

namespace loadfactor::report {
namespace {

// What tells one row of a list from another.
constexpr std::array<std::string_view, 9> kNames{"name", "kind",   "way",  "option",  "against",
                                                 "what", "change", "gpus", "services"};

std::optional<double> number(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* real = std::get_if<double>(&value->data)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value->data))
    return static_cast<double>(*whole);
  return std::nullopt;
}

bool is_figure(const Value& value) {
  return value.find("value") != nullptr && value.find("low") != nullptr &&
         value.find("basis") != nullptr;
}

// The same row: names and counts by which rows are told apart are equal.
bool is_same_row(const Value& a, const Value& b) {
  return std::all_of(kNames.begin(), kNames.end(), [&](std::string_view key) {
    const Value* left = a.find(key);
    const Value* right = b.find(key);
    if (left == nullptr || right == nullptr) return left == right;
    if (const auto* text = left->text()) return right->text() != nullptr && *text == *right->text();
    return number(left) == number(right);
  });
}

// The part of an answer at an end that belongs to this part of the answer; nothing where there is
// none.
const Value* counterpart(const Value* end, const Value& row, std::size_t place) {
  const auto* rows = end == nullptr ? nullptr : end->list();
  if (rows == nullptr) return nullptr;
  if (row.object() == nullptr || is_figure(row))
    return place < rows->size() ? &(*rows)[place] : nullptr;
  const auto found = std::find_if(rows->begin(), rows->end(),
                                  [&](const Value& other) { return is_same_row(row, other); });
  return found == rows->end() ? nullptr : &*found;
}

using Pair = std::pair<const Value*, const Value*>;

void widen(Value& figure, const std::vector<Pair>& ends) {
  const auto middle = number(figure.find("value"));
  const auto low = number(figure.find("low"));
  const auto high = number(figure.find("high"));
  if (!middle || !low || !high || *low != *high) return;
  MovedFigure moved(*middle);
  const auto at = [&](const Value* end) {
    const auto there = end == nullptr ? std::nullopt : number(end->find("value"));
    return there && std::isfinite(*there) ? *there : *middle;
  };
  for (const auto& [at_low, at_high] : ends) moved.move(at(at_low), at(at_high));
  for (Member& member : std::get<Value::Object>(figure.data)) {
    if (member.key == "low") member.value = moved.low();
    if (member.key == "high") member.value = moved.high();
  }
}

void walk(Value& value, const std::vector<Pair>& ends) {
  if (is_figure(value)) return widen(value, ends);
  const auto each = [&](Value& part, const auto& find) {
    std::vector<Pair> parts;
    parts.reserve(ends.size());
    for (const auto& [low, high] : ends) parts.emplace_back(find(low), find(high));
    walk(part, parts);
  };
  if (auto* members = std::get_if<Value::Object>(&value.data)) {
    for (Member& member : *members)
      each(member.value,
           [&](const Value* end) { return end == nullptr ? nullptr : end->find(member.key); });
  } else if (auto* items = std::get_if<Value::List>(&value.data)) {
    for (std::size_t i = 0; i < items->size(); ++i)
      each((*items)[i], [&](const Value* end) { return counterpart(end, (*items)[i], i); });
  }
}

}  // namespace

Value with_widths(Value answer, const std::vector<Value>& ends) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) pairs.emplace_back(&ends[i], &ends[i + 1]);
  walk(answer, pairs);
  return answer;
}

}  // namespace loadfactor::report
