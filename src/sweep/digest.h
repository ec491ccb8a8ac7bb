// SHA-256 [FIPS 180-4], by which a sweep and its inputs are told from others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loadfactor::sweep {

class Digest {
 public:
  Digest& add(std::string_view bytes);
  // Adds the length of a text before it, so that two texts cannot be taken for two others.
  Digest& add_text(std::string_view text);
  // 64 hexadecimal digits of all that was added.
  std::string hex() const;

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  std::size_t rest_size_ = 0;
  std::uint64_t length_ = 0;
};

std::string digest_of(std::string_view bytes);

}  // namespace loadfactor::sweep
