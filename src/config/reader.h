// Reads typed values out of a map and reports everything that is wrong with it.
//
// A MapReader is told what it expects, key by key; values that are absent or broken are
// reported into the Diagnostics and a default is returned, so that reading goes on and the
// user sees all errors at once. finish() reports the keys nobody asked for, each with the
// nearest key that would have been valid. Duplicate keys are reported on construction.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "config/document.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

// The closed range a number must lie in, in base units, and what to say about it.
//
// Outside it a number is LF207. Where the range is a band of what exists in the world (see
// magnitudes.h), a number of the right sign outside it is LF205.
struct Range {
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  bool physical = false;
  std::string_view hint;  // What was probably meant.
};

// What a number measures and how it may be written.
struct NumberForm {
  Dimension dimension;
  Expect expect = Expect::kQuantity;
};

// A row of a closed set of words: {"bf16", Dtype::kBf16}.
template <typename T>
struct Word {
  std::string_view text;
  T value;
};

class MapReader {
 public:
  // `what` names the map in messages: "accelerator", "memory".
  MapReader(const Document& document, const Node& node, std::string what, Diagnostics& diagnostics);

  bool has(std::string_view key) const;
  bool empty() const { return node_->members.empty(); }

  // Required values: LF504 if absent.
  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key, Range range = {});
  bool boolean(std::string_view key);
  double ratio(std::string_view key, Range range = {0.0, 1.0});  // `0.1` or `10 %`.
  double count(std::string_view key, Range range = {});          // `8.03 B`, `10 T`.
  template <typename Q>
  Q quantity(std::string_view key, Range range = {});

  // A count that has a dimension: `tokens: 10 T` and `tokens: 10 T tokens` are both right.
  template <typename Q>
  Q amount(std::string_view key, Range range = {});

  // Optional values: nothing if absent, still reported if broken.
  std::optional<std::string> maybe_text(std::string_view key);
  std::optional<std::int64_t> maybe_integer(std::string_view key, Range range = {});
  std::optional<bool> maybe_boolean(std::string_view key);
  std::optional<double> maybe_ratio(std::string_view key, Range range = {0.0, 1.0});
  std::optional<double> maybe_count(std::string_view key, Range range = {});
  template <typename Q>
  std::optional<Q> maybe_quantity(std::string_view key, Range range = {});

  template <typename Q>
  std::optional<Q> maybe_amount(std::string_view key, Range range = {});

  // A number whose dimension is known at run time only, in base units.
  std::optional<double> maybe_number(std::string_view key, NumberForm form, Range range = {}) {
    return number(key, form, range, false);
  }

  // A word of a closed set; LF506 with the nearest word otherwise.
  template <typename T>
  T word(std::string_view key, std::span<const Word<T>> words, T otherwise);
  template <typename T>
  std::optional<T> maybe_word(std::string_view key, std::span<const Word<T>> words);

  template <typename T>
  std::optional<T> word_of(const Node& node, std::string_view key, std::span<const Word<T>> words);
  // One item of a list as a text; LF505 otherwise.
  std::optional<std::string> text_of(const Node& node, std::string_view key);

  // A date, YYYY, YYYY-MM or YYYY-MM-DD, returned as written; LF510 otherwise.
  std::string date(std::string_view key);

  // A list of texts; one text counts as a list of one. Empty if absent.
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key, Range range = {});

  // A nested map; `required` decides whether absence is LF504. Returns nothing if absent or not
  // a map. The caller must finish() it.
  std::optional<MapReader> map(std::string_view key, bool required = true);

  // The items of a list; any other value counts as a list of one. Empty if absent.
  std::vector<const Node*> items(std::string_view key, bool required = false);
  // The maps of a list; a single map counts as a list of one. Empty if absent. The caller must
  // finish() each.
  std::vector<MapReader> maps(std::string_view key, bool required = true);

  // The node itself, marked as read; nullptr if absent.
  const Node* node(std::string_view key);
  // Marks a key as known without reading it.
  void allow(std::string_view key) { known_.insert(std::string(key)); }

  // Reports unknown keys (LF502).
  void finish();

  // Adds an error at the value of `key` (at the map itself if absent).
  void report(std::string_view key, int code, std::string message, std::string hint = {});
  // Adds an error that already has its place. After kMostErrors further ones are dropped.
  void add(Error error);

  Position position() const { return node_->position; }
  Position position_of(std::string_view key) const;
  const Document& document() const { return *document_; }
  Diagnostics& diagnostics() { return *diagnostics_; }
  const std::string& what() const { return what_; }

 private:
  void report_duplicates();
  const Member* find(std::string_view key) const;
  // The value of a key, nullptr if absent or null; LF504 if it is required.
  const Node* value(std::string_view key, bool required);
  const Node* scalar(std::string_view key, bool required, std::string_view wanted);
  Error wrong_type(const Node& node, std::string_view key, std::string_view wanted) const;
  std::optional<std::int64_t> integer_of(const Node& node, std::string_view key, Range range);
  std::optional<bool> boolean_of(const Node* node, std::string_view key);
  std::optional<double> number(std::string_view key, NumberForm form, Range range, bool required);

  const Document* document_;
  const Node* node_;
  std::string what_;
  Diagnostics* diagnostics_;
  std::set<std::string, std::less<>> known_;
};

