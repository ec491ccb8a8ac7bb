// Which sequences emit their last token at step F, and which F comes next?
//
// A timing wheel over step numbers with a bucket per step, two levels of bitmaps over the buckets
// and intrusive lists of slots: insert, erase and find-next are O(1) whatever the batch. A heap
// would be O(log n) and could not erase a sequence that is put back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadfactor::sim {

class FinishWheel {
 public:
  // Holds `slots` sequences, numbered from 0.
  explicit FinishWheel(std::size_t slots);

  // Whether a sequence that ends `steps` after now fits; if not, grow_for() comes first.
  bool reaches(std::int64_t steps) const { return static_cast<std::size_t>(steps) <= mask_; }

  // Empties the wheel and makes it reach that far. Whoever was in it is inserted again.
  void grow_for(std::int64_t steps);

  void insert(std::int32_t slot, std::int64_t step);
  void erase(std::int32_t slot, std::int64_t step);

  // Any sequence that ends at `step`, or -1.
  std::int32_t first(std::int64_t step) const { return head_[bucket(step)]; }

  // Steps from `now` to the next end, at least 1. The wheel must not be empty.
  std::int64_t distance(std::int64_t now) const;

 private:
  std::size_t bucket(std::int64_t step) const { return static_cast<std::size_t>(step) & mask_; }
  std::size_t next_word(std::size_t word) const;

  std::size_t mask_ = 0;
  std::vector<std::int32_t> head_;  // First slot of a bucket's list, or -1.
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;  // Which words are not zero.
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> previous_;
};

inline void FinishWheel::insert(std::int32_t slot, std::int64_t step) {
  const std::size_t b = bucket(step);
  const auto s = static_cast<std::size_t>(slot);
  next_[s] = head_[b];
  previous_[s] = -1;
  if (head_[b] >= 0) previous_[static_cast<std::size_t>(head_[b])] = slot;
  head_[b] = slot;
  words_[b >> 6] |= std::uint64_t{1} << (b & 63);
  summary_[b >> 12] |= std::uint64_t{1} << ((b >> 6) & 63);
}

inline void FinishWheel::erase(std::int32_t slot, std::int64_t step) {
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

inline std::int64_t FinishWheel::distance(std::int64_t now) const {
  const std::size_t from = bucket(now + 1);
  const std::size_t word = from >> 6;
  if (const std::uint64_t bits = words_[word] >> (from & 63); bits != 0)
    return 1 + std::countr_zero(bits);
  const std::size_t next = next_word(word + 1);
  const std::size_t b = (next << 6) + static_cast<std::size_t>(std::countr_zero(words_[next]));
  return static_cast<std::int64_t>(((b - from) & mask_) + 1);
}

}  // namespace loadfactor::sim
