// How many GPUs demand would keep busy, hour by hour, sorted once so that questions are cheap.
#pragma once

#include <span>
#include <vector>

namespace loadfactor::economics {

// A load-duration curve. Building sorts, O(n log n); every question is O(log n).
class LoadCurve {
 public:
  LoadCurve() = default;
  // Demands are not negative; each stands for an equal share of the time.
  explicit LoadCurve(std::span<const double> hours);

  bool empty() const { return sorted_.empty(); }
  std::size_t size() const { return sorted_.size(); }
  double mean() const;
  double peak() const { return sorted_.empty() ? 0.0 : sorted_.back(); }
  // Mean of max(0, demand - level) and of max(0, level - demand).
  double mean_above(double level) const;
  double mean_below(double level) const;
  // The largest demand that at least this share of the time reaches; 0 if none does.
  double level_reached(double share) const;

  std::span<const double> sorted() const { return sorted_; }

 private:
  std::vector<double> sorted_;
  std::vector<double> sum_from_;  // sum_from_[i] is the sum of sorted_[i…].
};

}  // namespace loadfactor::economics
