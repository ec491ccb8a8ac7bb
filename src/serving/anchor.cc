#include "serving/anchor.h"

#include <cmath>

namespace loadfactor::serving {

double carried_share(double measured_load, double asked_load) {
  constexpr double kSameLoad = 0.9;
  constexpr double kReach = 1.5;  // A load 4.5 times as large keeps 1/e of it.
  if (!(measured_load > 0) || !(asked_load > 0)) return kSameLoad;
  return kSameLoad * std::exp(-std::abs(std::log(asked_load / measured_load)) / kReach);
}

}  // namespace loadfactor::serving
