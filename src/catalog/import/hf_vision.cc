#include "catalog/import/hf_vision.h"

#include <algorithm>
#include <array>
#include <string>

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
  Count heads = 16;

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
      .patch = read(vision, {"patch_size"}, otherwise.patch, kMaxPatch),
      .heads = read(vision, {"num_attention_heads", "num_heads"}, otherwise.heads)};
}

// An image of so many patches, of which the text layers get `tokens` that are `out` wide.
TowerSpec tower_spec(const Tower& tower, Count patches, Count tokens, Count out) {
  return {.reads = Modality::kVision,
          .layers = static_cast<int>(tower.layers),
          .hidden = static_cast<int>(tower.hidden),
          .heads = static_cast<int>(tower.heads),
          .width = static_cast<int>(tower.width),
          .patches = std::max<Count>(1, patches),
          .tokens = std::max<Count>(1, tokens),
          .output = out};
}

// Towers that take images as they are: about a megapixel is taken for one.
constexpr Count kUsualSide = 1024;
Count usual_patches(Count patch, Count merge) {
  const Count side = std::max<Count>(1, kUsualSide / (patch * merge)) * merge;
  return side * side;
}

Count linear(Count in, Count out) {
  return in * out + out;
}  // With a bias.

// A layer of the usual vision transformer: LayerNorms, biases, a plain MLP.
Count vision_layer(Count hidden, Count width) {
  const Count norms = 4 * hidden;  // Two, each with weight and bias.
  return norms + 4 * linear(hidden, hidden) + linear(hidden, width) + linear(width, hidden);
}

// Gemma 3: the tower of SigLIP with learned positions, then a norm and one projection.
VisionPart gemma_vision(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, {768, 3072, 12, 3, 224, 16});
  const Count embedding =
      linear(tower.patch_pixels(), tower.hidden) + tower.patches() * tower.hidden;
  const Count layers = tower.layers * vision_layer(tower.hidden, tower.width);
  const Count projector = tower.hidden * hidden + tower.hidden;
  const Count tokens = root.count({"mm_tokens_per_image"}, 1, kMaxSize).value_or(256);
  return {embedding + layers + 2 * tower.hidden + projector,
          tower_spec(tower, tower.patches(), tokens, hidden)};
}

// Llama 4: a class token, positions, norms before and after, then a two-step pixel shuffle.
VisionPart llama4_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  const Tower tower = read_tower(vision, {768, 5632, 34, 3, 448, 14});
  const Count joined = read(vision, {"projector_input_dim"}, 4096);
  const Count out = read(vision, {"projector_output_dim"}, 4096);
  const Count last = read(vision, {"vision_output_dim"}, 7680);
  const Count embedding =
      tower.patch_pixels() * tower.hidden + tower.hidden + (tower.patches() + 1) * tower.hidden;
  const Count norms = 4 * tower.hidden;  // Two, each with weight and bias.
  const Count layers = tower.layers * vision_layer(tower.hidden, tower.width);
  const Count adapter = tower.width * joined + joined * out;
  constexpr Count kShuffled = 4;  // Patches that become one token.
  return {embedding + norms + layers + adapter + last * hidden,
          tower_spec(tower, tower.patches() + 1, tower.patches() / kShuffled, hidden)};
}

// Pixtral's tower: gated MLPs, no biases and no table of positions.
constexpr Tower kPixtral{1024, 4096, 24, 3, 1024, 16};
Count pixtral_tower(const Tower& tower) {
  const Count d = tower.hidden;
  const Count layer = 2 * d + 4 * d * d + 3 * d * tower.width;
  return tower.patch_pixels() * d + d + tower.layers * layer;
}

