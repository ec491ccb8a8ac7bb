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

  // Which key is the least is as good as random: selected, not branched on. Keys of odd and of even
  // index are gone through side by side, since one selection waits for the one before it.
  std::size_t scan() const {
    const std::int64_t* keys = keys_.data();
    const std::size_t count = keys_.size();
    const std::size_t second = count > 1 ? 1 : 0;
    std::size_t even = 0;
    std::size_t odd = second;
    std::int64_t least_even = keys[0];
    std::int64_t least_odd = keys[second];
    std::size_t i = 2;
    for (; i + 1 < count; i += 2) {
      const bool is_even = keys[i] < least_even;
      const bool is_odd = keys[i + 1] < least_odd;
      even = is_even ? i : even;
      odd = is_odd ? i + 1 : odd;
      least_even = is_even ? keys[i] : least_even;
      least_odd = is_odd ? keys[i + 1] : least_odd;
    }
    if (i < count) {
      const bool is_even = keys[i] < least_even;
      even = is_even ? i : even;
      least_even = is_even ? keys[i] : least_even;
    }
    const bool is_odd = least_odd < least_even || (least_odd == least_even && odd < even);
    return is_odd ? odd : even;
  }

  std::vector<std::int64_t> keys_;
  WinnerTree tree_;
  bool scans_;
};

}  // namespace loadfactor::sim
