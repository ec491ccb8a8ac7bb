#include "catalog/load/release_number.h"

#include <cctype>
#include <cstdlib>
#include <string>

namespace loadfactor::catalog {

std::optional<ReleaseNumber> parse_release(std::string_view text) {
  constexpr int kNoRelease = 9;  // Majors from here on are years of containers.
  std::size_t i = 0;
  while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) == 0) ++i;
  const std::string digits(text.substr(i));
  char* end = nullptr;
  ReleaseNumber number{static_cast<int>(std::strtol(digits.c_str(), &end, 10)), 0};
  if (end == digits.c_str() || *end != '.') return std::nullopt;
  const char* minor = end + 1;
  number.minor = static_cast<int>(std::strtol(minor, &end, 10));
  if (end == minor || number.major >= kNoRelease) return std::nullopt;
  return number;
}

}  // namespace loadfactor::catalog
