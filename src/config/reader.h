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
struct Range {
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
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
  MapReader(const Document& document, const Node& node, std::string what,
            Diagnostics& diagnostics);

  bool has(std::string_view key) const;

  // Required values: LF504 if absent.
  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key, Range range = {});
  bool boolean(std::string_view key);
  double ratio(std::string_view key, Range range = {0.0, 1.0});  // `0.1` or `10 %`.
  double count(std::string_view key, Range range = {});          // `8.03 B`, `10 T`.
  template <typename Q>
  Q quantity(std::string_view key, Range range = {});

  // Optional values: nothing if absent, still reported if broken.
  std::optional<std::string> maybe_text(std::string_view key);
  std::optional<std::int64_t> maybe_integer(std::string_view key, Range range = {});
  std::optional<bool> maybe_boolean(std::string_view key);
  std::optional<double> maybe_ratio(std::string_view key, Range range = {0.0, 1.0});
  std::optional<double> maybe_count(std::string_view key, Range range = {});
  template <typename Q>
  std::optional<Q> maybe_quantity(std::string_view key, Range range = {});

  // A word of a closed set; LF506 with the nearest word otherwise.
  template <typename T>
  T word(std::string_view key, std::span<const Word<T>> words, T otherwise);

  // A date, YYYY, YYYY-MM or YYYY-MM-DD, returned as written; LF510 otherwise.
  std::string date(std::string_view key);

  // A list of texts; one text counts as a list of one. Empty if absent.
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key, Range range = {});

  // A nested map; `required` decides whether absence is LF504. Returns nothing if absent or not
  // a map. The caller must finish() it.
  std::optional<MapReader> map(std::string_view key, bool required = true);

  // The node itself, marked as read; nullptr if absent.
  const Node* node(std::string_view key);
  // Marks a key as known without reading it.
  void allow(std::string_view key) { known_.insert(std::string(key)); }

  // Reports unknown keys (LF502).
  void finish();

  // Adds an error at the value of `key` (at the map itself if absent).
  void report(std::string_view key, int code, std::string message, std::string hint = {});

  Position position() const { return node_->position; }
  Position position_of(std::string_view key) const;
  const Document& document() const { return *document_; }
  Diagnostics& diagnostics() { return *diagnostics_; }
  const std::string& what() const { return what_; }

 private:
  const Member* find(std::string_view key) const;
  const Node* scalar(std::string_view key, bool required, std::string_view wanted);
  std::optional<double> number(std::string_view key, Dimension dimension, Expect expect,
                               Range range, bool required);

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
  return Q::from_base(
      number(key, DimensionOf<Q>::kValue, Expect::kQuantity, range, true).value_or(0.0));
}

template <typename Q>
std::optional<Q> MapReader::maybe_quantity(std::string_view key, Range range) {
  const auto value = number(key, DimensionOf<Q>::kValue, Expect::kQuantity, range, false);
  if (!value) return std::nullopt;
  return Q::from_base(*value);
}

// The candidate nearest to `word` by edit distance, if it is near enough to be a slip.
std::optional<std::string> suggest(std::string_view word, std::span<const std::string> candidates);

template <typename T>
T MapReader::word(std::string_view key, std::span<const Word<T>> words, T otherwise) {
  const Node* found = scalar(key, true, "a word");
  if (found == nullptr) return otherwise;
  std::vector<std::string> candidates;
  for (const auto& candidate : words) {
    if (candidate.text == found->scalar) return candidate.value;
    candidates.emplace_back(candidate.text);
  }
  std::string all;
  for (const auto& candidate : candidates) all += (all.empty() ? "" : ", ") + candidate;
  const auto nearest = suggest(found->scalar, candidates);
  report(key, 506, "'" + found->scalar + "' is not a " + std::string(key),
         (nearest ? "did you mean '" + *nearest + "'? " : std::string()) + "one of: " + all);
  return otherwise;
}

}  // namespace loadfactor::config
