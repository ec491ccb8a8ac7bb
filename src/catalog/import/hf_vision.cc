#include "catalog/import/hf_vision.h"

#include <array>

namespace loadfactor::catalog {
namespace {

using Count = std::int64_t;

// The sizes that all towers share, with the defaults of one of them.
struct Tower {
  Count hidden = 0;
  Count width = 0;
  Count layers = 0;
  Count channels = 3;
  Count image = 0;
  Count patch = 0;

  Count patch_pixels() const { return channels * patch * patch; }
  Count patches() const { return (image / patch) * (image / patch); }
};

// Small enough that no product below leaves 64 bits.
constexpr int kMaxSize = 1 << 16;
constexpr int kMaxPatch = 1 << 10;
constexpr int kMaxChannels = 64;

Count read(ForeignMap& map, ForeignMap::Keys keys, Count otherwise, int high = kMaxSize) {
  return map.count(keys, 1, high).value_or(static_cast<int>(otherwise));
}

Tower read_tower(ForeignMap& vision, const Tower& otherwise) {
  return {
      .hidden = read(vision, {"hidden_size"}, otherwise.hidden),
      .width = read(vision, {"intermediate_size"}, otherwise.width),
      .layers = read(vision, {"num_hidden_layers", "depth"}, otherwise.layers, 4096),
      .channels = read(vision, {"num_channels", "in_channels"}, otherwise.channels, kMaxChannels),
      .image = read(vision, {"image_size"}, otherwise.image),
      .patch = read(vision, {"patch_size"}, otherwise.patch, kMaxPatch)};
}

Count linear(Count in, Count out) {
  return in * out + out;
}  // With a bias.

// A layer of the usual vision transformer: LayerNorms, biases, a plain MLP.
Count vision_layer(Count hidden, Count width) {
  const Count norms = 4 * hidden;  // Two, each with weight and bias.
  return norms + 4 * linear(hidden, hidden) + linear(hidden, width) + linear(width, hidden);
}

// Gemma 3: SigLIP with learned positions, then a norm and one projection.
Count siglip(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  const Tower tower = read_tower(vision, {768, 3072, 12, 3, 224, 16});
  const Count embedding =
      linear(tower.patch_pixels(), tower.hidden) + tower.patches() * tower.hidden;
  const Count layers = tower.layers * vision_layer(tower.hidden, tower.width);
  const Count projector = tower.hidden * hidden + tower.hidden;
  return embedding + layers + 2 * tower.hidden + projector;
}

// Llama 4: a class token, positions, norms before and after, then a two-step pixel shuffle.
Count llama4_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  const Tower tower = read_tower(vision, {768, 5632, 34, 3, 448, 14});
  const Count joined = read(vision, {"projector_input_dim"}, 4096);
  const Count out = read(vision, {"projector_output_dim"}, 4096);
  const Count last = read(vision, {"vision_output_dim"}, 7680);
  const Count embedding =
      tower.patch_pixels() * tower.hidden + tower.hidden + (tower.patches() + 1) * tower.hidden;
  const Count norms = 4 * tower.hidden;  // Two, each with weight and bias.
  const Count layers = tower.layers * vision_layer(tower.hidden, tower.width);
  const Count adapter = tower.width * joined + joined * out;
  return embedding + norms + layers + adapter + last * hidden;
}

// Mistral 3: Pixtral, without biases and positions, merging 2 × 2 patches.
Count pixtral(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, {1024, 4096, 24, 3, 1024, 16});
  const Count merge = read(root, {"spatial_merge_size"}, 2, kMaxChannels);
  const bool bias = root.boolean({"multimodal_projector_bias"}).value_or(false);
  const Count d = tower.hidden;
  const Count layer = 2 * d + 4 * d * d + 3 * d * tower.width;
  const Count projector =
      d + merge * merge * d * d + d * hidden + hidden * hidden + (bias ? 2 * hidden : 0);
  return tower.patch_pixels() * d + d + tower.layers * layer + projector;
}

// Qwen 3.5: patches over two frames, learned positions, a merger of two layers.
Count qwen_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  const Tower tower = read_tower(vision, {1152, 4304, 27, 3, 224, 16});
  const Count frames = read(vision, {"temporal_patch_size"}, 2, kMaxChannels);
  const Count merge = read(vision, {"spatial_merge_size"}, 2, kMaxChannels);
  const Count positions = read(vision, {"num_position_embeddings"}, 2304);
  const Count out = read(vision, {"out_hidden_size"}, hidden);
  const Count joined = merge * merge * tower.hidden;
  const Count embedding =
      linear(frames * tower.patch_pixels(), tower.hidden) + positions * tower.hidden;
  const Count layers = tower.layers * vision_layer(tower.hidden, tower.width);
  const Count merger = 2 * tower.hidden + linear(joined, joined) + linear(joined, out);
  return embedding + layers + merger;
}

struct VisionRow {
  std::string_view model_type;
  Count (*count)(ForeignMap&, ForeignMap&, Count);
};
constexpr std::array kVisionRows{
    VisionRow{"gemma3", siglip},           VisionRow{"llama4", llama4_vision},
    VisionRow{"mistral3", pixtral},        VisionRow{"qwen3_5", qwen_vision},
    VisionRow{"qwen3_5_moe", qwen_vision},
};

}  // namespace

std::optional<Count> count_vision_parameters(std::string_view model_type, ForeignMap vision,
                                             ForeignMap root, Count hidden) {
  for (const VisionRow& row : kVisionRows) {
    if (row.model_type == model_type) return row.count(vision, root, hidden);
  }
  return std::nullopt;
}

}  // namespace loadfactor::catalog
