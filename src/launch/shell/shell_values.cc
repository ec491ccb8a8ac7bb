#include "launch/shell/shell_values.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

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
};

void add_range(const Range& range, const Word& like, std::vector<Word>& values) {
  constexpr int kMaxWords = 4096;
  if (range.step == 0) return;
  std::int64_t value = range.first;
  for (int i = 0; i < kMaxWords; ++i, value += range.step) {
    if (range.step > 0 ? value > range.last : value < range.last) return;
    values.push_back(like);
    values.back().text = std::to_string(value);
    values.back().is_known = true;
  }
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
  add_range(range, like, values);
  return true;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_blank(c)) out += c;
  return out;
}

// A sum as `$((...))` has it, with the order of its signs.
class SumReader {
 public:
  SumReader(std::string_view text, const Variables& variables, std::string& doubt)
      : text_(text), variables_(variables), doubt_(doubt) {}

  std::optional<std::int64_t> read() {
    const std::int64_t value = compared();
    skip_blanks();
    if (!is_known_ || !text_.empty()) return std::nullopt;
    return value;
  }

 private:
  static constexpr std::int64_t kMaxValue = 1'000'000'000'000;
  static constexpr int kMaxDepth = 32;

  void skip_blanks() {
    while (!text_.empty() && (is_blank(text_.front()) || text_.front() == '\n'))
      text_.remove_prefix(1);
  }
  bool takes(std::string_view sign) {
    skip_blanks();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(sign.size());
    return true;
  }
  std::int64_t bounded(std::int64_t value) {
    if (value > kMaxValue || value < -kMaxValue) is_known_ = false;
    return is_known_ ? value : 0;
  }
  std::int64_t compared() {
    const std::int64_t left = added();
    if (takes("==")) return left == added() ? 1 : 0;
    if (takes("!=")) return left != added() ? 1 : 0;
    if (takes("<=")) return left <= added() ? 1 : 0;
    if (takes(">=")) return left >= added() ? 1 : 0;
    if (takes("<")) return left < added() ? 1 : 0;
    if (takes(">")) return left > added() ? 1 : 0;
    return left;
  }
  std::int64_t added() {
    std::int64_t total = multiplied();
    while (is_known_) {
      if (takes("+"))
        total = bounded(total + multiplied());
      else if (takes("-"))
        total = bounded(total - multiplied());
      else
        break;
    }
    return total;
  }
  std::int64_t multiplied() {
    std::int64_t total = single();
    while (is_known_) {
      skip_blanks();
      const char sign = text_.empty() ? '\0' : text_.front();
      if ((sign != '*' && sign != '/' && sign != '%') || text_.starts_with("**")) break;
      text_.remove_prefix(1);
      const std::int64_t value = single();
      if (sign != '*' && value == 0) is_known_ = false;
      if (!is_known_) break;
      if (sign == '*' && total != 0 && std::abs(value) > kMaxValue / std::abs(total))
        is_known_ = false;
      else if (sign == '*')
        total *= value;
      else
        total = sign == '/' ? total / value : total % value;
    }
    return total;
  }
  std::int64_t single() {
    if (++depth_ > kMaxDepth) is_known_ = false;
    if (!is_known_) return 0;
    std::int64_t value = 0;
    if (takes("-")) {
      value = -single();
    } else if (takes("(")) {
      value = compared();
      if (!takes(")")) is_known_ = false;
    } else {
      value = named();
    }
    --depth_;
    return value;
  }
  // `4`, `NODES`, `$NODES` or `${NODES}`; `$4` is an argument, and `4` none.
  std::int64_t named() {
    const bool is_braced = takes("${");
    const bool is_marked = is_braced || takes("$");
    std::string name;
    while (!text_.empty() && is_name(text_.front())) {
      name += text_.front();
      text_.remove_prefix(1);
    }
    if (is_braced && !takes("}")) is_known_ = false;
    std::string digits = name;
    const bool is_number_itself = !is_marked && !name.empty() && name[0] >= '0' && name[0] <= '9';
    if (const auto found = variables_.find(name); found != variables_.end() && !is_number_itself) {
      digits = found->second.text;
      if (!found->second.doubt.empty()) doubt_ = found->second.doubt;
      if (!found->second.is_known) is_known_ = false;
    }
    std::int64_t value = 0;
    const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = done.ec == std::errc() && done.ptr == digits.data() + digits.size();
    if (!is_number) is_known_ = false;
    return bounded(value);
  }

  std::string_view text_;
  const Variables& variables_;
  std::string& doubt_;
  bool is_known_ = true;
  int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> computed(std::string_view text, const Variables& variables,
                                     std::string& doubt) {
  return SumReader(text, variables, doubt).read();
}

void add_values(const Word& word, const Variables& variables, std::vector<Word>& values) {
  if (add_sequence(word, variables, values)) return;
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
  add_range(range, like, loop.values);
  return loop;
}

}  // namespace loadfactor::launch
