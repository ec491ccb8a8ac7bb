// The least of a few or many changing keys: a scan where that is faster, a tournament where not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/winner_tree.h"

namespace loadfactor::sim {

// Among equal keys the lowest index wins.
class LeastKey {
 public:
  static constexpr std::int64_t kWorst = WinnerTree::kWorst;

  explicit LeastKey(std::size_t count)
      : keys_(count, kWorst),
        tree_(count > kMaxScanned ? count : 1),
        scans_(count <= kMaxScanned) {}

  std::int64_t key(std::size_t i) const { return keys_[i]; }

  std::size_t top() const {
    if (!scans_) return tree_.top();
    return scan();
  }

  void update(std::size_t i, std::int64_t key) {
    keys_[i] = key;
    if (!scans_) tree_.update(i, key);
  }

 private:
  static constexpr std::size_t kMaxScanned = 24;

  // Which key is the least is as good as random: selected, not branched on.
  std::size_t scan() const {
    const std::int64_t* keys = keys_.data();
    const std::size_t count = keys_.size();
    std::size_t best = 0;
    std::int64_t least = keys[0];
    for (std::size_t i = 1; i < count; ++i) {
      const bool is_less = keys[i] < least;
      best = is_less ? i : best;
      least = is_less ? keys[i] : least;
    }
    return best;
  }

  std::vector<std::int64_t> keys_;
  WinnerTree tree_;
  bool scans_;
};

}  // namespace loadfactor::sim
