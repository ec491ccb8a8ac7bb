// Seconds of one pass as a function of its tokens, tabulated once and then only read.
//
// Nodes at 1, 1.5, 2, 3, 4, 6 … tokens; between them linear in the tokens, past the last
// proportional. Kernel estimates cost a microsecond, a look into the table ten nanoseconds.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace loadfactor::serving {

class PassTable {
 public:
  static constexpr std::size_t kNodes = 35;  // Up to 131,072 tokens.

  static constexpr double node(std::size_t index) {
    const auto power = static_cast<double>(std::uint64_t{1} << (index / 2));
    return index % 2 == 0 ? power : 1.5 * power;
  }

  PassTable() = default;
  explicit PassTable(const std::function<double(double)>& seconds_of_tokens) {
    for (std::size_t i = 0; i < kNodes; ++i) values_[i] = seconds_of_tokens(node(i));
  }

  // Below one token as at one.
  double at(double tokens) const {
    if (tokens <= 1.0) return values_[0];
    if (tokens >= node(kNodes - 1)) return values_[kNodes - 1] * tokens / node(kNodes - 1);
    const auto exponent = (std::bit_cast<std::uint64_t>(tokens) >> 52U) - 1023U;
    std::size_t low = 2 * static_cast<std::size_t>(exponent);
    if (tokens >= node(low + 1)) ++low;
    const double share = (tokens - node(low)) / (node(low + 1) - node(low));
    return values_[low] + share * (values_[low + 1] - values_[low]);
  }

 private:
  std::array<double, kNodes> values_{};
};

}  // namespace loadfactor::serving
