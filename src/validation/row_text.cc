#include "validation/row_text.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

namespace loadfactor::validation {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

bool mentions(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

std::optional<double> number_in(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> number_after(std::string_view text, std::string_view words) {
  for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    std::size_t i = at + words.size();
    if (i >= text.size() || !is_digit(text[i])) continue;
    std::string digits;
    for (; i < text.size() && (is_digit(text[i]) || text[i] == ','); ++i) {
      if (text[i] != ',') digits += text[i];
    }
    return std::strtod(digits.c_str(), nullptr);
  }
  return std::nullopt;
}

std::optional<double> number_before(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t start = at;
  while (start > 0 && is_digit(text[start - 1])) --start;
  if (start == at) return std::nullopt;
  return std::strtod(std::string(text.substr(start, at - start)).c_str(), nullptr);
}

}  // namespace loadfactor::validation
