#include "launch/shell/shell_tests.h"

#include <algorithm>
#include <array>
#include <optional>

#include "launch/shell/shell_values.h"

namespace loadfactor::launch {
namespace {

using Words = std::span<const Word>;

Holds as_outcome(bool holds) {
  return holds ? Holds::kYes : Holds::kNo;
}

Holds opposite(Holds holds) {
  if (holds == Holds::kUnknown) return holds;
  return holds == Holds::kYes ? Holds::kNo : Holds::kYes;
}

Holds compare_numbers(std::string_view left, std::string_view sign, std::string_view right) {
  const auto a = whole_number(left);
  const auto b = whole_number(right);
  if (!a || !b) return Holds::kUnknown;
  if (sign == "-eq") return as_outcome(*a == *b);
  if (sign == "-ne") return as_outcome(*a != *b);
  if (sign == "-lt") return as_outcome(*a < *b);
  if (sign == "-le") return as_outcome(*a <= *b);
  if (sign == "-gt") return as_outcome(*a > *b);
  if (sign == "-ge") return as_outcome(*a >= *b);
  return Holds::kUnknown;
}

// One comparison, without `&&` and `||`.
Holds compare(Words words, bool has_patterns) {
  if (!words.empty() && words.front().text == "!")
    return opposite(compare(words.subspan(1), has_patterns));
  const bool is_known =
      std::all_of(words.begin(), words.end(), [](const Word& word) { return word.is_known; });
  if (!is_known) return Holds::kUnknown;
  if (words.size() == 1) return as_outcome(!words[0].text.empty());
  if (words.size() == 2 && words[0].text == "-n") return as_outcome(!words[1].text.empty());
  if (words.size() == 2 && words[0].text == "-z") return as_outcome(words[1].text.empty());
  if (words.size() != 3) return Holds::kUnknown;
  const std::string& sign = words[1].text;
  const bool is_equal =
      has_patterns ? matches_pattern(words[0].text, words[2].text) : words[0].text == words[2].text;
  if (sign == "=" || sign == "==") return as_outcome(is_equal);
  if (sign == "!=") return as_outcome(!is_equal);
  return compare_numbers(words[0].text, sign, words[2].text);
}

Holds both(Holds left, Holds right) {
  if (left == Holds::kNo || right == Holds::kNo) return Holds::kNo;
  return left == Holds::kYes && right == Holds::kYes ? Holds::kYes : Holds::kUnknown;
}

// From the left to the right: `||` binds no closer than `&&` where both stand in one test.
Holds evaluate(Words words, bool has_patterns) {
  const auto is_join = [](const Word& word) {
    return word.text == "&&" || word.text == "||" || word.text == "-a" || word.text == "-o";
  };
  const auto join = std::find_if(words.rbegin(), words.rend(), is_join);
  if (join == words.rend()) return compare(words, has_patterns);
  const auto at = static_cast<std::size_t>(words.rend() - join) - 1;
  const Holds left = evaluate(words.first(at), has_patterns);
  const Holds right = compare(words.subspan(at + 1), has_patterns);
  if (join->text == "&&" || join->text == "-a") return both(left, right);
  return opposite(both(opposite(left), opposite(right)));
}

}  // namespace

bool is_test(Words words) {
  constexpr std::array<std::string_view, 3> kTests{"[", "[[", "test"};
  return !words.empty() &&
         std::find(kTests.begin(), kTests.end(), words.front().text) != kTests.end();
}

Outcome outcome_of_test(Words words) {
  const bool has_patterns = words.front().text == "[[";
  const bool has_end = words.back().text == "]" || words.back().text == "]]";
  Words inside = words.subspan(1, words.size() - (has_end && words.size() > 1 ? 2 : 1));
  Outcome outcome;
  constexpr std::size_t kMaxWords = 64;
  if (inside.size() <= kMaxWords) outcome.holds = evaluate(inside, has_patterns);
  for (const Word& word : inside)
    if (outcome.doubt.empty()) outcome.doubt = word.doubt;
  return outcome;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  constexpr std::size_t kMaxLength = 1024;
  if (text.size() > kMaxLength || pattern.size() > kMaxLength) return text == pattern;
  std::size_t at = 0, in_pattern = 0;
  std::size_t star = std::string_view::npos, star_at = 0;
  while (at < text.size()) {
    const bool is_star = in_pattern < pattern.size() && pattern[in_pattern] == '*';
    const bool is_same = in_pattern < pattern.size() &&
                         (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at]);
    if (is_star) {
      star = in_pattern++;
      star_at = at;
    } else if (is_same) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace loadfactor::launch
