#include "base/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace loadfactor {
namespace {

constexpr int kMaxExponent = 100000;  // Far outside double; keeps sums of exponents in an int.

// Removes zeros at both ends; those in front do not move the first digit's place, so the caller
// has placed the exponent already for `digits` as they stand.
void strip_zeros(Decimal& decimal) {
  std::string& digits = decimal.digits;
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) {
    digits = "0";
    decimal.exponent = 0;
    return;
  }
  decimal.exponent -= static_cast<int>(first);
  digits = digits.substr(first, digits.find_last_not_of('0') + 1 - first);
}

// Reads what to_chars wrote in scientific form: -1.2345e+06.
Decimal from_scientific(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (decimal.negative) text.remove_prefix(1);
  const std::size_t mark = text.find('e');
  decimal.digits.clear();
  for (const char c : text.substr(0, mark)) {
    if (is_digit(c)) decimal.digits += c;
  }
  std::string_view exponent = text.substr(mark + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  strip_zeros(decimal);
  return decimal;
}

// The exponent after a mantissa: `e6`, `E-3`. Returns the bytes it takes, 0 if there is none.
std::size_t scan_exponent(std::string_view text, int& exponent) {
  std::size_t size = 0;
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  ++size;
  const bool negative = size < text.size() && text[size] == '-';
  if (size < text.size() && (text[size] == '-' || text[size] == '+')) ++size;
  if (size == text.size() || !is_digit(text[size])) return 0;
  int value = 0;
  for (; size < text.size() && is_digit(text[size]); ++size) {
    value = std::min(value * 10 + (text[size] - '0'), kMaxExponent);
  }
  exponent = negative ? -value : value;
  return size;
}

}  // namespace

Decimal shortest_decimal(double value) {
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  return from_scientific({buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())});
}

Decimal rounded_decimal(double value, int digits) {
  std::array<char, 64> buffer{};
  const int precision = std::clamp(digits, 1, 17) - 1;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific, precision);
  return from_scientific({buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())});
}

std::optional<double> to_double(const Decimal& decimal, int shift) {
  if (decimal.digits == "0") return decimal.negative ? -0.0 : 0.0;
  // Digits as an integer; the exponent says where its last digit stands.
  const long long last = static_cast<long long>(decimal.exponent) + shift -
                         static_cast<long long>(decimal.digits.size()) + 1;
  const std::string text = decimal.digits + "e" + std::to_string(last);
  double value = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || !std::isfinite(value) || value == 0.0) return std::nullopt;
  return decimal.negative ? -value : value;
}

std::string to_text(const Decimal& decimal) {
  constexpr int kSmallestPlain = -5;
  constexpr int kLargestPlain = 15;
  const auto size = static_cast<int>(decimal.digits.size());
  std::string text = decimal.negative ? "-" : "";
  if (decimal.exponent < kSmallestPlain || decimal.exponent > kLargestPlain) {
    text += decimal.digits.substr(0, 1);
    if (size > 1) text += "." + decimal.digits.substr(1);
    return text + "e" + std::to_string(decimal.exponent);
  }
  if (decimal.exponent < 0) {
    return text + "0." + std::string(static_cast<std::size_t>(-decimal.exponent - 1), '0') +
           decimal.digits;
  }
  const int whole = decimal.exponent + 1;
  if (size <= whole) {
    return text + decimal.digits + std::string(static_cast<std::size_t>(whole - size), '0');
  }
  const auto point = static_cast<std::size_t>(whole);
  return text + decimal.digits.substr(0, point) + "." + decimal.digits.substr(point);
}

std::optional<ScannedNumber> scan_number(std::string_view text) {
  ScannedNumber number;
  number.decimal.digits.clear();
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
    number.decimal.negative = text[at] == '-';
    ++at;
  }
  int whole = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    number.decimal.digits += text[at];
    ++whole;
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    for (; at < text.size() && is_digit(text[at]); ++at) number.decimal.digits += text[at];
  }
  if (number.decimal.digits.empty()) return std::nullopt;
  int exponent = 0;
  at += scan_exponent(text.substr(at), exponent);
  number.decimal.exponent = whole - 1 + exponent;
  strip_zeros(number.decimal);
  number.size = at;
  return number;
}

}  // namespace loadfactor
