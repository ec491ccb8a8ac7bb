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
  bool linear = false;     // A matrix that multiplies activations, as quantisation sees it.

  constexpr std::int64_t elements() const { return rows * columns * copies; }
};

// The largest part that one rank holds.
WeightTensor local_part(const WeightTensor& tensor, const Sharding& sharding);

// The mixer of a layer with its inner norms; the feed-forward part; the layer's own norms.
std::vector<WeightTensor> attention_tensors(int hidden, const catalog::AttentionSpec& attention);
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
