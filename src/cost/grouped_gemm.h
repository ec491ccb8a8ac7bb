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
// The same where the i-th most popular expert gets i^-skew of what the first gets. Ranks hold
// every `ranks`-th expert in the order of their use; this is one of them, as the mean is.
double touched_experts(double experts, double rows, double skew, int ranks);
// Rows of the busiest rank over the mean, with experts dealt to the ranks so.
double busiest_rank(double experts, double skew, int ranks);

Roofline grouped_gemm_roofline(const GroupedGemmCall& call, const ChipRates& rates);

struct GroupedBody {
  Seconds arithmetic;
  Seconds memory;
  GridPoint point;
};
GroupedBody grouped_body(const GroupedGemmCall& call, const ChipRates& rates,
                         const KernelParameters& parameters);

}  // namespace loadfactor::cost
