// Writes ops down: turns tensors and token counts into shapes, work, traffic and saved tensors.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "workload/batch.h"
#include "workload/op.h"
#include "workload/op_graph.h"
#include "workload/sharding.h"
#include "workload/weight_tensor.h"

namespace loadfactor::workload {

// Everything a builder needs to know about the step, and the token counts that follow.
struct StepContext {
  const catalog::ModelSpec& model;
  const Sharding& sharding;
  const Batch& batch;
  const BuildOptions& options;

  // New tokens of a group on one context-parallel rank. Decodes are not split: there it is
  // the cache that is.
  std::int64_t local_tokens(const SequenceGroup& group) const;
  std::int64_t tokens() const;
  // Rows of the residual stream on one rank.
  std::int64_t residual_tokens() const;
  double activation_bytes() const { return catalog::bytes_per_element(options.activation); }
  double kv_bytes() const;
};

// The local parts of a layer's tensors, by name.
class LocalTensors {
 public:
  LocalTensors(const std::vector<WeightTensor>& tensors, const Sharding& sharding);

  // Those that exist, in the order asked for.
  std::vector<WeightTensor> pick(std::initializer_list<std::string_view> names) const;

 private:
  std::vector<WeightTensor> tensors_;
};

// Elements that a pointwise kernel moves, forward and backward.
struct Traffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t backward_read = 0;
  std::int64_t backward_written = 0;
};

// Rows that reach the experts of one rank, which need not be whole on average.
struct Routed {
  double rows = 0;
  double tokens = 0;  // That choose among all experts.
  int top_k = 1;
  int experts = 1;  // Of the whole layer.
};

struct CollectiveCall {
  OpKind kind = OpKind::kAllReduce;
  RankGroup group = RankGroup::kTensor;
  double elements = 0;
  Pass pass = Pass::kForward;
};

class OpWriter {
 public:
  explicit OpWriter(const StepContext& context) : context_(context) {}

  // `rows` tokens times the linears among `weights`, which share their input; the rest of
  // `weights` are biases and the like, read but not multiplied.
  void gemm(std::string_view name, std::int64_t rows, const std::vector<WeightTensor>& weights);
  // One product per head: copies of a small matrix.
  void batched_gemm(std::string_view name, const GemmShape& shape,
                    const std::vector<WeightTensor>& weights);
  void grouped_gemm(std::string_view name, const Routed& routed,
                    const std::vector<WeightTensor>& weights);
  // A norm over `elements`; with the residual addition before it unless `inner`.
  void norm(std::string_view name, std::int64_t elements, const std::vector<WeightTensor>& weights,
            bool inner = false);
  void pointwise(std::string_view name, const Traffic& traffic,
                 const std::vector<WeightTensor>& weights = {});
  // Nothing is written when the group has one rank.
  void collective(std::string_view name, const CollectiveCall& call);
  void add(Op op) { ops_.push_back(std::move(op)); }
  // Takes the last op back.
  Op pop();

  // Keeps a tensor of the last op for the backward pass, if there is one.
  void save(std::string_view name, SavedPart part, double elements);
  void save_bytes(std::string_view name, SavedPart part, double bytes);

  const StepContext& context() const { return context_; }
  std::vector<Op> take() && { return std::move(ops_); }

 private:
  int ranks_of(RankGroup group) const;
  // Work of a product that may leave out a share of its weights.
  void fill_product(Op& op, double rows, const std::vector<WeightTensor>& weights, double share);

  const StepContext& context_;
  std::vector<Op> ops_;
};

// Stored bytes of local tensors under the recipe, scales included.
Bytes stored_bytes(const std::vector<WeightTensor>& tensors, const WeightRecipe& recipe);

}  // namespace loadfactor::workload
