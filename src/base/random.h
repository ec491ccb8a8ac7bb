// Random streams that give the same numbers on every machine, in any order, on any thread.
//
// A stream is a key and a position: draw number n of a stream is a pure function of the two
// (Philox4x64-10 [Salmon 2011]), so that skipping costs nothing and two components never
// disturb each other. The key comes from the run's one seed and the owner's name.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace loadfactor {

// Cheap to copy; a copy continues from the same position. Never shared between threads:
// give each its own sub-stream.
class RandomStream {
 public:
  RandomStream(std::uint64_t run_seed, std::string_view owner);

  // An independent stream for part `index` of this owner (a replica, a request, a trial).
  // Depends on the index only, not on how far this stream has been drawn.
  RandomStream substream(std::uint64_t index) const;

  std::uint64_t next() {
    const std::uint64_t wanted = position_ / std::tuple_size_v<Block>;
    if (wanted != block_index_) set_block(wanted);
    return block_[position_++ % std::tuple_size_v<Block>];
  }

  // Uniform in [0, 1), on a grid of 2^-53. One draw.
  double uniform() { return uniform_of(next()); }

  // Uniform in (0, 1), on a grid of 2^-52 that leaves out both ends. One draw.
  double uniform_open() { return uniform_open_of(next()); }

  // The next draws, as so many calls of next() give them.
  void fill(std::span<std::uint64_t> draws);
  // What uniform() and uniform_open() make of a draw.
  static double uniform_of(std::uint64_t draw) {
    return static_cast<double>(draw >> 11U) * 0x1.0p-53;
  }
  static double uniform_open_of(std::uint64_t draw) {
    return (static_cast<double>(draw >> 12U) + 0.5) * 0x1.0p-52;
  }

  // Uniform in {0, …, bound - 1}; bound must be positive. One draw, biased by less than
  // bound / 2^64.
  std::uint64_t below(std::uint64_t bound);

  // Moves on as if `draws` numbers had been drawn. O(1).
  void skip(std::uint64_t draws) { position_ += draws; }

  // How many numbers have been drawn or skipped.
  std::uint64_t position() const { return position_; }

 private:
  using Block = std::array<std::uint64_t, 4>;
  static constexpr std::uint64_t kNoBlock = std::numeric_limits<std::uint64_t>::max();

  explicit RandomStream(std::array<std::uint64_t, 2> key) : key_(key) {}
  void set_block(std::uint64_t index);

  std::array<std::uint64_t, 2> key_;
  std::uint64_t position_ = 0;
  std::uint64_t block_index_ = kNoBlock;  // Which block `block_` holds.
  Block block_{};
};

// Both halves of the 128-bit product, which standard C++ does not offer.
struct WideProduct {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};
WideProduct multiply_wide(std::uint64_t a, std::uint64_t b);

}  // namespace loadfactor
