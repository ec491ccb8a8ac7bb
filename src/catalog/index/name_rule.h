// How a written name finds an entry: the plain form of names, and the nearest ones when none fits.
//
// Names resolve by rule, not by list. The plain form is lower case and drops everything but
// letters, digits, `+` and a point between two digits (`gpt3-1.3b` is not `gpt3-13b`); so
// `Llama 3.1 8B`, `llama_3.1-8b` and `LLAMA-3.1-8B` are one name.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::catalog {

std::string plain_key(std::string_view text);

// Lower case, without what stands in parentheses: `TPUv6e(Trillium)` is `tpuv6e`.
std::string without_remark(std::string_view text);

// Words between separators (`- _ / : ,` and spaces), lower case; a point between two digits
// stays inside its word.
std::vector<std::string> words_of(std::string_view text);

inline bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Up to `max_names` candidates that are near enough to `written` to be slips of it, nearest first.
std::vector<std::string> nearest_names(std::string_view written,
                                       std::span<const std::string> candidates,
                                       std::size_t max_names = 3);

// `did you mean 'a', 'b' or 'c'?`, or nothing if there are none.
std::string did_you_mean(std::span<const std::string> names);

// Entries by the plain forms of their names and aliases.
class NameIndex {
 public:
  // Returns the entry that had the key before, if it was another one.
  std::optional<std::size_t> add(std::string_view name, std::size_t entry);

  // The entry with this plain key; failing that the only one whose key is the same without points.
  std::optional<std::size_t> find(std::string_view key) const;

 private:
  std::map<std::string, std::size_t, std::less<>> exact_;
  std::multimap<std::string, std::size_t, std::less<>> pointless_;
};

// The aliases of an entry, read off its text without parsing the whole of it: `aliases: [a, b]`
// at the start of a line, over as many lines as the list takes. A catalogue of hundreds of
// entries must know all names before it reads the one that is asked for.
std::vector<std::string> scan_aliases(std::string_view yaml);

}  // namespace loadfactor::catalog
