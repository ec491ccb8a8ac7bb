// The least of a fixed set of keys while the keys change: O(log n) per change, the least for free.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace loadfactor::sim {

// A tournament in two arrays. Among equal keys the lowest index wins.
class WinnerTree {
 public:
  explicit WinnerTree(std::size_t count, std::int64_t key = kWorst)
      : leaves_(std::bit_ceil(count < 2 ? std::size_t{2} : count)),
        keys_(leaves_, kWorst),
        winner_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < count; ++i) keys_[i] = key;
    for (std::size_t node = leaves_ - 1; node > 0; --node) play(node);
  }

  std::size_t top() const { return static_cast<std::size_t>(winner_[1]); }
  std::int64_t top_key() const { return keys_[top()]; }
  std::int64_t key(std::size_t i) const { return keys_[i]; }

  void update(std::size_t i, std::int64_t key) {
    if (keys_[i] == key) return;
    keys_[i] = key;
    for (std::size_t node = (leaves_ + i) / 2; node > 0; node /= 2) play(node);
  }

  static constexpr std::int64_t kWorst = std::numeric_limits<std::int64_t>::max();

 private:
  void play(std::size_t node) {
    const std::int32_t a = winner_[2 * node];
    const std::int32_t b = winner_[2 * node + 1];
    winner_[node] = keys_[static_cast<std::size_t>(b)] < keys_[static_cast<std::size_t>(a)] ? b : a;
  }

  std::size_t leaves_;
  std::vector<std::int64_t> keys_;
  std::vector<std::int32_t> winner_;
};

}  // namespace loadfactor::sim
