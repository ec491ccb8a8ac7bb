#include "cost/chip_rates.h"

#include <array>

namespace loadfactor::cost {
namespace {

using catalog::Dtype;

struct Fallback {
  Dtype dtype;
  std::array<Dtype, 4> order;  // Tried from the left when the format has no rate of its own.
};

constexpr std::array kFallbacks{
    Fallback{Dtype::kFp64, {Dtype::kFp64, Dtype::kFp32, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kFp32, {Dtype::kFp32, Dtype::kTf32, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kTf32, {Dtype::kTf32, Dtype::kFp32, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kBf16, {Dtype::kBf16, Dtype::kFp16, Dtype::kTf32, Dtype::kFp32}},
    Fallback{Dtype::kFp16, {Dtype::kFp16, Dtype::kBf16, Dtype::kTf32, Dtype::kFp32}},
    Fallback{Dtype::kFp8, {Dtype::kFp8, Dtype::kBf16, Dtype::kFp16, Dtype::kFp32}},
    Fallback{Dtype::kMxfp8, {Dtype::kMxfp8, Dtype::kFp8, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kInt8, {Dtype::kInt8, Dtype::kFp8, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kFp6, {Dtype::kFp6, Dtype::kFp8, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kFp4, {Dtype::kFp4, Dtype::kFp8, Dtype::kBf16, Dtype::kFp16}},
    Fallback{Dtype::kMxfp4, {Dtype::kMxfp4, Dtype::kFp4, Dtype::kFp8, Dtype::kBf16}},
    Fallback{Dtype::kNvfp4, {Dtype::kNvfp4, Dtype::kFp4, Dtype::kFp8, Dtype::kBf16}},
    Fallback{Dtype::kInt4, {Dtype::kInt4, Dtype::kInt8, Dtype::kBf16, Dtype::kFp16}},
};

}  // namespace

ChipRates make_chip_rates(const catalog::AcceleratorSpec& chip) {
  ChipRates rates;
  for (const Fallback& fallback : kFallbacks) {
    FlopsPerSecond& rate = rates.peak[static_cast<std::size_t>(fallback.dtype)];
    rate = FlopsPerSecond::from_base(1.0);
    for (const Dtype dtype : fallback.order) {
      if (chip.arithmetic.rate(dtype) <= FlopsPerSecond{}) continue;
      rate = chip.arithmetic.rate(dtype);
      break;
    }
  }
  rates.memory = chip.memory.bandwidth;
  rates.l2 = chip.compute.l2;
  if (chip.compute.units > 0) rates.units = chip.compute.units;
  return rates;
}

}  // namespace loadfactor::cost
