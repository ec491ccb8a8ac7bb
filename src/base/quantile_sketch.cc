#include "base/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace loadfactor {
namespace {

constexpr double kSmallest = 1e-300;

}  // namespace

QuantileSketch::QuantileSketch(double relative_error, int max_buckets)
    : relative_error_(relative_error),
      gamma_((1 + relative_error) / (1 - relative_error)),
      inverse_log_gamma_(1 / std::log(gamma_)),
      max_buckets_(max_buckets) {
  LF_CHECK(relative_error > 0 && relative_error < 1 && max_buckets > 0,
           "the error lies between 0 and 1");
}

int QuantileSketch::bucket_of(double value) const {
  return static_cast<int>(std::ceil(std::log(value) * inverse_log_gamma_));
}

void QuantileSketch::add(double value, std::int64_t times) {
  LF_CHECK(std::isfinite(value) && value >= 0 && times >= 0, "values are finite and not negative");
  if (times == 0) return;
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = count_ == 0 ? value : std::max(maximum_, value);
  count_ += times;
  if (value < kSmallest) {
    zeros_ += times;
  } else {
    add_to_bucket(bucket_of(value), times);
  }
}

void QuantileSketch::add_to_bucket(int bucket, std::int64_t times) {
  make_room_for(bucket);
  if (bucket < lowest_) {
    has_collapsed_ = true;
    bucket = lowest_;
  }
  counts_[static_cast<std::size_t>(bucket - lowest_)] += times;
}

// Extends the window to `bucket`, then cuts it from below to max_buckets_.
void QuantileSketch::make_room_for(int bucket) {
  if (counts_.empty()) lowest_ = bucket;
  const int highest = std::max(lowest_ + static_cast<int>(counts_.size()) - 1, bucket);
  const int floor = highest - max_buckets_ + 1;
  if (lowest_ < floor) {
    std::int64_t collapsed = 0;
    const auto cut = std::min(counts_.size(), static_cast<std::size_t>(floor - lowest_));
    for (std::size_t i = 0; i < cut; ++i) collapsed += counts_[i];
    counts_.erase(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(cut));
    lowest_ = floor;
    if (counts_.empty()) counts_.resize(1);
    counts_[0] += collapsed;
    has_collapsed_ = true;
  }
  const int wanted = std::max(std::min(lowest_, bucket), floor);
  if (wanted < lowest_) {
    counts_.insert(counts_.begin(), static_cast<std::size_t>(lowest_ - wanted), 0);
    lowest_ = wanted;
  }
  counts_.resize(static_cast<std::size_t>(highest - lowest_ + 1));
}

void QuantileSketch::merge(const QuantileSketch& other) {
  LF_CHECK(relative_error_ == other.relative_error_ && max_buckets_ == other.max_buckets_,
           "sketches of different error or bound do not merge");
  if (other.count_ == 0) return;
  minimum_ = count_ == 0 ? other.minimum_ : std::min(minimum_, other.minimum_);
  maximum_ = count_ == 0 ? other.maximum_ : std::max(maximum_, other.maximum_);
  count_ += other.count_;
  zeros_ += other.zeros_;
  has_collapsed_ = has_collapsed_ || other.has_collapsed_;
  for (std::size_t i = other.counts_.size(); i-- > 0;) {
    if (other.counts_[i] == 0) continue;
    add_to_bucket(other.lowest_ + static_cast<int>(i), other.counts_[i]);
  }
}

double QuantileSketch::quantile(double q) const {
  LF_CHECK(count_ > 0 && q >= 0 && q <= 1, "a quantile needs values and q in [0, 1]");
  const double rank = std::max(std::ceil(q * static_cast<double>(count_)), 1.0);
  auto left = static_cast<std::int64_t>(rank) - zeros_;
  if (left <= 0) return minimum_;
  std::size_t i = 0;
  while (i + 1 < counts_.size() && left > counts_[i]) left -= counts_[i++];
  const double upper = std::exp((lowest_ + static_cast<double>(i)) / inverse_log_gamma_);
  return std::clamp(2 * upper / (gamma_ + 1), minimum_, maximum_);
}

}  // namespace loadfactor
