#include "base/random.h"

#include <algorithm>

#include <Random123/philox.h>

#include "base/check.h"

namespace loadfactor {
namespace {

using Key = std::array<std::uint64_t, 2>;
using Block = std::array<std::uint64_t, 4>;

// Distinguishes key derivation from drawing in the last word of the counter.
constexpr std::uint64_t kDraws = 0;
constexpr std::uint64_t kSubstreams = 1;

Block philox(const Key& key, std::uint64_t counter, std::uint64_t purpose) {
  const r123::Philox4x64::ctr_type input = {{counter, 0, 0, purpose}};
  const r123::Philox4x64::key_type words = {{key[0], key[1]}};
  const auto output = r123::Philox4x64{}(input, words);
  return {output[0], output[1], output[2], output[3]};
}

// FNV-1a: any good 64-bit hash would do, this one is the same everywhere.
std::uint64_t hash(std::string_view text) {
  std::uint64_t state = 0xCBF29CE484222325U;
  for (const char c : text) {
    state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  return state;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t run_seed, std::string_view owner)
    : key_{run_seed, hash(owner)} {}

RandomStream RandomStream::substream(std::uint64_t index) const {
  const Block derived = philox(key_, index, kSubstreams);
  return RandomStream(Key{derived[0], derived[1]});
}

void RandomStream::set_block(std::uint64_t index) {
  block_ = philox(key_, index, kDraws);
  block_index_ = index;
}

void RandomStream::fill(std::span<std::uint64_t> draws) {
  std::size_t i = 0;
  while (i < draws.size() && position_ % block_.size() != 0) draws[i++] = next();
  for (; i + block_.size() <= draws.size(); i += block_.size()) {
    const Block block = philox(key_, position_ / block_.size(), kDraws);
    std::copy(block.begin(), block.end(), draws.begin() + static_cast<std::ptrdiff_t>(i));
    position_ += block_.size();
  }
  while (i < draws.size()) draws[i++] = next();
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  LF_CHECK(bound > 0, "nothing lies below 0");
  return multiply_wide(next(), bound).high;
}

WideProduct multiply_wide(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLowHalf = 0xFFFFFFFFU;
  const std::uint64_t a_low = a & kLowHalf;
  const std::uint64_t a_high = a >> 32U;
  const std::uint64_t b_low = b & kLowHalf;
  const std::uint64_t b_high = b >> 32U;
  const std::uint64_t low = a_low * b_low;
  const std::uint64_t middle = a_high * b_low + (low >> 32U);
  const std::uint64_t carry = a_low * b_high + (middle & kLowHalf);
  return {a_high * b_high + (middle >> 32U) + (carry >> 32U), a * b};
}

}  // namespace loadfactor
