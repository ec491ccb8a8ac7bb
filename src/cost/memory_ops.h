// Seconds of operations bound by memory traffic, and how many bytes each of them moves.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cost/chip_rates.h"
#include "cost/kernel_fit.h"
#include "cost/kernel_time.h"

namespace loadfactor::cost {

// One kernel that moves `traffic` through memory once.
KernelTime estimate_memory_op(Bytes traffic, const ChipRates& rates, const KernelFit& fit);

enum class MemoryOp : std::uint8_t {
  kNorm,
  kResidualAdd,
  kRotary,
  kPlainActivation,  // One input.
  kGatedActivation,  // Two inputs of the output's width.
  kDropout,
  kBiasAdd,
  kEmbedding,
  kCast,
};

// Passes over memory per element of the output, each of one element's size. The backward pass of
// an op reads what it saved and the incoming gradient and writes gradients of its inputs.
struct MemoryOpRow {
  MemoryOp op;
  std::string_view name;
  double forward_passes;
  double backward_passes;
  KernelVariant variant;  // Which fit of kMemory applies.
};
inline constexpr std::array kMemoryOps{
    MemoryOpRow{MemoryOp::kNorm, "norm", 2, 3, KernelVariant::kNorm},
    MemoryOpRow{MemoryOp::kResidualAdd, "residual add", 3, 1, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kRotary, "rotary", 2, 2, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kPlainActivation, "activation", 2, 3, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kGatedActivation, "gated activation", 3, 5, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kDropout, "dropout", 2.5, 2.5, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kBiasAdd, "bias add", 2, 1, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kEmbedding, "embedding", 2, 3, KernelVariant::kPlain},
    MemoryOpRow{MemoryOp::kCast, "cast", 1.5, 1.5, KernelVariant::kPlain},
};
constexpr const MemoryOpRow& row(MemoryOp op) {
  return kMemoryOps[static_cast<std::size_t>(op)];
}

// Softmax and cross-entropy over `logits` values of `element_bytes`, forward and backward.
//
// Fused: the logits are read twice and overwritten by their gradient. Not fused: a copy in fp32
// is written, its log-softmax, its gradient, and a narrow gradient.
Bytes cross_entropy_traffic(double logits, double element_bytes, bool fused);

// Bytes per element of what an optimizer with two moments reads and writes for one parameter.
struct AdamState {
  double gradient = 4.0;
  double master = 4.0;  // 0 when the parameter is itself the master.
  double parameter = 2.0;
  double first_moment = 4.0;
  double second_moment = 4.0;
};
Bytes adam_traffic(double parameters, const AdamState& state);

// Narrowing a tensor of `elements`: reads one width, writes the other, and a second time where a
// transposed copy is kept for the backward pass. Finding the scale first costs another read.
struct Quantisation {
  double from_bytes = 2.0;
  double to_bytes = 1.0;
  bool transposed_copy = false;
  bool scale_pass = false;
};
Bytes quantisation_traffic(double elements, const Quantisation& how);

}  // namespace loadfactor::cost
