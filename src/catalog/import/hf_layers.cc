#include "catalog/import/hf_layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

using config::Node;

struct MixerWord {
  std::string_view word;
  HfMixer mixer;
};
constexpr std::array kMixerWords{
    MixerWord{"full_attention", HfMixer::kFull},
    MixerWord{"sliding_attention", HfMixer::kWindow},
    MixerWord{"chunked_attention", HfMixer::kWindow},
    MixerWord{"linear_attention", HfMixer::kLinear},
};

struct LetterRow {
  char letter;
  std::string_view word;
  HfLayer layer;
};
constexpr std::array kLetters{
    LetterRow{'M', "mamba", {HfMixer::kMamba, HfFeed::kNone}},
    LetterRow{'*', "attention", {HfMixer::kFull, HfFeed::kNone}},
    LetterRow{'-', "mlp", {HfMixer::kNone, HfFeed::kDense}},
    LetterRow{'E', "moe", {HfMixer::kNone, HfFeed::kExperts}},
};

void report_length(HfText& text, std::string_view key, std::size_t found, int layers) {
  text.map().report(key, lf::kInconsistentFigures,
                    fmt::format("{} describes {} layers, the model has {}", key, found, layers));
}

// The list under `key` if it has one item per layer.
const Node* list_of_layers(HfText& text, std::string_view key, int layers) {
  const Node* items = text.map().list({key});
  if (items == nullptr || items->items.size() == static_cast<std::size_t>(layers)) return items;
  report_length(text, key, items->items.size(), layers);
  return nullptr;
}

void report_word(HfText& text, const Node& item, std::string_view key) {
  text.map().diagnostics().add(text.map().document().error(
      lf::kUnknownWord, item.position, fmt::format("'{}' is not a kind of {}", item.scalar, key)));
}

std::optional<HfMixer> find_mixer(std::string_view word) {
  for (const MixerWord& row : kMixerWords) {
    if (row.word == word) return row.mixer;
  }
  return std::nullopt;
}

// Applies `layer_types`; false when the file does not have it.
bool apply_layer_types(HfText& text, std::vector<HfLayer>& layers) {
  if (!text.map().has("layer_types")) return false;
  const Node* items = list_of_layers(text, "layer_types", static_cast<int>(layers.size()));
  if (items == nullptr) return true;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Node& item = items->items[i];
    if (const auto mixer = find_mixer(item.scalar)) {
      layers[i].mixer = *mixer;
    } else {
      report_word(text, item, "layer_types");
      return true;
    }
  }
  return true;
}

// Llama 4 lists the layers with positions (1), which look back by chunks, and those without.
bool apply_no_rope_layers(HfText& text, std::vector<HfLayer>& layers) {
  const auto flags = text.map().counts({"no_rope_layers"}, 0, 1);
  if (flags.empty()) return false;
  if (flags.size() != layers.size()) {
    report_length(text, "no_rope_layers", flags.size(), static_cast<int>(layers.size()));
    return true;
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].mixer = flags[i] == 1 ? HfMixer::kWindow : HfMixer::kFull;
  }
  return true;
}

// Every `every`-th layer is full, the others are `other`.
void apply_period(HfText& text, HfMixer other, std::vector<HfLayer>& layers) {
  const int every = text.map()
                        .count({"sliding_window_pattern", "_sliding_window_pattern",
                                "full_attention_interval", "no_rope_layer_interval"},
                               1, kMaxLayers)
                        .value_or(text.row().attention.every);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool full = (i + 1) % static_cast<std::size_t>(every) == 0;
    layers[i].mixer = full ? HfMixer::kFull : other;
  }
}

// ModernBERT: full at the first layer and at every `every`-th one after it.
void apply_from_first(HfText& text, std::vector<HfLayer>& layers) {
  const int every = text.map()
                        .count({"global_attn_every_n_layers"}, 1, kMaxLayers)
                        .value_or(text.row().attention.every);
  for (std::size_t i = 0; i < layers.size(); ++i)
    layers[i].mixer = i % static_cast<std::size_t>(every) == 0 ? HfMixer::kFull : HfMixer::kWindow;
}

