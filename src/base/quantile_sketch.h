// Quantiles of a stream in bounded memory, within a stated relative error.
//
// A DDSketch [Masson, Rim & Lee 2019]: value x falls into bucket ⌈log_γ x⌉ with
// γ = (1 + ε)/(1 - ε), so that the middle of a bucket is within ε of everything in it. At most
// `max_buckets` below the highest used one are kept; what is lower joins the lowest of these,
// where the guarantee ends. The state depends on the multiset of values only: neither the
// order of adding nor the tree of merging matters.
#pragma once

#include <cstdint>
#include <vector>

namespace loadfactor {

class QuantileSketch {
 public:
  static constexpr double kDefaultRelativeError = 0.01;
  // With 1 % error, 2048 buckets span a ratio of 6·10^17 from the lowest to the highest value.
  static constexpr int kDefaultMaxBuckets = 2048;

  explicit QuantileSketch(double relative_error = kDefaultRelativeError,
                          int max_buckets = kDefaultMaxBuckets);

  // `value` is finite and not negative; zero (and anything below 1e-300) is kept exactly.
  void add(double value, std::int64_t times = 1);

  // Both must have been made with the same error and bound.
  void merge(const QuantileSketch& other);

  // Within relative_error() of quantile_nearest_rank; the sketch must not be empty.
  double quantile(double q) const;

  std::int64_t count() const { return count_; }
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }
  double relative_error() const { return relative_error_; }
  // Values that share the lowest bucket because of the bound, where the error is not bounded.
  bool has_collapsed() const { return has_collapsed_; }

  friend bool operator==(const QuantileSketch&, const QuantileSketch&) = default;

 private:
  int bucket_of(double value) const;
  void add_to_bucket(int bucket, std::int64_t times);
  void make_room_for(int bucket);

  double relative_error_;
  double gamma_;
  double inverse_log_gamma_;
  int max_buckets_;
  std::int64_t count_ = 0;
  std::int64_t zeros_ = 0;
  double minimum_ = 0;
  double maximum_ = 0;
  bool has_collapsed_ = false;
  int lowest_ = 0;                    // Bucket number of counts_[0].
  std::vector<std::int64_t> counts_;  // Neither end is zero unless collapsed into.
};

}  // namespace loadfactor
