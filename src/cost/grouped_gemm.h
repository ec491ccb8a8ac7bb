// Seconds of the experts of a mixture: one product per expert, in one launch.
//
// Every expert that any token reached is read once and pads its rows to whole tiles. Rows are
// those of the busiest rank; where they fall among its own experts matters little, because
// tiles of all experts share the units.
#pragma once

#include <cstdint>

#include "catalog/spec/dtype.h"
#include "cost/chip_rates.h"
#include "cost/kernel_fit.h"
#include "cost/kernel_time.h"

namespace loadfactor::cost {

struct GroupedGemmCall {
  std::int64_t experts = 1;  // Held by this rank.
  double rows = 0.0;         // Token copies that reach them, together.
  std::int64_t n = 0;        // Features each expert makes of k.
  std::int64_t k = 0;
  catalog::Dtype dtype = catalog::Dtype::kBf16;
  KernelVariant variant = KernelVariant::kPlain;
  double output_bytes = 2.0;
  bool weight_gradient = false;  // Rows are then the depth: each expert makes an n × k product.
};

// Experts that at least one of `rows` evenly spread token copies reaches.
double touched_experts(double experts, double rows);

Roofline grouped_gemm_roofline(const GroupedGemmCall& call, const ChipRates& rates);

struct GroupedBody {
  Seconds arithmetic;
  Seconds memory;
  GridPoint point;
};
GroupedBody grouped_body(const GroupedGemmCall& call, const ChipRates& rates,
                         const KernelParameters& parameters);

}  // namespace loadfactor::cost
