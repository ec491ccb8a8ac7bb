// The rates of a chip that every kernel estimate needs, out of its catalogue entry.
#pragma once

#include <array>
#include <cstddef>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/dtype.h"
#include "loadfactor/quantity.h"

namespace loadfactor::cost {

struct ChipRates {
  std::array<FlopsPerSecond, catalog::kNumDtypes> peak{};  // Dense; never 0, see make_chip_rates.
  BytesPerSecond memory;
  Bytes l2;            // 0 when not known.
  double units = 1.0;  // SMs, CUs or cores that take tiles; 1 when not known.

  FlopsPerSecond rate(catalog::Dtype dtype) const { return peak[static_cast<std::size_t>(dtype)]; }
};

// Formats the chip has no rate for run at that of the next format that holds their numbers, as
// the libraries do: fp8 on a chip without it is computed in bf16.
ChipRates make_chip_rates(const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::cost
