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

void FinishWheel::insert(std::int32_t slot, std::int64_t step) {
  const std::size_t b = bucket(step);
  const auto s = static_cast<std::size_t>(slot);
  next_[s] = head_[b];
  previous_[s] = -1;
  if (head_[b] >= 0) previous_[static_cast<std::size_t>(head_[b])] = slot;
  head_[b] = slot;
  words_[b >> 6] |= std::uint64_t{1} << (b & 63);
  summary_[b >> 12] |= std::uint64_t{1} << ((b >> 6) & 63);
}

void FinishWheel::erase(std::int32_t slot, std::int64_t step) {
  const auto s = static_cast<std::size_t>(slot);
  const std::int32_t next = next_[s];
  const std::int32_t previous = previous_[s];
  if (next >= 0) previous_[static_cast<std::size_t>(next)] = previous;
  if (previous >= 0) {
    next_[static_cast<std::size_t>(previous)] = next;
    return;
  }
  const std::size_t b = bucket(step);
  head_[b] = next;
  if (next >= 0) return;
  words_[b >> 6] &= ~(std::uint64_t{1} << (b & 63));
  if (words_[b >> 6] == 0) summary_[b >> 12] &= ~(std::uint64_t{1} << ((b >> 6) & 63));
}

std::int64_t FinishWheel::distance(std::int64_t now) const {
  const std::size_t from = bucket(now + 1);
  const std::size_t word = from >> 6;
  if (const std::uint64_t bits = words_[word] >> (from & 63); bits != 0)
    return 1 + std::countr_zero(bits);
  const std::size_t next = next_word(word + 1);
  const std::size_t b = (next << 6) + static_cast<std::size_t>(std::countr_zero(words_[next]));
  return static_cast<std::int64_t>(((b - from) & mask_) + 1);
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
