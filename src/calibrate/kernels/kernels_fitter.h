// Fits the parameters and the correction of one kernel class on one chip, and says by leaving
// shapes out how far to trust them.
#pragma once

#include <span>
#include <vector>

#include "calibrate/kernels/kernels_sample.h"
#include "cost/chip_rates.h"
#include "cost/kernel_fit.h"

namespace loadfactor::calibrate {

// What a table's way of measuring adds to the kernel's own time; no part of a prediction.
struct TableTraits {
  Seconds cast_fixed;        // Start of the kernel that narrows the input.
  double cache_gain = 0.0;   // How much faster than memory the cache serves what it holds, less 1.
  double cache_share = 1.0;  // How much of the cache repeated operands keep.
};

// A fit, and what belongs to the table it came from rather than to the kernel.
struct GroupFit {
  cost::KernelFit fit;  // `spread` is that of the left-out shapes.
  cost::Spread in_sample;
  TableTraits traits;
  std::vector<double> fitted;    // log(predicted / measured), in the order of the samples.
  std::vector<double> held_out;  // The same where the sample's shape was left out of the fit.
};

// All samples are of one chip and key. Shapes are dealt to `folds` folds by their number.
GroupFit fit_group(std::span<const KernelSample* const> samples, const cost::ChipRates& rates,
                   int folds = 10);

// What the fit says of a sample, the table's own casts included.
Seconds predict_sample(const KernelSample& sample, const cost::ChipRates& rates,
                       const cost::KernelFit& fit, const TableTraits& traits);

// Quantiles of |predicted / measured − 1| and of log(measured / predicted).
cost::Spread spread_of(std::span<const double> log_ratios);

}  // namespace loadfactor::calibrate
