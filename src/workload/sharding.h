// How one copy of a model is spread over accelerators, and which spreads are legal.
#pragma once

#include <vector>

#include "catalog/spec/model_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::workload {

// A replica takes tp · cp · pp accelerators; experts are spread over ep · etp of the
// tp · cp · dp ranks of a pipeline stage.
struct Sharding {
  int tp = 1;           // Heads and widths; the vocabulary too.
  bool sp = false;      // Sequence parallelism: norms and residuals split over the tp ranks.
  int cp = 1;           // Every sequence split over so many ranks.
  int ep = 1;           // Experts.
  int etp = 0;          // Width inside an expert; 0: as tp.
  int pp = 1;           // Layers.
  int vp = 1;           // Chunks of layers per stage (interleaved schedules).
  int dp = 1;           // Copies.
  bool uneven = false;  // Layers need not divide by pp · vp.

  int expert_tp() const { return etp == 0 ? tp : etp; }
  friend bool operator==(const Sharding&, const Sharding&) = default;
};

// The layers of one pipeline stage, and whether the ends of the model are on it.
struct Stage {
  std::vector<int> layers;
  bool first = true;
  bool last = true;
};

// The whole model as one stage.
Stage whole_model(const catalog::ModelSpec& model);

// Stage `index` of the pipeline: chunk c of the layers is on stage c mod pp. What does not
// divide is added one layer each to the last chunks but one, as the ends carry the tables.
Stage pipeline_stage(const catalog::ModelSpec& model, const Sharding& sharding, int index);

// Everything that keeps `model` from being spread so: LF207 for a degree below 1, LF102 for
// one that does not divide, with the nearest that do.
Diagnostics validate_sharding(const catalog::ModelSpec& model, const Sharding& sharding);

// The legal tensor-parallel degrees up to `limit`, rising.
std::vector<int> legal_tp(const catalog::ModelSpec& model, int limit);

// The pieces that rank 0 of `degree` holds of `units`: rounded up, so at least one; past one
// per rank the ranks hold copies, as tensor parallelism does with key-value heads.
constexpr std::int64_t share_of(std::int64_t units, std::int64_t degree) {
  return (units + degree - 1) / degree;
}

}  // namespace loadfactor::workload
