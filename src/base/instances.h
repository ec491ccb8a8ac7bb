// GPUs of rented machines, which a provider sells in some sizes and no others.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace loadfactor {

// The GPUs of each machine on offer. Nothing: any number is sold.
class InstanceSizes {
 public:
  InstanceSizes() = default;
  explicit InstanceSizes(std::vector<int> sizes) : sizes_(std::move(sizes)) {
    std::sort(sizes_.begin(), sizes_.end());
  }

  bool empty() const { return sizes_.empty(); }
  int smallest() const { return sizes_.empty() ? 1 : sizes_.front(); }

  // GPUs of what is rented for one replica, or for as many as the smallest machine that can hold
  // one has room for: links end at a machine, so that no replica lies across small ones.
  int unit(int replica) const {
    if (sizes_.empty()) return replica;
    for (const int size : sizes_)
      if (size >= replica) return size;
    return rounded_up(replica, sizes_.back());
  }
  // GPUs of such a unit that replicas use.
  int used(int replica) const { return unit(replica) / replica * replica; }
  // GPUs that are paid for where replicas of this size need so many.
  int paid(int needed, int replica) const {
    if (sizes_.empty()) return needed;
    return rounded_up(needed, used(replica)) / used(replica) * unit(replica);
  }

 private:
  static int rounded_up(int value, int step) { return (value + step - 1) / step * step; }

  std::vector<int> sizes_;
};

}  // namespace loadfactor
