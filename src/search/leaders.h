// Keeps the best plans seen so far, and the score that a newcomer must not exceed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "search/layout_search.h"

namespace loadfactor::search {

class Leaders {
 public:
  explicit Leaders(std::size_t keep, double bound = std::numeric_limits<double>::infinity())
      : keep_(keep), bound_(bound) {}

  double bound() const { return bound_; }
  // Ties with the bound stay in: the order among equals decides.
  bool admits(double score) const { return score <= bound_; }

  void offer(const FoundPlan& plan) {
    if (!admits(plan.score)) return;
    best_.insert(std::upper_bound(best_.begin(), best_.end(), plan, is_before), plan);
    if (best_.size() > keep_) best_.pop_back();
    if (best_.size() == keep_) bound_ = std::min(bound_, best_.back().score);
  }
  const std::vector<FoundPlan>& best() const { return best_; }

 private:
  std::size_t keep_;
  double bound_;
  std::vector<FoundPlan> best_;
};

}  // namespace loadfactor::search
