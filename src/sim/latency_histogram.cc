#include "sim/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::sim {

void LatencyHistogram::add_long_ramp(Ticks first, Ticks growth, std::int64_t steps,
                                     std::int64_t times) {
  count_ += steps * times;
  least_ = std::min(least_, first);
  most_ = std::max(most_, first + growth * (steps - 1));
  const double mean = static_cast<double>(first) +
                      0.5 * static_cast<double>(growth) * static_cast<double>(steps - 1);
  sum_ += mean * static_cast<double>(steps) * static_cast<double>(times);
  for (Ticks value = first; steps > 0;) {
    const std::size_t bucket = bucket_of(value);
    std::int64_t inside = steps;
    const Ticks room = lower_bound(bucket + 1) - value;
    if (growth > 0 && growth * (steps - 1) >= room) inside = (room + growth - 1) / growth;
    counts_[bucket] += inside * times;
    value += growth * inside;
    steps -= inside;
  }
}

void LatencyHistogram::merge_times(const LatencyHistogram& other, std::int64_t times) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i] * times;
  count_ += other.count_ * times;
  sum_ += other.sum_ * static_cast<double>(times);
  least_ = std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
}

double LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return 0.0;
  const auto rank = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(q * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen < rank) continue;
    return std::clamp(middle_of(i), static_cast<double>(least_), static_cast<double>(most_));
  }
  return 0.0;
}

std::int64_t LatencyHistogram::count_up_to(Ticks value) const {
  std::int64_t seen = 0;
  for (std::size_t i = 0; i + 1 < counts_.size() && lower_bound(i + 1) - 1 <= value; ++i)
    seen += counts_[i];
  return seen;
}

}  // namespace loadfactor::sim
