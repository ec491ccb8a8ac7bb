// Whose fit a chip without its own uses, and what it is worth there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "cost/chip_model.h"
#include "cost/kernel_fit.h"
#include "loadfactor/result.h"

namespace loadfactor::cost {

// A fit of a measured chip, in terms of this module.
struct DonorFit {
  KernelFit fit;
  const catalog::AcceleratorSpec* chip = nullptr;
};

// The measured chips from the nearest to the farthest: the chip itself, its family by likeness of
// peak rate and bandwidth, its vendor, the rest.
std::vector<MeasuredChip> by_distance(const catalog::AcceleratorSpec& chip,
                                      std::span<const MeasuredChip> measured);

// All fits of a table; LF506 where it uses a word that does not exist.
Result<std::vector<DonorFit>> donor_fits(const MeasuredChip& measured);

// Finds a kernel among donors ordered by distance and adapts it to the chip. With no donor at all
// a plain default with a wide spread is returned and `donor` stays empty.
KernelFit borrow(const KernelKey& key, const catalog::AcceleratorSpec& chip,
                 std::span<const DonorFit> donors, std::string& donor);

}  // namespace loadfactor::cost
