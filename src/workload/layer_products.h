// The matrix products of a layer: the one list that training and serving take their times from.
//
// Read off the tensors of weight_tensor.h, so that whatever is counted is multiplied. Who times a
// product chooses its format, its rates and which products are worth timing; the shapes are here.
#pragma once

#include <vector>

#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "workload/sharding.h"
#include "workload/weight_tensor.h"

namespace loadfactor::workload {

// C[rows × columns] = A[rows × inner] · B[inner × columns], `groups` times.
struct ProductShape {
  double rows = 0;
  double columns = 0;
  double inner = 0;
  double groups = 1;

  Flops work() const { return Flops::from_base(2.0 * rows * columns * inner * groups); }
};

// One product on one rank. Heads stay whole, and ranks past the last one hold copies; single
// features and experts are shared evenly, so that their number need not be whole.
struct LayerProduct {
  ProductRole role = ProductRole::kNone;
  double columns = 0;  // Features it makes of each row.
  double inner = 0;    // Features it makes them of.
  double groups = 1;   // Experts, or groups of heads.
  double tensors = 1;  // That it is made of: those of queries, keys and values are one product.

  double weights() const { return columns * inner * groups; }
  // The product of so many rows in each group.
  ProductShape over(double rows) const { return {rows, columns, inner, groups}; }
};

// In the order of the tensors; tensors with one role are one product.
std::vector<LayerProduct> layer_products(const catalog::ModelSpec& model,
                                         const catalog::LayerSpec& layer, const Sharding& sharding);

// The logits, whether or not they share their matrix with the embedding.
LayerProduct head_product(const catalog::ModelSpec& model, const Sharding& sharding);

// The heads whose scores one rank computes; none where a mixer keeps a state instead.
struct ScoreHeads {
  double queries = 0;
  double keys = 0;  // Key-value heads as computed: as many as queries where they are latent.
  double key_dim = 0;
  double value_dim = 0;
};
ScoreHeads score_heads(const catalog::AttentionSpec& attention, int tp);

}  // namespace loadfactor::workload
