// Which sequences emit their last token at step F, and which F comes next?
//
// A timing wheel over step numbers with a bucket per step, two levels of bitmaps over the buckets
// and intrusive lists of slots: insert, erase and find-next are O(1) whatever the batch. A heap
// would be O(log n) and could not erase a sequence that is put back.
#pragma once

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

}  // namespace loadfactor::sim