// Mistral 3: Pixtral's tower, merging 2 × 2 patches.
VisionPart pixtral(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, kPixtral);
  const Count merge = read(root, {"spatial_merge_size"}, 2, kMaxChannels);
  const bool bias = root.boolean({"multimodal_projector_bias"}).value_or(false);
  const Count d = tower.hidden;
  const Count projector =
      d + merge * merge * d * d + d * hidden + hidden * hidden + (bias ? 2 * hidden : 0);
  const Count patches = usual_patches(tower.patch, merge);
  TowerSpec spec = tower_spec(tower, patches, patches / (merge * merge), hidden);
  spec.gated = true;
  return {pixtral_tower(tower) + projector, spec};
}

// Qwen 3.5: patches over two frames, learned positions, a merger of two layers.
VisionPart qwen_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
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
  const Count patches = usual_patches(tower.patch, merge);
  return {embedding + layers + merger,
          tower_spec(tower, patches, patches / (merge * merge), joined + out)};
}

// Qwen 2.5 VL: no positions, RMS norms, a gated MLP with biases, a merger of two layers.
VisionPart qwen25_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  const Tower tower = read_tower(vision, {1280, 3420, 32, 3, 224, 14});
  const Count frames = read(vision, {"temporal_patch_size"}, 2, kMaxChannels);
  const Count merge = read(vision, {"spatial_merge_size"}, 2, kMaxChannels);
  const Count out = read(vision, {"out_hidden_size"}, hidden);
  const Count d = tower.hidden;
  const Count joined = merge * merge * d;
  const Count layer =
      2 * d + linear(d, 3 * d) + linear(d, d) + 2 * linear(d, tower.width) + linear(tower.width, d);
  const Count merger = d + linear(joined, joined) + linear(joined, out);
  const Count patches = usual_patches(tower.patch, merge);
  TowerSpec spec = tower_spec(tower, patches, patches / (merge * merge), joined + out);
  spec.gated = true;
  return {frames * tower.patch_pixels() * d + tower.layers * layer + merger, spec};
}

// Qwen 2 VL: LayerNorms and a plain MLP; `hidden_size` is the width of the text.
VisionPart qwen2_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  Tower tower{.hidden = read(vision, {"embed_dim"}, 1280),
              .layers = read(vision, {"depth"}, 32, 4096),
              .channels = read(vision, {"in_chans", "in_channels"}, 3, kMaxChannels),
              .patch = read(vision, {"patch_size"}, 14, kMaxPatch),
              .heads = read(vision, {"num_heads"}, 16)};
  tower.width = tower.hidden * read(vision, {"mlp_ratio"}, 4, kMaxChannels);
  const Count frames = read(vision, {"temporal_patch_size"}, 2, kMaxChannels);
  const Count merge = read(vision, {"spatial_merge_size"}, 2, kMaxChannels);
  const Count out = read(vision, {"hidden_size"}, hidden);
  const Count joined = merge * merge * tower.hidden;
  const Count merger = 2 * tower.hidden + linear(joined, joined) + linear(joined, out);
  const Count layers = tower.layers * vision_layer(tower.hidden, tower.width);
  const Count patches = usual_patches(tower.patch, merge);
  return {frames * tower.patch_pixels() * tower.hidden + layers + merger,
          tower_spec(tower, patches, patches / (merge * merge), joined + out)};
}

// CLIP's tower: a class token, positions, norms before and after the layers.
Count clip_tower(const Tower& tower) {
  const Count embedding =
      tower.hidden + tower.patch_pixels() * tower.hidden + (tower.patches() + 1) * tower.hidden;
  return embedding + 4 * tower.hidden + tower.layers * vision_layer(tower.hidden, tower.width);
}

// What joins LLaVA's tower to its text: two layers.
Count llava_projector(ForeignMap& root, Count in, Count hidden) {
  const bool bias = root.boolean({"multimodal_projector_bias"}).value_or(true);
  return in * hidden + hidden * hidden + (bias ? 2 * hidden : 0);
}

// LLaVA with CLIP's tower,
VisionPart llava_vision(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, {1024, 4096, 24, 3, 336, 14});
  return {clip_tower(tower) + llava_projector(root, tower.hidden, hidden),
          tower_spec(tower, tower.patches() + 1, tower.patches(), 2 * hidden)};
}