template <typename Q>
struct DimensionOf;
template <Dimension D>
struct DimensionOf<Quantity<D>> {
  static constexpr Dimension kValue = D;
};

template <typename Q>
Q MapReader::quantity(std::string_view key, Range range) {
  return Q::from_base(number(key, {DimensionOf<Q>::kValue}, range, true).value_or(0.0));
}

template <typename Q>
std::optional<Q> MapReader::maybe_quantity(std::string_view key, Range range) {
  const auto value = number(key, {DimensionOf<Q>::kValue}, range, false);
  if (!value) return std::nullopt;
  return Q::from_base(*value);
}

template <typename Q>
Q MapReader::amount(std::string_view key, Range range) {
  return Q::from_base(
      number(key, {DimensionOf<Q>::kValue, Expect::kCount}, range, true).value_or(0.0));
}

template <typename Q>
std::optional<Q> MapReader::maybe_amount(std::string_view key, Range range) {
  const auto value = number(key, {DimensionOf<Q>::kValue, Expect::kCount}, range, false);
  if (!value) return std::nullopt;
  return Q::from_base(*value);
}

// A file with more errors than this is wrong as a whole.
inline constexpr std::size_t kMostErrors = 200;

// The candidate nearest to `word` by edit distance, if it is near enough to be a slip.
std::optional<std::string> suggest(std::string_view word, std::span<const std::string> candidates);

// `'bf17' is not a <what>` with the nearest word and the whole list.
Error unknown_word(const Document& document, const Node& node, std::string_view what,
                   std::span<const std::string> candidates);

template <typename T>
std::optional<T> MapReader::word_of(const Node& node, std::string_view key,
                                    std::span<const Word<T>> words) {
  if (node.kind != NodeKind::kScalar) {
    add(wrong_type(node, key, "a word"));
    return std::nullopt;
  }
  std::vector<std::string> candidates;
  for (const auto& candidate : words) {
    if (candidate.text == node.scalar) return candidate.value;
    candidates.emplace_back(candidate.text);
  }
  add(unknown_word(*document_, node, key, candidates));
  return std::nullopt;
}

template <typename T>
std::optional<T> MapReader::maybe_word(std::string_view key, std::span<const Word<T>> words) {
  const Node* found = value(key, false);
  return found == nullptr ? std::nullopt : word_of(*found, key, words);
}

template <typename T>
T MapReader::word(std::string_view key, std::span<const Word<T>> words, T otherwise) {
  const Node* found = value(key, true);
  return found == nullptr ? otherwise : word_of(*found, key, words).value_or(otherwise);
}

}  // namespace loadfactor::config
