#include "launch/shell/shell_braces.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace loadfactor::launch::shell {
namespace {

constexpr int kMaxDepth = 16;  // Braces within braces.

// A part of a word, with what of it is neither quoted nor put in for a variable.
struct Part {
  std::string_view text;
  std::string_view syntax;

  Part cut(std::size_t from, std::size_t to) const {
    return {text.substr(from, to - from), syntax.substr(from, to - from)};
  }
};

// Where the brace that opens at `open` closes, and the commas between, none of which stands in
// braces within.
struct Braces {
  std::size_t close = 0;
  std::vector<std::size_t> commas = {};
};
std::optional<Braces> braces_at(std::string_view syntax, std::size_t open) {
  Braces found;
  int depth = 0;
  for (std::size_t i = open; i < syntax.size(); ++i) {
    if (syntax[i] == '{') ++depth;
    if (syntax[i] == ',' && depth == 1) found.commas.push_back(i);
    if (syntax[i] != '}' || --depth > 0) continue;
    found.close = i;
    return found;
  }
  return std::nullopt;
}

std::optional<std::int64_t> short_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 9;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::int64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_letter(std::string_view text) {
  return text.size() == 1 &&
         ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

// As many digits as the wider end has, where one of them begins with a zero.
std::size_t digits_of(std::string_view first, std::string_view last) {
  const auto is_padded = [](std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return text.size() > 1 && text.starts_with('0');
  };
  return is_padded(first) || is_padded(last) ? std::max(first.size(), last.size()) : 0;
}

std::string padded(std::int64_t value, std::size_t width) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  const std::size_t sign = value < 0 ? 1 : 0;
  if (digits.size() + sign < width) digits.insert(0, width - sign - digits.size(), '0');
  return (sign > 0 ? "-" : "") + digits;
}

// `1..4`, `01..10..3` and `a..e`; nothing where it is none, or longer than `most`.
std::vector<std::string> sequence(std::string_view inside, std::size_t most) {
  const auto dots = inside.find("..");
  if (dots == std::string_view::npos) return {};
  const std::string_view first = inside.substr(0, dots);
  std::string_view last = inside.substr(dots + 2);
  std::int64_t step = 1;
  if (const auto more = last.find(".."); more != std::string_view::npos) {
    const auto by = short_number(last.substr(more + 2));
    if (!by) return {};
    step = std::max<std::int64_t>(1, *by < 0 ? -*by : *by);
    last = last.substr(0, more);
  }
  const bool has_letters = is_letter(first) && is_letter(last);
  const auto from = has_letters ? std::optional<std::int64_t>(first[0]) : short_number(first);
  const auto to = has_letters ? std::optional<std::int64_t>(last[0]) : short_number(last);
  if (!from || !to) return {};
  const std::int64_t length = (*to > *from ? *to - *from : *from - *to) / step + 1;
  if (length > static_cast<std::int64_t>(most)) return {};
  const std::size_t width = has_letters ? 0 : digits_of(first, last);
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t value = *from + (*to < *from ? -i : i) * step;
    out.push_back(has_letters ? std::string(1, static_cast<char>(value)) : padded(value, width));
  }
  return out;
}

std::vector<std::string> expanded(const Part& part, std::size_t most, int depth);

// What stands between braces; nothing where they are none of the shell's.
std::vector<std::string> choices(const Part& part, std::size_t open, const Braces& braces,
                                 std::size_t most, int depth) {
  if (braces.commas.empty())
    return sequence(part.syntax.substr(open + 1, braces.close - open - 1), most);
  std::vector<std::string> out;
  std::size_t from = open + 1;
  std::vector<std::size_t> ends = braces.commas;
  ends.push_back(braces.close);
  for (const std::size_t end : ends) {
    for (std::string& each : expanded(part.cut(from, end), most, depth + 1))
      out.push_back(std::move(each));
    from = end + 1;
  }
  return out;
}

std::vector<std::string> expanded(const Part& part, std::size_t most, int depth) {
  const std::vector<std::string> itself{std::string(part.text)};
  if (depth > kMaxDepth) return itself;
  for (auto open = part.syntax.find('{'); open != std::string_view::npos;
       open = part.syntax.find('{', open + 1)) {
    const auto braces = braces_at(part.syntax, open);
    if (!braces) continue;
    const auto middle = choices(part, open, *braces, most, depth);
    if (middle.empty()) continue;
    const auto behind = expanded(part.cut(braces->close + 1, part.text.size()), most, depth);
    if (middle.size() * behind.size() > most) return itself;
    std::vector<std::string> out;
    for (const std::string& each : middle)
      for (const std::string& rest : behind)
        out.push_back(std::string(part.text.substr(0, open)) + each + rest);
    return out;
  }
  return itself;
}

}  // namespace

std::vector<std::string> brace_words(std::string_view word, std::string_view syntax,
                                     std::size_t most) {
  return expanded({word, syntax}, most, 0);
}

}  // namespace loadfactor::launch::shell
