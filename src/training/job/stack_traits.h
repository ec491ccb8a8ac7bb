// What a training framework of a given generation does on the machine: physical switches only.
//
// A stack is a file of data/stacks. No switch names a model, a source or a GPU count; two
// stacks differ only in what their kernels, their host code and their overlap do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/spec/provenance.h"
#include "training/job/abilities.h"
#include "training/job/memory_traits.h"

namespace loadfactor::training {

enum class AttentionGeneration : std::uint8_t {
  kUnfused,  // Scores are written to memory: s × s passes.
  kFlash1,
  kFlash2,
  kFlash3,  // FlashAttention-3, cuDNN, splash attention: tuned for the chip.
};
enum class PointwiseClass : std::uint8_t {
  kComposite,  // Every operation of a norm, a rotation or a gate is a kernel of its own.
  kEager,      // Norms and rotations are one kernel each, with nothing around them.
  kFused,
  kCompiled,
};
// How kernels get to the device; each class has a launch time per layer.
enum class HostClass : std::uint8_t { kEager, kFused, kCompiled, kGraph };
enum class TpOverlap : std::uint8_t {
  kNone,
  kUserBuffers,  // GEMM and collective in chunks (Transformer Engine user buffers).
  kAsync,        // PyTorch async tensor parallelism.
  kCompiler,     // XLA collective matmul.
};
// What "selective" recomputation drops.
enum class SelectiveMeaning : std::uint8_t {
  kCoreAttention,   // Megatron: scores, softmax and their product with the values.
  kOps,             // Every other matrix product, all pointwise work.
  kCompilerPolicy,  // XLA remat policy: what the author of the policy listed.
};
// How tokens reach their experts.
enum class MoeDispatch : std::uint8_t {
  kHostSync,  // Token counts travel to the host before the expert kernels start.
  kDevice,    // Counts stay on the device; kernels are still launched one by one.
  kGraph,     // Counts stay on the device, layers are captured in graphs, permutes fused.
  kCompiler,  // XLA: grouped matrix products with static shapes.
};

// How ranks that share a sequence attend to all of it.
enum class ContextExchange : std::uint8_t {
  kZigzag,  // Keys go around; every rank holds an early and a late piece, so that work is even.
  kRing,    // Keys go around; ranks hold pieces in order, and under a causal mask the last waits.
  kHeads,   // Tokens are traded for heads and back, all to all (Ulysses).
};

struct StackTraits {
  std::string name;
  std::string title;
  std::string family;  // The code base; stacks of one share their faults.
  AttentionGeneration attention = AttentionGeneration::kFlash3;
  PointwiseClass pointwise = PointwiseClass::kFused;
  HostClass host = HostClass::kFused;
  TpOverlap tp_overlap = TpOverlap::kNone;
  SelectiveMeaning selective = SelectiveMeaning::kCoreAttention;
  MoeDispatch moe = MoeDispatch::kHostSync;
  ContextExchange context = ContextExchange::kZigzag;
  bool compiler = false;             // One compiled program per step (XLA).
  bool dp_overlap = true;            // Gradient reduction behind the backward pass.
  bool p2p_overlap = true;           // Pipeline sends behind computation when interleaved.
  bool gather_overlap = true;        // Updated parameters travel behind the next forward pass.
  bool splits_sends = true;          // Tensor-parallel ranks send a share of a boundary each.
  bool shards_tensors = false;       // ZeRO deals out whole tensors: a collective for each.
  bool remats = false;               // Layers are under a policy unless the layout says otherwise.
  bool adds_apart = false;           // Gradients join their fp32 sum by kernels of their own.
  bool sequence_parallel = true;     // Default when the layout does not say.
  bool interleaves = false;          // Uses virtual stages when the layout does not say.
  bool fused_optimizer = true;       // One kernel per step, not one per operation.
  bool fp32_main_grad = false;       // Weight gradients accumulate in fp32 inside the GEMM.
  std::vector<std::string> runs_on;  // Software of chips it is written for; empty: not known.
  double gradient_bytes = 2;         // Per element on the wire of the gradient reduction.
  double shard_gradient_bytes = 4;   // Same, for kFull sharding.
  Abilities abilities;
  MemoryTraits memory;
  catalog::Provenance provenance;

  // Whether published runs of it were fitted to; else it is its traits alone.
  bool seen() const { return provenance.kind != catalog::SourceKind::kAssumed; }
};

}  // namespace loadfactor::training
