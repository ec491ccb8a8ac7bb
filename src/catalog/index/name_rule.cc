#include "catalog/index/name_rule.h"

#include <algorithm>
#include <utility>

namespace loadfactor::catalog {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_decimal_point(std::string_view text, std::size_t i) {
  return text[i] == '.' && i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) &&
         is_digit(text[i + 1]);
}

std::string without_points(std::string_view key) {
  std::string plain(key);
  std::erase(plain, '.');
  return plain;
}

// Edit distance that counts a swap of two neighbours as one slip.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// Whether the first two thirds of `key`, and no less than a short word, stand in `other` too.
bool begins_alike(std::string_view key, std::string_view other) {
  const std::size_t length = std::max<std::size_t>(4, key.size() * 2 / 3);
  return key.size() >= length && other.starts_with(key.substr(0, length));
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kEdges = " \t\r\n'\"";
  const auto first = text.find_first_not_of(kEdges);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kEdges) - first + 1);
}

}  // namespace

std::string plain_key(std::string_view text) {
  std::string key;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = lower(text[i]);
    if (is_letter(c) || is_digit(c) || c == '+' || is_decimal_point(text, i)) key += c;
  }
  return key;
}

std::string without_remark(std::string_view text) {
  std::string kept;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) kept += lower(c);
    if (c == ')' && depth > 0) --depth;
  }
  return kept;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = lower(text[i]);
    if (is_letter(c) || is_digit(c) || c == '+' || is_decimal_point(text, i)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<std::string> nearest_names(std::string_view written,
                                       std::span<const std::string> candidates,
                                       std::size_t max_names) {
  constexpr std::size_t kMaxLength = 64;  // No slip is longer; time grows with its square.
  const std::string key = plain_key(written.substr(0, kMaxLength));
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& candidate : candidates) {
    const std::string other = plain_key(candidate);
    const std::size_t distance = edit_distance(key, other);
    const bool is_part = key.size() >= 3 && other.find(key) != std::string::npos;
    // A short form with a slip in it: `h101` of `h100-sxm`.
    const std::size_t slips = edit_distance(key, std::string_view(other).substr(0, key.size()));
    const bool is_short_form = key.size() >= 4 && slips <= 1;
    if (is_part || begins_alike(key, other) || is_short_form || distance <= key.size() / 3) {
      near.emplace_back(distance, candidate);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (auto& [distance, name] : near) {
    if (names.size() < max_names) names.push_back(std::move(name));
  }
  return names;
}

std::string did_you_mean(std::span<const std::string> names) {
  if (names.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i] + "'";
  }
  return text + "?";
}

std::optional<std::size_t> NameIndex::add(std::string_view name, std::size_t entry) {
  const std::string key = plain_key(name);
  const auto [found, is_new] = exact_.try_emplace(key, entry);
  if (is_new) pointless_.emplace(without_points(key), entry);
  if (is_new || found->second == entry) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> NameIndex::find(std::string_view key) const {
  const auto found = exact_.find(key);
  if (found != exact_.end()) return found->second;
  const auto range = pointless_.equal_range(without_points(key));
  if (range.first == range.second) return std::nullopt;
  const std::size_t entry = range.first->second;
  const bool is_one = std::all_of(range.first, range.second,
                                  [entry](const auto& row) { return row.second == entry; });
  return is_one ? std::optional(entry) : std::nullopt;
}

std::vector<std::string> scan_aliases(std::string_view yaml) {
  constexpr std::string_view kKey = "\naliases:";
  std::vector<std::string> aliases;
  const auto key = yaml.find(kKey);
  if (key == std::string_view::npos) return aliases;
  const auto open = yaml.find_first_not_of(" \t\r\n", key + kKey.size());
  if (open == std::string_view::npos || yaml[open] != '[') return aliases;
  const auto close = yaml.find(']', open);
  if (close == std::string_view::npos) return aliases;
  std::string_view list = yaml.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string_view alias = trim(list.substr(0, comma));
    if (!alias.empty()) aliases.emplace_back(alias);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return aliases;
}

}  // namespace loadfactor::catalog
