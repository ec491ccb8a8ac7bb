// The text model of a config.json while it is being read: the object that holds its keys, the
// row that explains them, and what was taken from the row for want of a key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/import/foreign_map.h"
#include "catalog/import/hf_architecture.h"

namespace loadfactor::catalog {

// The sizes that every decoder has.
struct HfDimensions {
  int hidden = 0;
  int layers = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int width = 0;  // Width of the dense MLP.
  int vocab = 0;
  std::int64_t context = 0;
};

class HfText {
 public:
  // `nested` says that the keys stand in `text_config`, where transformers leaves out those that
  // equal the default of the class; at the top it writes them all.
  HfText(const HfArchitecture& row, ForeignMap map, bool nested);

  const HfArchitecture& row() const { return *row_; }
  ForeignMap& map() { return map_; }

  // The size that one of `keys` states, else `otherwise`, which is then remembered as a default.
  int size(ForeignMap::Keys keys, int otherwise, int high);
  // As size(), in a nested object such as `attn_config`, if the file has it.
  int size_in(std::string_view object, ForeignMap::Keys keys, int otherwise, int high);
  bool flag(const HfFlag& flag);
  bool is_nested() const { return nested_; }

  // Remembers that `value` was taken for `key` from the defaults.
  void note_default(std::string_view key, std::int64_t value);
  // "vocab_size 32000", in the order they were asked for.
  const std::vector<std::string>& defaults() const { return defaults_; }

 private:
  const HfArchitecture* row_;
  ForeignMap map_;
  bool nested_;
  std::vector<std::string> defaults_;
};

// Reads the sizes; what is wrong with them is reported. Never returns a size below 1, so that a
// caller may divide.
HfDimensions read_dimensions(HfText& text);

// The largest sizes that are believed; each is more than ten times what exists.
inline constexpr int kMaxLayers = 4096;
inline constexpr int kMaxHidden = 1 << 18;
inline constexpr int kMaxHeads = 1 << 14;
inline constexpr int kMaxWidth = 1 << 21;
inline constexpr int kMaxVocab = 1 << 24;
inline constexpr int kMaxExperts = 1 << 16;

}  // namespace loadfactor::catalog
