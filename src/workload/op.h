// One kernel or one collective of a step, with everything its time can depend on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catalog/spec/dtype.h"
#include "loadfactor/quantity.h"

namespace loadfactor::workload {

enum class OpKind : std::uint8_t {
  kGemm,
  kGroupedGemm,  // One product per expert.
  kAttention,    // Scores, softmax and values in one.
  kScan,         // The recurrence of linear attention and state-space mixers.
  kNorm,         // With the residual addition before it.
  kElementwise,
  kEmbedding,
  kSoftmaxLoss,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kSend,
};
constexpr bool is_collective(OpKind kind) {
  return kind >= OpKind::kAllReduce;
}

// C[m, n] = A[m, k] · B[k, n], `batch` times. For grouped GEMMs m is the rows of all groups.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;

  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

// What a kernel that attends has to do, on one rank.
struct AttentionShape {
  std::int64_t sequences = 0;
  std::int64_t queries = 0;  // Per sequence.
  std::int64_t keys = 0;     // Per sequence, those in reach of the window.
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t qk_dim = 0;
  std::int64_t value_dim = 0;
  double pairs = 0;  // Query-key pairs per head over all sequences.

  friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

// Arithmetic counts matrix products only (a multiply and an add are two): pointwise work is
// always hidden behind its memory traffic.
struct Work {
  Flops arithmetic;
  Bytes read;  // Weights included.
  Bytes written;
  Bytes weights;  // The part of `read` that does not grow with the batch.

  friend bool operator==(const Work&, const Work&) = default;
};

// What a recomputation policy decides on.
enum class SavedPart : std::uint8_t {
  kLayerInput,     // Kept under every policy.
  kResidual,       // Input of a later norm of the layer.
  kNormOutput,     // Light to compute again.
  kAttentionCore,  // Scores, softmax, their dropout: what selective recomputation drops.
  kActivation,     // Output of the activation function: light to compute again.
  kProjection,     // Output of a matrix product.
  kRouting,
  kLoss,
};

struct SavedTensor {
  std::string_view name;
  SavedPart part = SavedPart::kProjection;
  Bytes bytes;

  friend bool operator==(const SavedTensor&, const SavedTensor&) = default;
};

// Over which ranks a collective runs.
enum class RankGroup : std::uint8_t { kNone, kTensor, kContext, kExpert, kExpertTensor, kPipeline };
enum class Pass : std::uint8_t { kForward, kBackward };

// `payload` is the whole message of one rank: what is reduced, what has been gathered, what
// is scattered, what one rank sends to all. So a ring takes (n-1)/n · payload / bandwidth,
// twice that for an all-reduce.
struct Collective {
  RankGroup group = RankGroup::kNone;
  int ranks = 1;
  Bytes payload;
  Pass pass = Pass::kForward;

  friend bool operator==(const Collective&, const Collective&) = default;
};

struct Op {
  std::string_view name;  // "attention.qkv"
  OpKind kind = OpKind::kElementwise;
  catalog::Dtype math = catalog::Dtype::kBf16;
  GemmShape gemm;
  AttentionShape attention;
  int groups = 0;             // Grouped GEMM: experts on this rank,
  double groups_touched = 0;  // of which so many have tokens, on average under even routing.
  Work forward;
  Work backward_input;
  Work backward_weight;
  Collective collective;
  std::vector<SavedTensor> saved;  // For the backward pass; empty unless training.

  friend bool operator==(const Op&, const Op&) = default;
};

}  // namespace loadfactor::workload
