// The answer of every kernel estimate: seconds, and what they are spent on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "loadfactor/quantity.h"

namespace loadfactor::cost {

enum class Bound : std::uint8_t { kArithmetic, kMemory, kFixed };

struct KernelTime {
  Seconds duration;
  Bound bound = Bound::kMemory;
};

// The two times of which a kernel takes about the longer, at peak rates: no kernel is faster.
struct Roofline {
  Seconds arithmetic;
  Seconds memory;

  Seconds longer() const { return std::max(arithmetic, memory); }
};

// The longer of two overlapping times, a little more where they are close: the p-norm with p = 4,
// so that equal times cost 1.19 of one.
inline Seconds overlapped(Seconds a, Seconds b) {
  const Seconds longer = std::max(a, b);
  if (longer <= Seconds{}) return Seconds{};
  const double ratio = std::min(a, b) / longer;
  const double square = ratio * ratio;
  return longer * std::sqrt(std::sqrt(1.0 + square * square));
}

// Puts fixed and variable time together and holds the result to the roofline.
inline KernelTime assemble(Seconds fixed, Seconds arithmetic, Seconds memory, double correction,
                           const Roofline& limit) {
  const Seconds body = overlapped(arithmetic, memory) * correction;
  KernelTime time{std::max(fixed + body, limit.longer()), Bound::kMemory};
  if (fixed > body) {
    time.bound = Bound::kFixed;
  } else if (arithmetic > memory) {
    time.bound = Bound::kArithmetic;
  }
  return time;
}

}  // namespace loadfactor::cost
