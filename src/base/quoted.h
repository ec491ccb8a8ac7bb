// Words of a user in what we say: in quotes, and cut when they are too long to be read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace loadfactor {

// At most so many bytes of a text from its beginning; no character of UTF-8 is cut in two.
inline std::string_view beginning_of(std::string_view text, std::size_t bytes) {
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t end = std::min(bytes, text.size());
  while (end > 0 && end < text.size() && is_inside(end)) --end;
  return text.substr(0, end);
}

// The same with a sign where something is left out.
inline std::string shortened(std::string_view text, std::size_t bytes) {
  const std::string_view shown = beginning_of(text, bytes);
  return std::string(shown) + (shown.size() < text.size() ? "…" : "");
}

inline std::string in_quotes(std::string_view word) {
  constexpr std::size_t kMaxBytes = 60;
  return "'" + shortened(word, kMaxBytes) + "'";
}

}  // namespace loadfactor
