#include "sweep/digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace loadfactor::sweep {
namespace {

constexpr std::array<std::uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::array<std::uint32_t, 64> schedule_of(const unsigned char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) words[i] = words[i] << 8U | block[4 * i + byte];
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
  }
  return words;
}

}  // namespace

void Digest::take_block(const unsigned char* block) {
  const auto words = schedule_of(block);
  auto s = state_;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t mix = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t one = s[7] + mix + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRounds[i] + words[i];
    const std::uint32_t blend = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t two = blend + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < s.size(); ++i) state_[i] += s[i];
}

Digest& Digest::add(std::string_view bytes) {
  length_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), rest_.size() - rest_size_);
    std::memcpy(rest_.data() + rest_size_, bytes.data(), taken);
    rest_size_ += taken;
    bytes.remove_prefix(taken);
    if (rest_size_ < rest_.size()) break;
    take_block(rest_.data());
    rest_size_ = 0;
  }
  return *this;
}

Digest& Digest::add_text(std::string_view text) {
  return add(fmt::format("{}:", text.size())).add(text);
}

std::string Digest::hex() const {
  Digest end = *this;
  const std::uint64_t bits = length_ * 8;
  end.add(std::string_view("\x80", 1));
  while (end.rest_size_ != 56) end.add(std::string_view("\0", 1));
  std::string tail;
  for (int shift = 56; shift >= 0; shift -= 8)
    tail += static_cast<char>(static_cast<unsigned char>(bits >> static_cast<unsigned>(shift)));
  end.add(tail);
  std::string text;
  for (const std::uint32_t word : end.state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string digest_of(std::string_view bytes) {
  return Digest().add(bytes).hex();
}

}  // namespace loadfactor::sweep
