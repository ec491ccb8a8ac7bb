// Seconds of a matrix product.
//
// C[m,n] = A[m,k] · B[n,k]. Tiles of C are dealt to the chip's units in waves; the depth K runs
// through a pipeline that must be filled; where tiles are too few for the units, K is split. The
// tile is the best of a fixed set. See docs/models/kernels.md for where that fails.
#pragma once

#include <cstdint>

#include "catalog/spec/dtype.h"
#include "cost/chip_rates.h"
#include "cost/kernel_fit.h"
#include "cost/kernel_time.h"

namespace loadfactor::cost {

struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;  // Independent products in one launch.
};

struct GemmCall {
  GemmShape shape;
  catalog::Dtype dtype =
      catalog::Dtype::kBf16;  // Format of both operands, unless weights are narrower.
  KernelVariant variant = KernelVariant::kPlain;
  double output_bytes = 2.0;  // Per element; twice that when it is added to what is there.
};

// Bytes of one element of the weight operand.
double weight_bytes(catalog::Dtype dtype, KernelVariant variant);

Roofline gemm_roofline(const GemmCall& call, const ChipRates& rates);

KernelTime estimate_gemm(const GemmCall& call, const ChipRates& rates, const KernelFit& fit);

// The time without fixed part and correction, and where it stands on the correction grid.
struct GemmBody {
  Seconds arithmetic;
  Seconds memory;
  GridPoint point;
};
GemmBody gemm_body(const GemmCall& call, const ChipRates& rates,
                   const KernelParameters& parameters);

}  // namespace loadfactor::cost