// with Pixtral's,
VisionPart llava_pixtral(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, kPixtral);
  const Count patches = usual_patches(tower.patch, 1);
  TowerSpec spec = tower_spec(tower, patches, patches, 2 * hidden);
  spec.gated = true;
  return {pixtral_tower(tower) + llava_projector(root, tower.hidden, hidden), spec};
}

// CLIP: a tower of images beside one of text, each with a projection; and a temperature.
VisionPart clip_vision(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, {768, 3072, 12, 3, 224, 32, 12});
  const Count joint = read(root, {"projection_dim"}, 512);
  return {clip_tower(tower) + joint * (tower.hidden + hidden) + 1,
          tower_spec(tower, tower.patches() + 1, 1, joint)};
}

// SigLIP's tower: positions, a last norm, and where it has one a head: attention by one learned
// query over all patches.
constexpr Tower kSiglip{768, 3072, 12, 3, 224, 16, 12};
Count siglip_tower(ForeignMap& vision, const Tower& tower) {
  const Count d = tower.hidden;
  const Count embedding = linear(tower.patch_pixels(), d) + tower.patches() * d;
  const Count layers = tower.layers * vision_layer(d, tower.width);
  const Count pooling =
      d + 4 * linear(d, d) + 2 * d + linear(d, tower.width) + linear(tower.width, d);
  const bool has_head = vision.boolean({"vision_use_head"}).value_or(true);
  return embedding + layers + 2 * d + (has_head ? pooling : 0);
}

// LLaVA with that tower.
VisionPart llava_siglip(ForeignMap& vision, ForeignMap& root, Count hidden) {
  const Tower tower = read_tower(vision, kSiglip);
  return {siglip_tower(vision, tower) + llava_projector(root, tower.hidden, hidden),
          tower_spec(tower, tower.patches(), tower.patches(), 2 * hidden)};
}

// SigLIP itself: the text ends in a dense layer; a temperature and a bias.
VisionPart siglip_vision(ForeignMap& vision, ForeignMap& /*root*/, Count hidden) {
  const Tower tower = read_tower(vision, kSiglip);
  return {siglip_tower(vision, tower) + linear(hidden, hidden) + 2,
          tower_spec(tower, tower.patches(), 1, tower.hidden)};
}

struct VisionRow {
  std::string_view model_type;
  std::string_view tower;  // As the part names itself, where a model may have several.
  VisionPart (*read)(ForeignMap&, ForeignMap&, Count);
};
constexpr std::array kVisionRows{
    VisionRow{"gemma3", "", gemma_vision},
    VisionRow{"llama4", "", llama4_vision},
    VisionRow{"mistral3", "", pixtral},
    VisionRow{"qwen3_5", "", qwen_vision},
    VisionRow{"qwen3_5_moe", "", qwen_vision},
    VisionRow{"qwen2_5_vl", "", qwen25_vision},
    VisionRow{"qwen2_vl", "", qwen2_vision},
    VisionRow{"clip", "", clip_vision},
    VisionRow{"siglip", "", siglip_vision},
    VisionRow{"llava", "clip_vision_model", llava_vision},
    VisionRow{"llava", "pixtral", llava_pixtral},
    VisionRow{"llava", "siglip_vision_model", llava_siglip},
};

}  // namespace

std::optional<VisionPart> read_vision_part(std::string_view model_type, ForeignMap vision,
                                           ForeignMap root, Count hidden) {
  // A tower without a name of its own is the first that its model has.
  const std::string named = vision.text({"model_type"}).value_or("");
  for (const VisionRow& row : kVisionRows) {
    if (row.model_type != model_type) continue;
    if (named.empty() || row.tower.empty() || row.tower == named)
      return row.read(vision, root, hidden);
  }
  return std::nullopt;
}

}  // namespace loadfactor::catalog
