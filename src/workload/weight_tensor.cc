#include "workload/weight_tensor.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "workload/tensor_list.h"

namespace loadfactor::workload {
namespace {

using catalog::MlpKind;
using catalog::ModelSpec;
using catalog::NormKind;

using Tensors = std::vector<WeightTensor>;

void append(Tensors& to, Tensors from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::int64_t norm_weights(NormKind kind, std::int64_t width) {
  switch (kind) {
    case NormKind::kNonParametric:
      return 0;
    case NormKind::kLayer:
      return 2 * width;
    case NormKind::kRms:
    case NormKind::kLayerNoBias:
      break;
  }
  return width;
}

struct FeedForward {
  std::int64_t input = 0;
  std::int64_t width = 0;
  std::int64_t copies = 1;
  MlpKind kind = MlpKind::kGated;
  bool bias = false;
};
// The names, the component and the two products of a kind of feed-forward part.
struct FeedForwardKind {
  std::string_view gate, up, down, gate_bias, up_bias, down_bias;
  Component component;
  ProductRole to_width, from_width;
};
constexpr FeedForwardKind kDenseMlp{
    "mlp.gate",      "mlp.up",        "mlp.down",          "mlp.gate_bias",      "mlp.up_bias",
    "mlp.down_bias", Component::kMlp, ProductRole::kMlpUp, ProductRole::kMlpDown};
constexpr FeedForwardKind kRoutedExperts{
    "experts.gate",      "experts.up",           "experts.down",
    "experts.gate_bias", "experts.up_bias",      "experts.down_bias",
    Component::kExperts, ProductRole::kExpertUp, ProductRole::kExpertDown};
constexpr FeedForwardKind kSharedExperts{"shared.gate",
                                         "shared.up",
                                         "shared.down",
                                         "shared.gate_bias",
                                         "shared.up_bias",
                                         "shared.down_bias",
                                         Component::kSharedExperts,
                                         ProductRole::kSharedUp,
                                         ProductRole::kSharedDown};

Tensors feed_forward(const FeedForward& f, const FeedForwardKind& kind) {
  TensorList list(kind.component);
  const auto rows = [&](std::string_view name, std::int64_t columns, ProductRole role) {
    list.add({.name = name,
              .rows = f.width,
              .columns = columns,
              .copies = f.copies,
              .split = Split::kRows,
              .units = f.width,
              .role = role});
  };
  const bool gated = f.kind == MlpKind::kGated;
  if (gated) rows(kind.gate, f.input, kind.to_width);
  rows(kind.up, f.input, kind.to_width);
  list.add({.name = kind.down,
            .rows = f.input,
            .columns = f.width,
            .copies = f.copies,
            .split = Split::kColumns,
            .units = f.width,
            .role = kind.from_width});
  if (f.bias) {
    if (gated) rows(kind.gate_bias, 1, ProductRole::kNone);
    rows(kind.up_bias, 1, ProductRole::kNone);
    list.add({.name = kind.down_bias, .rows = f.input, .copies = f.copies});
  }
  return std::move(list).take();
}

Tensors per_layer_tensors(const ModelSpec& model) {
  TensorList list(Component::kEmbedding);
  const std::int64_t width = model.embedding.per_layer;
  list.whole(ProductRole::kPerLayerDown, "per_layer.gate", width, model.hidden);
  list.whole(ProductRole::kPerLayerUp, "per_layer.projection", model.hidden, width);
  if (width > 0) list.norm("per_layer.norm", model.hidden);
  return std::move(list).take();
}

}  // namespace

WeightTensor local_part(const WeightTensor& tensor, const Sharding& sharding) {
  WeightTensor local = tensor;
  const bool expert = tensor.component == Component::kExperts;
  if (expert) local.copies = share_of(tensor.copies, sharding.ep);
  if (tensor.split == Split::kWhole) return local;
  const int degree = expert ? sharding.expert_tp() : sharding.tp;
  local.units = share_of(tensor.units, degree);
  std::int64_t& dimension = tensor.split == Split::kRows ? local.rows : local.columns;
  dimension = dimension / tensor.units * local.units;
  return local;
}

Tensors mlp_tensors(int hidden, const catalog::MlpSpec& mlp) {
  if (mlp.width == 0) return {};
  return feed_forward({.input = hidden, .width = mlp.width, .kind = mlp.kind, .bias = mlp.bias},
                      kDenseMlp);
}

Tensors moe_tensors(int hidden, const catalog::MoeSpec& moe) {
  if (moe.experts == 0) return {};
  TensorList router(Component::kRouter);
  router.whole(ProductRole::kRouter, "router", moe.experts, hidden);
  if (moe.router_bias) router.vector("router.bias", moe.experts);
  if (moe.correction_bias) router.vector("router.correction", moe.experts);
  if (moe.shared_gate) router.vector("shared.router", hidden);
  Tensors tensors = std::move(router).take();

  TensorList latent(Component::kSharedExperts);
  latent.whole(ProductRole::kLatentDown, "latent.down", moe.latent, hidden);
  latent.whole(ProductRole::kLatentUp, "latent.up", hidden, moe.latent);
  append(tensors, std::move(latent).take());
  const FeedForward experts{.input = moe.latent > 0 ? moe.latent : hidden,
                            .width = moe.width,
                            .copies = moe.experts,
                            .kind = moe.kind,
                            .bias = moe.bias};
  append(tensors, feed_forward(experts, kRoutedExperts));
  if (moe.shared_width > 0) {
    append(tensors,
           feed_forward(
               {.input = hidden, .width = moe.shared_width, .kind = moe.kind, .bias = moe.bias},
               kSharedExperts));
  }
  return tensors;
}

Tensors layer_tensors(const ModelSpec& model, const catalog::LayerSpec& layer) {
  Tensors tensors = attention_tensors(model.hidden, layer.attention);
  if (layer.cross) append(tensors, cross_tensors(model.hidden, layer.attention));
  append(tensors, mlp_tensors(model.hidden, layer.mlp));
  append(tensors, moe_tensors(model.hidden, layer.moe));
  append(tensors, per_layer_tensors(model));
  TensorList norms(Component::kNorms);
  for (int i = 0; i < layer.norms; ++i) {
    norms.norm("layer.norm", norm_weights(model.norm, model.hidden));
  }
  append(tensors, std::move(norms).take());
  return tensors;
}

Tensors embedding_tensors(const ModelSpec& model) {
  const catalog::EmbeddingSpec& e = model.embedding;
  TensorList list(Component::kEmbedding);
  const std::int64_t width = e.project > 0 ? e.project : model.hidden;
  const auto table = [&](std::string_view name, std::int64_t columns) {
    list.add({.name = name,
              .rows = e.vocab,
              .columns = columns,
              .split = Split::kRows,
              .units = e.vocab});
  };
  table("embedding", width);
  if (e.project > 0) list.whole(ProductRole::kOutside, "embedding.project_in", model.hidden, width);
  const std::int64_t all_layers = std::int64_t{e.per_layer} * model.num_layers();
  table("per_layer.table", all_layers);
  list.whole(ProductRole::kOutside, "per_layer.model_projection", all_layers, model.hidden);
  list.norm("per_layer.model_norm", e.per_layer);
  if (e.norm) list.norm("embedding.norm", norm_weights(model.norm, model.hidden));
  Tensors tensors = std::move(list).take();
  TensorList positions(Component::kPositions);
  positions.add({.name = "positions", .rows = e.positions, .columns = model.hidden});
  append(tensors, std::move(positions).take());
  return tensors;
}

Tensors head_tensors(const ModelSpec& model, bool has_own_copy) {
  const catalog::EmbeddingSpec& e = model.embedding;
  TensorList list(Component::kHead);
  const std::int64_t width = e.project > 0 ? e.project : model.hidden;
  if (model.final_norm) list.norm("final_norm", norm_weights(model.norm, model.hidden));
  if (e.project > 0) list.whole(ProductRole::kOutside, "head.project_out", width, model.hidden);
  if (e.head && (!e.tied || has_own_copy)) {
    list.add({.name = "head",
              .rows = e.vocab,
              .columns = width,
              .split = Split::kRows,
              .units = e.vocab,
              .role = ProductRole::kHead});
  }
  if (e.head_bias) list.cut_vector("head.bias", e.vocab, e.vocab);
  return std::move(list).take();
}

Tensors mtp_tensors(const ModelSpec& model) {
  LF_CHECK(model.num_layers() > 0, "the model has no layers");
  Tensors tensors = layer_tensors(model, model.layer(model.num_layers() - 1));
  TensorList list(Component::kMlp);
  list.whole(ProductRole::kOutside, "mtp.projection", model.hidden, 2 * std::int64_t{model.hidden});
  for (int i = 0; i < 3; ++i) list.norm("mtp.norm", norm_weights(model.norm, model.hidden));
  append(tensors, std::move(list).take());
  return tensors;
}

Tensors stage_tensors(const ModelSpec& model, const Stage& stage) {
  Tensors tensors;
  if (stage.first) append(tensors, embedding_tensors(model));
  for (const int layer : stage.layers) append(tensors, layer_tensors(model, model.layer(layer)));
  if (stage.last) append(tensors, head_tensors(model, !stage.first));
  return tensors;
}

}  // namespace loadfactor::workload
