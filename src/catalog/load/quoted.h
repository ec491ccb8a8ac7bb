// A user's word in a message: in quotes, and cut when it is too long to be read.
#pragma once

#include <string>
#include <string_view>

namespace loadfactor::catalog {

inline std::string in_quotes(std::string_view word) {
  constexpr std::size_t kMaxBytes = 60;
  if (word.size() <= kMaxBytes) return "'" + std::string(word) + "'";
  std::size_t end = kMaxBytes;
  // Never inside a character: the bytes after its first begin with the bits 10.
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U) --end;
  return "'" + std::string(word.substr(0, end)) + "…'";
}

}  // namespace loadfactor::catalog
