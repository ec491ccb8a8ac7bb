#include "observe/read/log_rank.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "launch/vocabulary/table.h"
#include "observe/read/cells.h"

namespace loadfactor::observe {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.' || c == '/';
         });
}

// A part of a path that names a rank.
struct Mark {
  std::size_t at = 0, size = 0;
  std::string name;
  bool is_node = false;
};

// `rank3`, `node-07`: the word, at the beginning of one, and a number behind it.
void find_word(std::string_view path, const std::string& word, bool is_node,
               std::vector<Mark>& marks) {
  const std::string low = lower_case(path);
  for (std::size_t at = low.find(word); at != std::string::npos; at = low.find(word, at + 1)) {
    if (at > 0 && is_letter(low[at - 1])) continue;
    std::size_t number = at + word.size();
    if (number < low.size() && (low[number] == '-' || low[number] == '_' || low[number] == '.'))
      ++number;
    const std::size_t end = std::min(low.find_first_not_of(kDigits, number), low.size());
    if (end == number) continue;
    marks.push_back({at, end - at, word + " " + low.substr(number, end - number), is_node});
  }
}

// The last folder that is called by a number alone, above what torchrun redirects there.
std::optional<Mark> numbered_folder(std::string_view path) {
  std::optional<Mark> found;
  if (!path.ends_with("/stdout.log") && !path.ends_with("/stderr.log")) return found;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = path.find('/', at);
    if (end == std::string_view::npos) break;
    if (const auto part = path.substr(at, end - at); is_number(part))
      found = Mark{at, part.size(), "rank " + std::string(part)};
    at = end + 1;
  }
  return found;
}

}  // namespace

std::vector<std::string> log_words(std::string_view role) {
  std::vector<std::string> words;
  for (auto& row : launch::read_table("log_lines.csv"))
    if (row[1] == role) words.push_back(std::move(row[2]));
  return words;
}

LinePrefixes::LinePrefixes() {
  for (auto& row : launch::read_table("log_ranks.csv"))
    prefixes_.push_back({std::move(row[1]), std::move(row[2]), std::move(row[3])});
}

LinePrefixes::Told LinePrefixes::read(std::string_view line) const {
  const std::string_view text = trimmed(line);
  for (const Prefix& prefix : prefixes_) {
    if (!text.starts_with(prefix.before)) continue;
    const std::size_t end = text.find(prefix.after, prefix.before.size());
    if (end == std::string_view::npos) continue;
    const auto id = text.substr(prefix.before.size(), end - prefix.before.size());
    // Where nothing stands before it, only a number is one.
    if (prefix.before.empty() ? !is_number(id) : !is_name(id)) continue;
    return {prefix.noun + " " + std::string(id), text.substr(end + prefix.after.size())};
  }
  return {{}, line};
}

RankPath rank_of_path(std::string_view path) {
  std::vector<Mark> marks;
  for (const std::string& word : log_words("rank-of-file")) find_word(path, word, false, marks);
  for (const std::string& word : log_words("node-of-file")) find_word(path, word, true, marks);
  if (marks.empty())
    if (auto folder = numbered_folder(path)) marks.push_back(*std::move(folder));
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.at < b.at; });
  RankPath found;
  std::size_t done = 0;
  for (const Mark& mark : marks) {
    found.run += std::string(path.substr(done, mark.at - done)) + "*";
    found.name += (found.name.empty() ? "" : " ") + mark.name;
    done = mark.at + mark.size;
  }
  found.run += path.substr(done);
  found.is_node = !marks.empty() && std::all_of(marks.begin(), marks.end(),
                                                [](const Mark& mark) { return mark.is_node; });
  return found;
}

}  // namespace loadfactor::observe
