// A step as a list of ops: what one rank of one pipeline stage does for one micro-batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "catalog/spec/dtype.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "workload/batch.h"
#include "workload/op.h"
#include "workload/sharding.h"
#include "workload/weight_recipe.h"

namespace loadfactor::workload {

enum class AttentionKernel : std::uint8_t {
  kFlash,    // Scores never leave the chip; the backward pass computes them again.
  kUnfused,  // Scores, softmax and its dropout are written out.
};

struct BuildOptions {
  const WeightRecipe* recipe = &kBf16Weights;
  catalog::Dtype activation = catalog::Dtype::kBf16;
  catalog::Dtype kv = catalog::Dtype::kBf16;
  std::optional<catalog::Dtype> math;  // Of the linears; empty: as the recipe says.
  AttentionKernel attention = AttentionKernel::kFlash;
  bool dropout = false;    // After attention, its scores and the MLP, as GPT-3 was trained.
  int logit_bytes = 4;     // Kept per logit for the backward pass of the loss.
  int gradient_bytes = 4;  // Per element of a weight gradient as written.
};

// Layers of the same kind are the same ops, so that each is listed once.
struct Block {
  int kind = 0;   // Index into ModelSpec::kinds.
  int count = 0;  // Layers of this kind on the stage.
  std::vector<Op> ops;
};

struct OpGraph {
  std::vector<Op> prologue;  // Embedding, on the first stage.
  std::vector<Block> blocks;
  std::vector<std::uint8_t> order;  // For each layer of the stage the index of its block.
  std::vector<Op> epilogue;         // Head and loss on the last stage, the send on the others.
};

// `sharding` has passed validate_sharding.
OpGraph build_op_graph(const catalog::ModelSpec& model, const Sharding& sharding,
                       const Stage& stage, const Batch& batch, const BuildOptions& options);

// Calls `visit(op, times)` for every op, layers in the order of blocks.
void for_each_op(const OpGraph& graph, const std::function<void(const Op&, int)>& visit);

struct GraphTotals {
  Work forward;
  Work backward;    // Both parts.
  Bytes saved;      // For the backward pass.
  int kernels = 0;  // Forward.
  int collectives = 0;
};
GraphTotals totals(const OpGraph& graph);

// Model FLOPs of a forward pass over whole sequences, by convention: matrix products of
// active parameters and attention, nothing recomputed.
enum class AttentionCount : std::uint8_t {
  kCausal,  // What causal kernels do.
  kFull,    // The whole square, as most published MFU figures count it.
  kNone,    // The 2 · parameters rule.
};
Flops forward_model_flops(const catalog::ModelSpec& model, std::int64_t sequences,
                          std::int64_t tokens, AttentionCount count);

}  // namespace loadfactor::workload
