#include "launch/read/shell_values.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <tuple>
#include <utility>

namespace loadfactor::launch {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

// A range of whole numbers, which goes down where its step does.
struct Range {
  std::int64_t first = 1;
  std::int64_t last = 0;
  std::int64_t step = 1;
  int width = 0;  // Digits that each is written with, at least.
};

void add_range(const Range& range, const Word& like, std::string_view before,
               std::string_view behind, std::vector<Word>& values) {
  constexpr int kMost = 4096;
  if (range.step == 0) return;
  std::int64_t value = range.first;
  for (int i = 0; i < kMost; ++i, value += range.step) {
    if (range.step > 0 ? value > range.last : value < range.last) return;
    std::string digits = std::to_string(value);
    const auto width = static_cast<std::size_t>(range.width);
    if (value >= 0 && digits.size() < width) digits.insert(0, width - digits.size(), '0');
    values.push_back(like);
    values.back().text = std::string(before) + digits + std::string(behind);
    values.back().is_known = true;
  }
}

// `node{01..04}`; false where there is no such range in it.
bool add_braces(const Word& word, std::vector<Word>& values) {
  const std::string& text = word.text;
  const auto open = text.find('{');
  if (open == std::string::npos || !word.is_known) return false;
  Range range;
  int length = 0;
  if (std::sscanf(text.c_str() + open, "{%9" SCNd64 "..%9" SCNd64 "}%n", &range.first, &range.last,
                  &length) != 2 ||
      length == 0)
    return false;
  if (text[open + 1] == '0') range.width = static_cast<int>(text.find("..", open) - open - 1);
  if (range.last < range.first) range.step = -1;
  const std::string_view all = text;
  add_range(range, word, all.substr(0, open), all.substr(open + static_cast<std::size_t>(length)),
            values);
  return true;
}

// `$(seq 3)`, `$(seq 0 3)`, `$(seq 0 2 6)`, with variables in it.
bool add_sequence(const Word& word, const Variables& variables, std::vector<Word>& values) {
  std::string_view text = word.text;
  if (!text.starts_with("$(") || !text.ends_with(')')) return false;
  text.remove_prefix(2);
  text.remove_suffix(1);
  const bool is_plain = text.find_first_of(";\n|&`") == std::string_view::npos &&
                        text.find("for") == std::string_view::npos;
  if (!text.starts_with("seq ") || !is_plain) return false;
  const ShellText inside = read_shell(text, variables);
  if (inside.commands.size() != 1) return false;
  std::vector<std::int64_t> numbers;
  std::string doubt;
  for (const Word& each : inside.commands.front()) {
    if (each.text == "seq") continue;
    const auto number = each.is_known ? computed(each.text, {}, doubt) : std::nullopt;
    if (!number) return false;
    numbers.push_back(*number);
    if (doubt.empty()) doubt = each.doubt;
  }
  if (numbers.empty() || numbers.size() > 3) return false;
  Range range{.last = numbers.back()};
  if (numbers.size() > 1) range.first = numbers.front();
  if (numbers.size() > 2) range.step = numbers[1];
  Word like = word;
  if (like.doubt.empty()) like.doubt = doubt;
  add_range(range, like, "", "", values);
  return true;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_blank(c)) out += c;
  return out;
}

}  // namespace

std::optional<std::int64_t> computed(std::string_view text, const Variables& variables,
                                     std::string& doubt) {
  std::int64_t total = 0;
  char sign = '+';
  while (true) {
    std::string name;
    while (!text.empty() && (is_blank(text.front()) || text.front() == '$' || text.front() == '{'))
      text.remove_prefix(1);
    while (!text.empty() && is_name(text.front())) {
      name += text.front();
      text.remove_prefix(1);
    }
    while (!text.empty() && (is_blank(text.front()) || text.front() == '}')) text.remove_prefix(1);
    std::string digits = name;
    if (const auto found = variables.find(name); found != variables.end())
      std::tie(digits, doubt) =
          std::pair(found->second.text, found->second.doubt.empty() ? doubt : found->second.doubt);
    std::int64_t value = 0;
    const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = done.ec == std::errc() && done.ptr == digits.data() + digits.size();
    constexpr std::int64_t kMost = 1'000'000'000;
    if (!is_number || value > kMost || total > kMost) return std::nullopt;
    if (sign == '+') total += value;
    if (sign == '-') total -= value;
    if (sign == '*') total *= value;
    if (sign == '/' && value == 0) return std::nullopt;
    if (sign == '/') total /= value;
    if (text.empty()) return total;
    sign = text.front();
    if (std::string_view("+-*/").find(sign) == std::string_view::npos) return std::nullopt;
    text.remove_prefix(1);
  }
}

void add_values(const Word& word, const Variables& variables, std::vector<Word>& values) {
  if (add_braces(word, values) || add_sequence(word, variables, values)) return;
  if (word.is_known) values.push_back(word);
}

CountedLoop counted_loop(const Word& head, const Variables& variables) {
  const std::string text = without_blanks(head.text);
  const auto first = text.find(';');
  const auto second = text.find(';', std::min(first, text.size() - 1) + 1);
  const auto equals = text.find('=');
  if (second == std::string::npos || equals == std::string::npos || equals > first) return {};
  CountedLoop loop{.name = text.substr(0, equals), .values = {}};
  const std::string test = text.substr(first + 1, second - first - 1);
  const std::string step = text.substr(second + 1);
  const bool is_closed = test.starts_with(loop.name + "<=");
  if (!test.starts_with(loop.name + "<")) return {};
  std::string doubt;
  Range range;
  const auto from = computed(text.substr(equals + 1, first - equals - 1), variables, doubt);
  const auto to = computed(test.substr(loop.name.size() + (is_closed ? 2 : 1)), variables, doubt);
  if (!from || !to) return {};
  range.first = *from;
  range.last = is_closed ? *to : *to - 1;
  if (step.starts_with(loop.name + "+=")) {
    const auto by = computed(step.substr(loop.name.size() + 2), variables, doubt);
    if (!by || *by <= 0) return {};
    range.step = *by;
  } else if (step != loop.name + "++" && step != "++" + loop.name) {
    return {};
  }
  Word like = head;
  like.doubt = doubt;
  add_range(range, like, "", "", loop.values);
  return loop;
}

}  // namespace loadfactor::launch
