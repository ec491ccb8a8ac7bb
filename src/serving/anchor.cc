#include "serving/anchor.h"

#include <cmath>

namespace loadfactor::serving {
namespace {

double distance(double measured, double asked) {
  return measured > 0 && asked > 0 ? std::abs(std::log(asked / measured)) : 0.0;
}

}  // namespace

double carried_share(const AnchorPoint& measured, const AnchorPoint& asked) {
  constexpr double kSamePoint = 0.9;
  constexpr double kReach = 1.25;  // A load 3.5 times as large keeps 1/e of the deviation.
  constexpr double kReachOfLengths = 4;
  return kSamePoint * std::exp(-distance(measured.load, asked.load) / kReach -
                               distance(measured.output, asked.output) / kReachOfLengths);
}

bool is_near(const AnchorPoint& measured, const AnchorPoint& asked) {
  constexpr double kHalf = 0.5;
  return carried_share(measured, asked) >= kHalf;
}

}  // namespace loadfactor::serving