// Qwen: the layers from `max_window_layers` on, and only if windows are switched on.
void apply_upper_window(HfText& text, std::vector<HfLayer>& layers) {
  const int from = text.map().count({"max_window_layers"}, 0, kMaxLayers).value_or(28);
  for (std::size_t i = static_cast<std::size_t>(from); i < layers.size(); ++i) {
    layers[i].mixer = HfMixer::kWindow;
  }
}

// Hybrids name the kind of each layer by a letter or, in newer files, by a list of words.
void apply_letters(HfText& text, std::vector<HfLayer>& layers) {
  constexpr std::string_view kKey = "hybrid_override_pattern";
  const auto letters = text.map().text({kKey});
  if (!letters) {
    if (!text.map().has(kKey)) text.map().report_missing(kKey, "it says which layer is which");
    return;
  }
  if (letters->size() != layers.size()) {
    return report_length(text, kKey, letters->size(), static_cast<int>(layers.size()));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto row = std::find_if(kLetters.begin(), kLetters.end(), [&](const LetterRow& known) {
      return known.letter == (*letters)[i];
    });
    if (row == kLetters.end()) {
      return text.map().report(kKey, lf::kUnknownWord,
                               fmt::format("layer {} of {} is not one of M * - E", i, kKey));
    }
    layers[i] = row->layer;
  }
}

// Returns false when the file has no such list.
bool apply_block_types(HfText& text, std::vector<HfLayer>& layers) {
  if (!text.map().has("layers_block_type")) return false;
  const Node* items = list_of_layers(text, "layers_block_type", static_cast<int>(layers.size()));
  if (items == nullptr) return true;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto row = std::find_if(kLetters.begin(), kLetters.end(), [&](const LetterRow& known) {
      return known.word == items->items[i].scalar;
    });
    if (row == kLetters.end()) {
      report_word(text, items->items[i], "layers_block_type");
      return true;
    }
    layers[i] = row->layer;
  }
  return true;
}

void plan_mixers(HfText& text, std::vector<HfLayer>& layers) {
  const HfLayout layout = text.row().attention.layout;
  if (layout == HfLayout::kLetters) {
    if (!apply_block_types(text, layers)) apply_letters(text, layers);
    return;
  }
  if (apply_layer_types(text, layers)) return;
  switch (layout) {
    case HfLayout::kWindow:
      for (HfLayer& layer : layers) layer.mixer = HfMixer::kWindow;
      return;
    case HfLayout::kAlternating:
      if (!apply_no_rope_layers(text, layers)) apply_period(text, HfMixer::kWindow, layers);
      return;
    case HfLayout::kUpperWindow:
      return apply_upper_window(text, layers);
    case HfLayout::kLinear:
      return apply_period(text, HfMixer::kLinear, layers);
    case HfLayout::kEveryFromFirst:
      return apply_from_first(text, layers);
    case HfLayout::kFull:
    case HfLayout::kLetters:
      return;
  }
}

// The first `first_k_dense_replace` layers are dense, and of the rest every `moe_layer_freq`-th
// has experts; or a list says it layer by layer.
void place_after_dense(HfText& text, std::vector<HfLayer>& layers) {
  ForeignMap& map = text.map();
  const int first =
      map.count({"first_k_dense_replace"}, 0, kMaxLayers).value_or(text.row().moe.first_dense);
  const bool listed = map.is_list("moe_layer_freq");
  std::vector<int> flags;
  int every = 1;
  if (listed) {
    flags = map.counts({"moe_layer_freq"}, 0, 1);
    if (flags.size() != layers.size()) {
      return report_length(text, "moe_layer_freq", flags.size(), static_cast<int>(layers.size()));
    }
  } else {
    every = map.count({"moe_layer_freq"}, 1, kMaxLayers).value_or(1);
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool by_rule =
        i >= static_cast<std::size_t>(first) && i % static_cast<std::size_t>(every) == 0;
    const bool experts = listed ? flags[i] == 1 : by_rule;
    layers[i].feed = experts ? HfFeed::kExperts : HfFeed::kDense;
  }
}

