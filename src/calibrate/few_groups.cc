#include "calibrate/few_groups.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace loadfactor::calibrate {
namespace {

constexpr double kNormal = 1.6448536269514722;  // 95 % of a normal variable lie below.

// The same of Student's t: in closed form for one and two degrees of freedom, else Fisher's
// expansion, which is right to a hundredth.
double student(double freedom) {
  constexpr double kBothSides = 0.9;
  if (freedom < 1.5) return std::tan(0.5 * std::numbers::pi * kBothSides);
  if (freedom < 2.5) return kBothSides * std::sqrt(2 / (1 - kBothSides * kBothSides));
  const double z = kNormal, z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * (z2 * (5 * z2 + 16) + 3) / 96;
  const double third = z * (z2 * (z2 * (3 * z2 + 19) + 17) - 15) / 384;
  return z + (first + (second + third / freedom) / freedom) / freedom;
}

}  // namespace

double few_groups(std::size_t groups) {
  const auto count = static_cast<double>(std::max<std::size_t>(groups, 2));
  return student(count - 1) / kNormal * std::sqrt(1 + 1 / count);
}

}  // namespace loadfactor::calibrate
