// Small readings of a cell: trimmed text, whole counts, reals.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace loadfactor::demand {

inline std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

inline std::optional<double> real_of(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// A count of tokens or GPUs: `472`, and `472.0` as data frames write it.
inline std::optional<std::int32_t> count_of(std::string_view text) {
  std::int32_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), last, value);
  if (failed == std::errc() && end == last) return value >= 0 ? std::optional(value) : std::nullopt;
  const auto real = real_of(text);
  if (!real || *real < 0 || *real > std::numeric_limits<std::int32_t>::max() ||
      *real != std::floor(*real))
    return std::nullopt;
  return static_cast<std::int32_t>(*real);
}

}  // namespace loadfactor::demand
