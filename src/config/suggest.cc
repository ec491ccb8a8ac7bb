#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "config/reader.h"

namespace loadfactor::config {
namespace {

// Case and the choice of separator are never what a person got wrong.
std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ' || c == '.') c = '_';
  }
  return result;
}

// Edit distance with transpositions of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last.swap(row);
  }
  return last[b.size()];
}

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kShortestPrefix = 3;

// How far a candidate is from the word, both folded: fewest edits first, of equals a prefix, and
// a mere prefix after every slip. Nothing if it is no slip at all.
std::optional<std::size_t> rank(std::string_view wanted, std::string_view candidate) {
  // A slip of one letter in three, and never more than three.
  const std::size_t most = std::clamp<std::size_t>(wanted.size() / 3, 1, 3);
  const bool prefix = std::min(wanted.size(), candidate.size()) >= kShortestPrefix &&
                      (candidate.starts_with(wanted) || wanted.starts_with(candidate));
  const std::size_t edits = distance(wanted, candidate);
  if (edits <= most) return 2 * edits + (prefix ? 0 : 1);
  if (prefix) return 2 * most + 2 + edits;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> suggest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = folded(word);
  std::optional<std::string> best;
  std::size_t best_rank = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const auto candidate_rank = rank(wanted, folded(candidate));
    if (!candidate_rank || *candidate_rank >= best_rank) continue;
    best = candidate;
    best_rank = *candidate_rank;
  }
  return best;
}

}  // namespace loadfactor::config
