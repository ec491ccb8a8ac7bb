// Every weight of a model by name and shape: the one list that parameter counts, weight bytes,
// shards and matrix products are all taken from.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catalog/spec/model_spec.h"
#include "workload/sharding.h"

namespace loadfactor::workload {

enum class Component : std::uint8_t {
  kEmbedding,  // Token tables and what belongs to them.
  kPositions,
  kAttention,
  kMlp,
  kRouter,
  kExperts,  // Routed.
  kSharedExperts,
  kNorms,
  kHead,
};
inline constexpr std::size_t kNumComponents = 9;

// The matrix product of a layer that a tensor is an operand of. Tensors that share a role and an
// input are multiplied in one launch.
enum class ProductRole : std::uint8_t {
  kNone,         // No product: norms, biases, convolutions, tables that are looked up.
  kMixerIn,      // Queries, keys, values and gates, or their latents, from the hidden state.
  kHeadNumbers,  // Decays and strengths of a recurrent mixer: one number for each head.
  kQueryUp,      // Queries from their latent.
  kKeyValueUp,   // Keys and values from their latent.
  kMixerGroups,  // Each group of heads to the group's own latent.
  kMixerOut,     // The mixer's output to the hidden state.
  kIndexQuery,   // Queries of the heads that choose which tokens to attend to.
  kIndexKey,     // Keys of those heads, and how much each head counts.
  kMlpUp,
  kMlpDown,
  kRouter,
  kLatentDown,  // The hidden state to the narrower input of the experts.
  kLatentUp,    // The experts' narrower output to the hidden state.
  kExpertUp,    // Routed experts.
  kExpertDown,
  kSharedUp,  // Shared experts.
  kSharedDown,
  kPerLayerDown,  // The hidden state to the width of the layer's own embedding.
  kPerLayerUp,
  kOutside,  // Projections beside a vocabulary table or in front of a predicted layer.
  kHead,
};

// Which dimension tensor parallelism cuts.
enum class Split : std::uint8_t { kWhole, kRows, kColumns };

struct WeightTensor {
  std::string_view name;
  Component component = Component::kAttention;
  std::int64_t rows = 1;     // Output features, or the length of a vector.
  std::int64_t columns = 1;  // Input features.
  std::int64_t copies = 1;   // Experts, or slices of a block-diagonal matrix.
  Split split = Split::kWhole;
  std::int64_t units = 1;  // Pieces the split dimension comes in: heads, or single features.
  ProductRole role = ProductRole::kNone;

  constexpr std::int64_t elements() const { return rows * columns * copies; }
  // A matrix of the layers that multiplies activations, as quantisation sees it.
  constexpr bool is_linear() const {
    return role != ProductRole::kNone && role != ProductRole::kHead;
  }
};

// The largest part that one rank holds.
WeightTensor local_part(const WeightTensor& tensor, const Sharding& sharding);

// The mixer of a layer with its inner norms; the feed-forward part; the layer's own norms.
std::vector<WeightTensor> attention_tensors(int hidden, const catalog::AttentionSpec& attention);
// The second attention of a layer, over what an encoder made: of that, keys and values are made
// once for each request, so that their products are none of the layer's.
std::vector<WeightTensor> cross_tensors(int hidden, const catalog::AttentionSpec& attention);
std::vector<WeightTensor> mlp_tensors(int hidden, const catalog::MlpSpec& mlp);
std::vector<WeightTensor> moe_tensors(int hidden, const catalog::MoeSpec& moe);
std::vector<WeightTensor> layer_tensors(const catalog::ModelSpec& model,
                                        const catalog::LayerSpec& layer);

// Before the first layer; after the last one (final norm and head). A tied head appears only
// when `has_own_copy`, which it does on the last of several pipeline stages.
std::vector<WeightTensor> embedding_tensors(const catalog::ModelSpec& model);
std::vector<WeightTensor> head_tensors(const catalog::ModelSpec& model, bool has_own_copy);

// One multi-token-prediction module: a layer like the model's last, the projection of the
// joined pair and three norms; embedding and head are shared with the model.
std::vector<WeightTensor> mtp_tensors(const catalog::ModelSpec& model);

// Everything on a stage, unsharded otherwise. Without multi-token prediction and extras.
std::vector<WeightTensor> stage_tensors(const catalog::ModelSpec& model, const Stage& stage);

}  // namespace loadfactor::workload
