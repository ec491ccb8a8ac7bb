// A first-in, first-out queue in one growing ring: no allocation once it has been as long before.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace loadfactor::sim {

template <typename T>
class RingQueue {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const T& front() const { return ring_[head_]; }
  // The i-th from the front.
  const T& operator[](std::size_t i) const { return ring_[(head_ + i) & (ring_.size() - 1)]; }

  void push(T value) {
    if (count_ == ring_.size()) grow();
    ring_[(head_ + count_++) & (ring_.size() - 1)] = std::move(value);
  }
  void pop() {
    head_ = (head_ + 1) & (ring_.size() - 1);
    --count_;
  }
  void clear() { head_ = count_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(ring_.empty() ? 16 : 2 * ring_.size());
    for (std::size_t i = 0; i < count_; ++i)
      larger[i] = std::move(ring_[(head_ + i) & (ring_.size() - 1)]);
    ring_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> ring_;  // Its size is a power of two.
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace loadfactor::sim
