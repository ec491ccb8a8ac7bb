// The cheapest mix of whole nodes for a demand hour by hour, solved exactly as an integer
// programme.
//
// The closed form (newsvendor.h) answers the same question for two tiers without limits; this one
// also takes limits per tier, tiers that last part of the day, and commitments in whole nodes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::economics {

struct MixTier {
  std::string name;
  DollarsPerSecond price;  // Price of one GPU.
  bool committed = false;  // Paid around the clock; else only while used.
  double unit = 1;         // GPUs come in multiples of this.
  double max_gpus = 1e9;   // GPUs at one time.
};

struct HourlyMix {
  std::vector<double> peak;                  // GPUs of each tier that are bought or used at most.
  std::vector<std::vector<double>> by_hour;  // [tier][hour]: GPUs in use.
  DollarsPerSecond cost;                     // Mean cost over the hours.
};

// Hours stand for equal shares of the time. LF309 when the tiers together cannot carry the peak.
Result<HourlyMix> cheapest_mix(std::span<const double> demand, std::span<const MixTier> tiers);

}  // namespace loadfactor::economics
