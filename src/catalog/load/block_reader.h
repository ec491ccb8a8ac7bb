// Reads one attention, mlp or moe block over the values it starts from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/spec/model_spec.h"
#include "config/reader.h"

namespace loadfactor::catalog {

// Which layers are mixtures of experts: i >= first_dense, (i + 1) % every == 0 and i not in
// dense_layers; or exactly those of `layers` where that is given. Layers count from 0.
struct MoeRule {
  std::int64_t first_dense = 0;
  std::int64_t every = 1;
  std::vector<std::int64_t> dense_layers;
  std::optional<std::vector<std::int64_t>> layers;

  bool holds(std::int64_t layer) const;
};

// Each takes what the block overrides, and finishes the block. `attention` also reports (LF504)
// the keys that its kind of attention cannot do without.
AttentionSpec read_attention(config::MapReader& block, AttentionSpec base);
MlpSpec read_mlp(config::MapReader& block, MlpSpec base);
MoeSpec read_moe(config::MapReader& block, MoeSpec base, MoeRule& rule);

}  // namespace loadfactor::catalog
