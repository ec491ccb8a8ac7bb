// Keeps the best plans seen so far, and the score that a newcomer must not exceed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "search/layout_search.h"

namespace loadfactor::search {

// Several lists at once where plans of less memory are sought too: each admits the plans that need
// no more than its room.
class Leaders {
 public:
  explicit Leaders(std::size_t keep) : Leaders(keep, {kNoLimit}) {}
  Leaders(std::size_t keep, const std::vector<Bytes>& rooms) : keep_(keep) {
    for (const Bytes room : rooms) lists_.push_back({room, kOpen, {}});
  }

  // Whether a newcomer has a score to beat, whatever its memory.
  bool is_full() const { return most_ < kOpen; }
  // With the same bounds, and nobody in it.
  Leaders emptied() const {
    Leaders out = *this;
    for (List& list : out.lists_) list.best.clear();
    return out;
  }
  // Ties with the bound stay in: the order among equals decides.
  bool admits(double score) const { return score <= most_; }
  bool admits(double score, Bytes needed) const {
    return std::any_of(lists_.begin(), lists_.end(), [score, needed](const List& list) {
      return score <= list.bound && needed <= list.room;
    });
  }

  void offer(const FoundPlan& plan) {
    for (List& list : lists_) {
      if (plan.score > list.bound || plan.needed > list.room) continue;
      auto& best = list.best;
      best.insert(std::upper_bound(best.begin(), best.end(), plan, is_before), plan);
      if (best.size() > keep_) best.pop_back();
      if (best.size() == keep_) list.bound = std::min(list.bound, best.back().score);
    }
    most_ = 0;
    for (const List& list : lists_) most_ = std::max(most_, list.bound);
  }
  const std::vector<FoundPlan>& best(std::size_t list = 0) const { return lists_[list].best; }
  std::size_t count() const { return lists_.size(); }

 private:
  static constexpr double kOpen = std::numeric_limits<double>::infinity();
  static constexpr Bytes kNoLimit = Bytes::from_base(std::numeric_limits<double>::infinity());
  struct List {
    Bytes room;
    double bound = kOpen;
    std::vector<FoundPlan> best;
  };
  std::size_t keep_;
  double most_ = kOpen;  // Bound of all lists.
  std::vector<List> lists_;
};

}  // namespace loadfactor::search
