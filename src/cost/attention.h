// Seconds of attention kernels that keep their scores on the chip.
//
// A block of queries of one head is the unit of work; blocks are dealt to the chip's units in
// waves. Short contexts cost extra: the rate reaches half of its limit at a context of `half`
// keys. Causal masks and windows skip the pairs they hide, except inside the diagonal blocks.
#pragma once

#include <cstdint>

#include "catalog/spec/dtype.h"
#include "cost/chip_rates.h"
#include "cost/kernel_fit.h"
#include "cost/kernel_time.h"

namespace loadfactor::cost {

struct AttentionCall {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t value_dim = 0;  // 0: the same as head_dim.
  std::int64_t queries = 1;    // Query tokens per sequence.
  std::int64_t context = 1;    // Key tokens per sequence, the query tokens included.
  std::int64_t window = 0;     // Tokens of a sliding window; 0: no window.
  bool causal = true;
  bool values_in_keys = false;  // Latent attention over its compressed cache: one row holds both.
  catalog::Dtype dtype = catalog::Dtype::kBf16;        // Format of the arithmetic.
  catalog::Dtype cache_dtype = catalog::Dtype::kBf16;  // Format that keys and values are stored in.
};

// Pairs of a query and a key that one head of one sequence looks at.
double visible_pairs(const AttentionCall& call);

Flops attention_flops(const AttentionCall& call, bool backward);
Roofline attention_roofline(const AttentionCall& call, bool backward, const ChipRates& rates);

KernelTime estimate_attention(const AttentionCall& call, const ChipRates& rates,
                              const KernelFit& fit);
// One query per sequence: bound by reading the cache. Keys are split over idle units.
KernelTime estimate_decode_attention(const AttentionCall& call, const ChipRates& rates,
                                     const KernelFit& fit);

// For fitting: the parts of an estimate before fixed time and correction.
struct AttentionBody {
  Seconds arithmetic;
  Seconds memory;
  GridPoint point;
};
AttentionBody attention_body(const AttentionCall& call, bool backward, const ChipRates& rates,
                             const KernelParameters& parameters);
AttentionBody decode_body(const AttentionCall& call, const ChipRates& rates,
                          const KernelParameters& parameters);

}  // namespace loadfactor::cost
