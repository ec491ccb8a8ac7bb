#include "sim/finish_wheel.h"

#include <algorithm>
#include <bit>

namespace loadfactor::sim {
namespace {

constexpr std::int64_t kFirstReach = 1023;
constexpr std::size_t kBits = 64;

}  // namespace

FinishWheel::FinishWheel(std::size_t slots) : next_(slots), previous_(slots) {
  grow_for(kFirstReach);
}

void FinishWheel::grow_for(std::int64_t steps) {
  const std::size_t buckets =
      std::bit_ceil(std::max<std::size_t>(static_cast<std::size_t>(steps) + 1, mask_ + 1));
  mask_ = buckets - 1;
  head_.assign(buckets, -1);
  words_.assign(buckets / kBits, 0);
  summary_.assign((words_.size() + kBits - 1) / kBits, 0);
}

std::size_t FinishWheel::next_word(std::size_t word) const {
  if (word >= words_.size()) word = 0;
  std::size_t s = word >> 6;
  std::uint64_t bits = summary_[s] & (~std::uint64_t{0} << (word & 63));
  while (bits == 0) {
    s = s + 1 == summary_.size() ? 0 : s + 1;
    bits = summary_[s];
  }
  return (s << 6) + static_cast<std::size_t>(std::countr_zero(bits));
}

}  // namespace loadfactor::sim
