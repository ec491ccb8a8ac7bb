// Durations counted in buckets of constant relative width, cheap enough for every token.
//
// Values below 128 ticks are kept exactly; above, each power of two has 128 buckets, so that the
// middle of a bucket is within 0.4 % of everything in it. Bounded memory, order does not matter,
// two histograms add up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/ticks.h"

namespace loadfactor::sim {

class LatencyHistogram {
 public:
  static constexpr double kRelativeError = 1.0 / 256.0;

  LatencyHistogram() : counts_(kBuckets, 0) {}

  // `value` is not negative.
  void add(Ticks value, std::int64_t times = 1) {
    counts_[bucket_of(value)] += times;
    count_ += times;
    sum_ += static_cast<double>(value) * static_cast<double>(times);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }

  // Adds `first`, `first + growth`, … (`steps` values), each `times` times, in O(buckets crossed).
  void add_ramp(Ticks first, Ticks growth, std::int64_t steps, std::int64_t times) {
    const Ticks last = first + growth * (steps - 1);
    const std::int64_t values = steps * times;
    const std::size_t bucket = bucket_of(first);
    if (bucket != bucket_of(last)) return add_long_ramp(first, growth, steps, times);
    counts_[bucket] += values;
    count_ += values;
    least_ = std::min(least_, first);
    most_ = std::max(most_, last);
    sum_ += 0.5 * static_cast<double>(first + last) * static_cast<double>(values);
  }

  void merge(const LatencyHistogram& other) { merge_times(other, 1); }
  // Adds each of its values so many times.
  void merge_times(const LatencyHistogram& other, std::int64_t times);

  std::int64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_); }

  // The middle of the bucket that holds the nearest-rank quantile, never outside of what was added;
  // 0 when empty.
  double quantile(double q) const;

  // The greatest value of those whose quantile, were it theirs, would be kept; -1 where none is.
  // `is_kept` holds up to some duration and not beyond.
  template <typename IsKept>
  static Ticks last_kept(const IsKept& is_kept) {
    std::size_t kept = 0;
    for (std::size_t beyond = kBuckets - kPerOctave; kept < beyond;) {
      const std::size_t at = kept + (beyond - kept) / 2;
      if (is_kept(middle_of(at)))
        kept = at + 1;
      else
        beyond = at;
    }
    return lower_bound(kept) - 1;
  }

  // How many values are certainly at or below `value`, counting whole buckets.
  std::int64_t count_up_to(Ticks value) const;

  friend bool operator==(const LatencyHistogram& a, const LatencyHistogram& b) {
    return a.counts_ == b.counts_;
  }

 private:
  // What a quantile in this bucket is said to be.
  static double middle_of(std::size_t bucket) {
    return 0.5 * (static_cast<double>(lower_bound(bucket)) +
                  static_cast<double>(lower_bound(bucket + 1) - 1));
  }
  static constexpr int kBits = 7;
  static constexpr std::size_t kPerOctave = std::size_t{1} << kBits;
  static constexpr std::size_t kBuckets = kPerOctave * (64 - kBits);

  void add_long_ramp(Ticks first, Ticks growth, std::int64_t steps, std::int64_t times);

  static std::size_t bucket_of(Ticks value) {
    const auto v = static_cast<std::uint64_t>(value);
    if (v < kPerOctave) return static_cast<std::size_t>(v);
    const auto shift = static_cast<std::size_t>(std::bit_width(v)) - kBits - 1;
    return shift * kPerOctave + static_cast<std::size_t>(v >> shift);
  }
  // The least value of a bucket.
  static Ticks lower_bound(std::size_t bucket) {
    if (bucket < 2 * kPerOctave) return static_cast<Ticks>(bucket);
    const std::size_t shift = bucket / kPerOctave - 1;
    return static_cast<Ticks>(std::uint64_t{kPerOctave + bucket % kPerOctave} << shift);
  }

  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  double sum_ = 0;
  Ticks least_ = kNever;
  Ticks most_ = 0;
};

}  // namespace loadfactor::sim