void place_by_step(HfText& text, std::vector<HfLayer>& layers) {
  ForeignMap& map = text.map();
  const int step = map.count({"decoder_sparse_step"}, 1, kMaxLayers).value_or(1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool experts = (i + 1) % static_cast<std::size_t>(step) == 0;
    layers[i].feed = experts ? HfFeed::kExperts : HfFeed::kDense;
  }
  const int last = static_cast<int>(layers.size()) - 1;
  for (const int dense : map.counts({"mlp_only_layers"}, 0, last)) {
    layers[static_cast<std::size_t>(dense)].feed = HfFeed::kDense;
  }
}

void place_interleaved(HfText& text, std::vector<HfLayer>& layers) {
  ForeignMap& map = text.map();
  const int last = static_cast<int>(layers.size()) - 1;
  const auto listed = map.counts({"moe_layers"}, 0, last);
  const int step = map.count({"interleave_moe_layer_step"}, 1, kMaxLayers).value_or(1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool experts = listed.empty() && (i + 1) % static_cast<std::size_t>(step) == 0;
    layers[i].feed = experts ? HfFeed::kExperts : HfFeed::kDense;
  }
  for (const int experts : listed) {
    layers[static_cast<std::size_t>(experts)].feed = HfFeed::kExperts;
  }
}

// `mlp_layer_types` overrules every other rule; false when the file does not have it.
bool place_by_list(HfText& text, std::vector<HfLayer>& layers) {
  if (!text.map().has("mlp_layer_types")) return false;
  const Node* items = list_of_layers(text, "mlp_layer_types", static_cast<int>(layers.size()));
  if (items == nullptr) return true;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string& word = items->items[i].scalar;
    if (word != "sparse" && word != "dense") {
      report_word(text, items->items[i], "mlp_layer_types");
      return true;
    }
    layers[i].feed = word == "sparse" ? HfFeed::kExperts : HfFeed::kDense;
  }
  return true;
}

// Gemma 4: the last layers share the keys and values of the layers before them.
void share_kv(HfText& text, std::vector<HfLayer>& layers) {
  const auto shared = static_cast<std::size_t>(
      text.map()
          .count({"num_kv_shared_layers"}, 0, static_cast<int>(layers.size()) - 1)
          .value_or(0));
  for (std::size_t i = layers.size() - shared; i < layers.size(); ++i) layers[i].reuses_kv = true;
}

void place_experts(HfText& text, std::vector<HfLayer>& layers) {
  if (text.row().moe.experts == 0 || text.row().attention.layout == HfLayout::kLetters) return;
  const bool is_switched = text.row().quirk == HfQuirk::kGemma4;
  if (is_switched && !text.map().boolean({"enable_moe_block"}).value_or(false)) return;
  if (place_by_list(text, layers)) return;
  switch (text.row().moe.placement) {
    case HfPlacement::kEvery:
      for (HfLayer& layer : layers) layer.feed = HfFeed::kExperts;
      return;
    case HfPlacement::kAfterDense:
      return place_after_dense(text, layers);
    case HfPlacement::kSparseStep:
      return place_by_step(text, layers);
    case HfPlacement::kInterleave:
      return place_interleaved(text, layers);
  }
}

}  // namespace

std::vector<HfLayer> plan_layers(HfText& text, const HfDimensions& sizes) {
  std::vector<HfLayer> layers(static_cast<std::size_t>(sizes.layers));
  plan_mixers(text, layers);
  place_experts(text, layers);
  if (text.row().quirk == HfQuirk::kGemma4) share_kv(text, layers);
  if (text.row().encoder.first_without_norm) layers.front().drops_norm = true;
  return layers;
}

std::int64_t read_window(HfText& text) {
  ForeignMap& map = text.map();
  const HfAttention& row = text.row().attention;
  const bool is_switched = row.layout == HfLayout::kUpperWindow;
  const bool is_on = map.boolean({"use_sliding_window"}).value_or(!is_switched);
  const auto stated = map.integer({"sliding_window", "attention_chunk_size", "local_attention"},
                                  {0, std::int64_t{1} << 30});
  if (!is_on || map.is_null("sliding_window")) return 0;
  if (!stated && row.window > 0 && row.layout != HfLayout::kFull) {
    text.note_default("sliding_window", row.window);
  }
  return stated.value_or(row.window);
}

}  // namespace loadfactor::catalog
