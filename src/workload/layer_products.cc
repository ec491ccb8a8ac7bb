#include "workload/layer_products.h"

#include <algorithm>

#include "base/check.h"

namespace loadfactor::workload {
namespace {

double share_of_dimension(std::int64_t dimension, std::int64_t units, int degree) {
  if (units == dimension) return static_cast<double>(dimension) / degree;
  return static_cast<double>(dimension / units * share_of(units, degree));
}

// Groups of heads are dealt out whole, and cut once there are more ranks than groups.
LayerProduct share_of_groups(const WeightTensor& tensor, int tp) {
  const auto groups = static_cast<double>(tensor.copies);
  const double cut = std::max(1.0, tp / groups);
  return {.role = tensor.role,
          .columns = static_cast<double>(tensor.rows) / cut,
          .inner = static_cast<double>(tensor.columns),
          .groups = std::max(1.0, groups / tp)};
}

LayerProduct share_of_tensor(const WeightTensor& tensor, const Sharding& sharding) {
  const bool routed = tensor.component == Component::kExperts;
  if (tensor.copies > 1 && !routed) return share_of_groups(tensor, sharding.tp);
  LayerProduct product{.role = tensor.role,
                       .columns = static_cast<double>(tensor.rows),
                       .inner = static_cast<double>(tensor.columns),
                       .groups = static_cast<double>(tensor.copies)};
  if (routed) product.groups = std::max(1.0, product.groups / sharding.ep);
  if (tensor.split == Split::kWhole) return product;
  const int degree = routed ? sharding.expert_tp() : sharding.tp;
  const bool rows = tensor.split == Split::kRows;
  (rows ? product.columns : product.inner) =
      share_of_dimension(rows ? tensor.rows : tensor.columns, tensor.units, degree);
  return product;
}

}  // namespace

std::vector<LayerProduct> layer_products(const catalog::ModelSpec& model,
                                         const catalog::LayerSpec& layer,
                                         const Sharding& sharding) {
  std::vector<LayerProduct> products;
  for (const WeightTensor& tensor : layer_tensors(model, layer)) {
    if (tensor.role == ProductRole::kNone) continue;
    const LayerProduct part = share_of_tensor(tensor, sharding);
    const auto same = std::find_if(products.begin(), products.end(),
                                   [&](const LayerProduct& p) { return p.role == part.role; });
    if (same == products.end()) {
      products.push_back(part);
      continue;
    }
    LF_CHECK(same->inner == part.inner, "tensors of one product differ in their input");
    same->columns += part.columns;
    same->tensors += part.tensors;
  }
  return products;
}

LayerProduct head_product(const catalog::ModelSpec& model, const Sharding& sharding) {
  const std::vector<WeightTensor> tensors = head_tensors(model, true);
  const auto head = std::find_if(tensors.begin(), tensors.end(), [](const WeightTensor& tensor) {
    return tensor.role == ProductRole::kHead;
  });
  return head == tensors.end() ? LayerProduct{} : share_of_tensor(*head, sharding);
}

ScoreHeads score_heads(const catalog::AttentionSpec& attention, int tp) {
  const auto queries = static_cast<double>(share_of(attention.heads, tp));
  if (attention.kind == catalog::AttentionKind::kStandard) {
    const auto dim = static_cast<double>(attention.head_dim);
    return {queries, static_cast<double>(share_of(attention.kv_heads, tp)), dim, dim};
  }
  if (attention.kind != catalog::AttentionKind::kLatent) return {};
  return {queries, queries, static_cast<double>(attention.nope_dim + attention.rope_dim),
          static_cast<double>(attention.value_dim)};
}

}  // namespace loadfactor::workload
