#include "sweep/look/failures.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "base/quantity_text.h"
#include "base/units.h"

namespace loadfactor::sweep {
namespace {

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::size_t end_of_word(std::string_view word) {
  std::size_t end = word.size();
  while (end > 0 && std::ispunct(static_cast<unsigned char>(word[end - 1])) != 0) --end;
  return end;
}

bool is_power(std::string_view word) {
  constexpr std::array<std::string_view, 5> kPowers{"k", "K", "M", "B", "T"};
  return std::find(kPowers.begin(), kPowers.end(), word.substr(0, end_of_word(word))) !=
         kPowers.end();
}

// The unit that stands behind a number changes with its size, and its dimension does not.
std::optional<std::string> unit_kind(std::string_view word) {
  const std::size_t end = end_of_word(word);
  const UnitExpression read = parse_unit(word.substr(0, end));
  if (end == 0 || read.error) return std::nullopt;
  return base_unit(read.unit.dimension);
}

// One thing or several, as the number before them says.
std::string without_plural(std::string_view word) {
  const std::size_t end = end_of_word(word);
  const bool is_plural = end > 2 && word[end - 1] == 's';
  return std::string(word.substr(0, is_plural ? end - 1 : end)) + std::string(word.substr(end));
}

// What stands in brackets tells of one case.
std::string without_asides(const std::string& reason) {
  std::string out;
  int depth = 0;
  for (const char c : reason) {
    if (c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == ')' && depth > 0) --depth;
  }
  return depth == 0 ? out : reason;
}

// One reason, whatever the numbers in it are and however large.
std::string pattern_of(const std::string& said) {
  const std::string reason = without_asides(said);
  std::string out;
  bool is_behind_number = false;
  for (std::size_t at = 0; at < reason.size();) {
    const std::size_t end = std::min(reason.find(' ', at), reason.size());
    const std::string_view word = std::string_view(reason).substr(at, end - at);
    at = end + 1;
    if (is_behind_number && is_power(word)) continue;
    const std::string plain =
        is_behind_number ? unit_kind(word).value_or(without_plural(word)) : std::string(word);
    is_behind_number = has_digit(word);
    out += is_behind_number ? "# " : plain + " ";
  }
  return out;
}

}  // namespace

void FailureMaker::take(const CaseRow& row) {
  if (row.status == CaseStatus::kAnswer) return;
  const auto key = std::tuple(row.status, row.code, pattern_of(row.error));
  FailedCases& failed = by_reason_[key];
  if (failed.count++ == 0) failed = {row.status, row.code, row.error, 1, row.number};
}

std::vector<FailedCases> FailureMaker::finish() {
  std::vector<FailedCases> out;
  for (auto& each : by_reason_) out.push_back(std::move(each.second));
  std::stable_sort(out.begin(), out.end(), [](const FailedCases& a, const FailedCases& b) {
    return std::tuple(-a.count, a.example) < std::tuple(-b.count, b.example);
  });
  return out;
}

}  // namespace loadfactor::sweep
