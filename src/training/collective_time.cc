#include "training/collective_time.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::training {

namespace {

// Of `top_k` choices among `places`, the share of copies that remains when each place is
// visited once.
double deduplicated(double places, double top_k) {
  return std::min(1.0, places * (1.0 - std::pow(1.0 - 1.0 / places, top_k)) / top_k);
}

}  // namespace

Seconds ring_time(const Machine& machine, const Constants& constants, Bytes bytes,
                  const RankGroup& group) {
  if (group.size <= 1) return {};
  const int stride = std::clamp(group.stride, 1, machine.domain);
  const double inside = std::max(1, std::min(group.size, machine.domain / stride));
  const double domains = std::ceil(group.size / inside);
  const BytesPerSecond up = machine.scale_up / (group.one_axis ? machine.axes : 1);
  const Seconds start = Seconds::from_base(constants[Constant::kStartUp]);
  Seconds scale_up = bytes * ((inside - 1) / inside) / up;
  if (domains <= 1) return scale_up + start;
  const Seconds scale_out = bytes * ((domains - 1) / domains) /
                            (machine.scale_out * (inside * constants[Constant::kNicEfficiency]));
  if (!machine.family->systolic && inside > 1) scale_up = bytes / up;
  const Seconds latency =
      Seconds::from_base(constants[Constant::kStartOut] * 2.0 * std::sqrt(domains));
  return std::max(scale_up, scale_out) + start + latency;
}

Seconds all_to_all_time(const Machine& machine, const Constants& constants, Bytes bytes, int ranks,
                        int top_k) {
  if (ranks <= 1) return {};
  const double n = ranks;
  const double choices = std::max(1, top_k);
  const BytesPerSecond up = machine.scale_up * constants[Constant::kAllToAllUp];
  const Seconds start = Seconds::from_base(constants[Constant::kStartUp]);
  if (ranks <= machine.domain) {
    return bytes * (deduplicated(n, choices) * (n - 1) / n) / up + start;
  }
  const double domains = n / machine.domain;
  const Seconds out = bytes * (deduplicated(domains, choices) * (domains - 1) / domains) /
                      (machine.scale_out * constants[Constant::kAllToAllOut]);
  return std::max(out, bytes / up) + start +
         Seconds::from_base(constants[Constant::kStartOut] * domains);
}

}  // namespace loadfactor::training
