// One measured kernel: what ran, how long it took, and what the model says of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "calibrate/kernels/kernels_correction.h"
#include "cost/attention.h"
#include "cost/chip_rates.h"
#include "cost/gemm.h"
#include "cost/grouped_gemm.h"
#include "cost/kernel_fit.h"
#include "cost/kernel_time.h"
#include "loadfactor/quantity.h"

namespace loadfactor::calibrate {

// The gated feed-forward part of a mixture as tables measure it: two grouped products with the
// activation between them.
struct ExpertLayer {
  cost::GroupedGemmCall up;
  cost::GroupedGemmCall down;
};

struct KernelSample {
  std::string chip;
  cost::KernelKey key;
  std::variant<cost::GemmCall, cost::AttentionCall, ExpertLayer, Bytes> call;
  Seconds measured;
  std::uint64_t shape = 0;  // Samples with the same number are left out together.
  std::string source;
  // The measurement includes narrowing this much 16-bit input to the format of the product.
  Bytes cast_traffic;
  // The same operands ran again and again, so that small ones were found in the cache.
  bool warm = false;
  // Where a table has several kernels or settings for one format, the lowest rank is kept, and the
  // first maker among equal ranks.
  int rank = 0;
  std::string maker;
  // A backward pass that was timed together with its forward pass.
  bool with_forward = false;
};

// The parts of a sample's predicted time before fixed time and correction.
struct SampleBody {
  Seconds arithmetic;
  Seconds memory;
  cost::GridPoint point{};
  cost::Roofline limit;
  double cache_fill = 0.0;  // Traffic of a warm sample over the size of the cache; else 0.
};
SampleBody sample_body(const KernelSample& sample, const cost::ChipRates& rates,
                       const cost::KernelParameters& parameters);

// The axes of the correction of a kernel class; all of one node where none is fitted.
std::array<cost::GridAxis, 3> correction_axes(cost::KernelClass kernel);
std::array<Slope, 3> correction_slopes(cost::KernelClass kernel);

}  // namespace loadfactor::calibrate
