#include "validation/inference/shared_board.h"

#include <charconv>

namespace loadfactor::validation {

int chips_per_board(std::string_view accelerator) {
  constexpr std::string_view kBefore = "GBx";
  constexpr int kMost = 8;
  const auto at = accelerator.rfind(kBefore);
  if (at == std::string_view::npos) return 1;
  const std::string_view digits = accelerator.substr(at + kBefore.size());
  int count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool is_count = error == std::errc() && end == digits.data() + digits.size();
  return is_count && count >= 1 && count <= kMost ? count : 1;
}

}  // namespace loadfactor::validation
