#include "catalog/import/hf_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

constexpr std::int64_t kMaxContext = std::int64_t{1} << 36;

// Falcon: the newer layout states its key-value heads; the older has one, or one per head.
int falcon_kv_heads(HfText& text, int heads) {
  ForeignMap& map = text.map();
  const int stated = map.count({"num_kv_heads", "n_head_kv"}, 1, kMaxHeads).value_or(heads);
  if (map.boolean({"new_decoder_architecture"}).value_or(false)) return stated;
  return map.boolean({"multi_query"}).value_or(true) ? 1 : heads;
}

int read_kv_heads(HfText& text, int heads) {
  const int otherwise = text.row().sizes.kv_heads > 0 ? text.row().sizes.kv_heads : heads;
  switch (text.row().quirk) {
    case HfQuirk::kFalcon:
      return falcon_kv_heads(text, heads);
    case HfQuirk::kMultiQuery:
      return text.map().boolean({"multi_query"}).value_or(true) ? 1 : heads;
    case HfQuirk::kMpt:
    case HfQuirk::kDbrx:
      return text.size_in("attn_config", {"kv_n_heads"}, otherwise, kMaxHeads);
    default:
      break;
  }
  ForeignMap& map = text.map();
  if (map.is_null("num_key_value_heads")) return heads;
  return text.size({"num_key_value_heads", "num_kv_heads"}, otherwise, kMaxHeads);
}

int read_width(HfText& text, int hidden) {
  const HfArchitecture& row = text.row();
  const int otherwise = row.sizes.width > 0 ? row.sizes.width : 4 * hidden;
  if (row.quirk == HfQuirk::kDbrx) {
    return text.size_in("ffn_config", {"ffn_hidden_size"}, otherwise, kMaxWidth);
  }
  if (row.quirk == HfQuirk::kMpt) {
    return hidden * text.map().count({"expansion_ratio"}, 1, 64).value_or(4);
  }
  // In Llama 4 the plain key is the width of an expert.
  if (row.moe.placement == HfPlacement::kInterleave) {
    return text.size({"intermediate_size_mlp"}, otherwise, kMaxWidth);
  }
  ForeignMap& map = text.map();
  const auto stated = map.count(
      {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "hidden_dim"}, 1, kMaxWidth);
  if (stated) return *stated;
  if (row.sizes.width > 0) text.note_default("intermediate_size", otherwise);
  return otherwise;
}

// Reads `keys` or reports that the file lacks the first of them.
int required(HfText& text, ForeignMap::Keys keys, int high) {
  const auto value = text.map().count(keys, 1, high);
  if (value) return *value;
  const bool present = std::any_of(keys.begin(), keys.end(),
                                   [&](std::string_view key) { return text.map().has(key); });
  if (!present) {
    text.map().report_missing(*keys.begin(), "without it the size of the model is not known");
  }
  return 1;
}

int read_heads(HfText& text) {
  if (text.is_nested() && text.row().sizes.heads > 0) {
    return text.size({"num_attention_heads", "n_head", "n_heads"}, text.row().sizes.heads,
                     kMaxHeads);
  }
  return required(text, {"num_attention_heads", "n_head", "n_heads"}, kMaxHeads);
}

int read_hidden(HfText& text) {
  const ForeignMap::Keys keys = {"hidden_size", "n_embd", "d_model", "n_embed", "dim"};
  const int otherwise = text.row().sizes.hidden;
  if (text.is_nested() && otherwise > 0) return text.size(keys, otherwise, kMaxHidden);
  return required(text, keys, kMaxHidden);
}

int read_layers(HfText& text) {
  ForeignMap& map = text.map();
  const int otherwise = text.row().sizes.layers;
  if (text.is_nested() && otherwise > 0)
    return text.size({"num_hidden_layers"}, otherwise, kMaxLayers);
  if (text.row().attention.layout == HfLayout::kLetters && !map.has("num_hidden_layers")) {
    const auto letters = map.text({"hybrid_override_pattern"});
    if (letters && !letters->empty() && letters->size() <= std::size_t{kMaxLayers}) {
      return static_cast<int>(letters->size());
    }
  }
  return required(text, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, kMaxLayers);
}

int read_head_dim(HfText& text, const HfDimensions& sizes) {
  ForeignMap& map = text.map();
  const auto stated = map.count({"head_dim", "attention_head_dim"}, 1, 1 << 14);
  if (stated) return *stated;
  if (text.row().sizes.head_dim > 0 && !map.is_null("head_dim")) {
    text.note_default("head_dim", text.row().sizes.head_dim);
    return text.row().sizes.head_dim;
  }
  const bool uses_it = text.row().attention.kind == AttentionKind::kStandard;
  if (uses_it && map.diagnostics().empty() && sizes.hidden % sizes.heads != 0) {
    map.report("num_attention_heads", lf::kNotDivisible,
               fmt::format("{} attention heads do not divide the hidden size {}", sizes.heads,
                           sizes.hidden),
               "state head_dim if the heads are not hidden_size / num_attention_heads wide");
  }
  return std::max(1, sizes.hidden / sizes.heads);
}

}  // namespace

HfText::HfText(const HfArchitecture& row, ForeignMap map, bool nested)
    : row_(&row), map_(std::move(map)), nested_(nested) {}

void HfText::note_default(std::string_view key, std::int64_t value) {
  defaults_.push_back(fmt::format("{} {}", key, value));
}

int HfText::size(ForeignMap::Keys keys, int otherwise, int high) {
  if (const auto value = map_.count(keys, 1, high)) return *value;
  const bool broken =
      std::any_of(keys.begin(), keys.end(), [this](std::string_view key) { return map_.has(key); });
  if (!broken) note_default(*keys.begin(), otherwise);
  return std::max(1, otherwise);
}

int HfText::size_in(std::string_view object, ForeignMap::Keys keys, int otherwise, int high) {
  auto inner = map_.map({object});
  if (inner) {
    if (const auto value = inner->count(keys, 1, high)) return *value;
  }
  if (!map_.has(object)) note_default(*keys.begin(), otherwise);
  return std::max(1, otherwise);
}

bool HfText::flag(const HfFlag& flag) {
  if (flag.key.empty()) return flag.otherwise;
  const auto stated = map_.boolean({flag.key});
  if (!stated) return flag.otherwise;
  return *stated != flag.inverted;
}

HfDimensions read_dimensions(HfText& text) {
  HfDimensions sizes;
  ForeignMap& map = text.map();
  sizes.hidden = read_hidden(text);
  sizes.layers = read_layers(text);
  sizes.heads = read_heads(text);
  sizes.kv_heads = read_kv_heads(text, sizes.heads);
  sizes.head_dim = read_head_dim(text, sizes);
  sizes.width = read_width(text, sizes.hidden);
  sizes.vocab = text.size({"vocab_size"}, text.row().sizes.vocab, kMaxVocab);
  const auto context = map.integer(
      {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length"}, {1, kMaxContext});
  sizes.context = context.value_or(text.row().sizes.context);
  if (!context) text.note_default("max_position_embeddings", sizes.context);
  if (sizes.heads % sizes.kv_heads != 0 && map.diagnostics().empty()) {
    map.report("num_key_value_heads", lf::kNotDivisible,
               fmt::format("{} key-value heads do not divide {} attention heads", sizes.kv_heads,
                           sizes.heads));
  }
  return sizes;
}

}  // namespace loadfactor::catalog
