// What the library of Debian's emscripten lacks: numbers with a point from and to text, the bits of
// a number, a Bessel function. Read before every source of the module; elsewhere nothing needs it.
#pragma once

#define FMT_HEADER_ONLY 1
#define R123_USE_GNU_UINT128 1  // Products of 64 bits by 64.

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace std {

inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format format = chars_format::general) {
  // Unlike the other, std::from_chars takes neither a plus nor an endless number for one.
  double read = 0;
  auto style = fast_float::chars_format::general;
  if (format == chars_format::fixed) style = fast_float::chars_format::fixed;
  if (format == chars_format::scientific) style = fast_float::chars_format::scientific;
  const auto done = fast_float::from_chars(first, last, read, style);
  if (done.ec != errc()) return {done.ec == errc::invalid_argument ? first : done.ptr, done.ec};
  const bool is_word = std::strcspn(std::string(first, done.ptr).c_str(), "0123456789") ==
                       static_cast<size_t>(done.ptr - first);
  const bool too_large =
      !is_word && (read > 1.7976931348623157e308 || read < -1.7976931348623157e308);
  if (too_large) return {done.ptr, errc::result_out_of_range};
  value = read;
  return {done.ptr, errc()};
}

namespace lf_text {

inline to_chars_result put(char* first, char* last, const std::string& text) {
  if (static_cast<size_t>(last - first) < text.size()) return {last, errc::value_too_large};
  std::memcpy(first, text.data(), text.size());
  return {first + text.size(), errc()};
}

struct Shortest {
  std::string sign;
  std::string digits;
  int exponent = 0;  // Of the last digit.
};

inline Shortest shortest(double value) {
  Shortest out;
  if (std::signbit(value)) out.sign = "-";
  if (value == 0) return {out.sign, "0", 0};
  const auto decimal = fmt::detail::dragonbox::to_decimal(value < 0 ? -value : value);
  return {out.sign, std::to_string(decimal.significand), decimal.exponent};
}

inline std::string scientific(const Shortest& number) {
  const int exponent = number.exponent + static_cast<int>(number.digits.size()) - 1;
  std::string text = number.sign + number.digits.substr(0, 1);
  if (number.digits.size() > 1) text += "." + number.digits.substr(1);
  const int size = exponent < 0 ? -exponent : exponent;
  return text + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + std::to_string(size);
}

inline std::string fixed(const Shortest& number, double value) {
  const int count = static_cast<int>(number.digits.size());
  if (number.exponent >= 0) {  // Whole: every digit as it is, not as few as tell it apart.
    char buffer[400];
    return {buffer, static_cast<size_t>(std::snprintf(buffer, sizeof buffer, "%.0f", value))};
  }
  const int before = count + number.exponent;
  if (before > 0)
    return number.sign + number.digits.substr(0, static_cast<size_t>(before)) + "." +
           number.digits.substr(static_cast<size_t>(before));
  return number.sign + "0." + std::string(static_cast<size_t>(-before), '0') + number.digits;
}

}  // namespace lf_text

// The shortest that reads as the same: fixed unless scientific has fewer characters.
inline to_chars_result to_chars(char* first, char* last, double value) {
  const auto number = lf_text::shortest(value);
  const std::string plain = lf_text::fixed(number, value);
  const std::string powers = lf_text::scientific(number);
  return lf_text::put(first, last, powers.size() < plain.size() ? powers : plain);
}
inline to_chars_result to_chars(char* first, char* last, double value,
                                chars_format /*scientific*/) {
  return lf_text::put(first, last, lf_text::scientific(lf_text::shortest(value)));
}
inline to_chars_result to_chars(char* first, char* last, double value, chars_format /*scientific*/,
                                int precision) {
  char buffer[64];
  const int size = std::snprintf(buffer, sizeof buffer, "%.*e", precision, value);
  return lf_text::put(first, last, {buffer, static_cast<size_t>(size)});
}

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// The modified Bessel function of order zero, as its power series; other orders are not asked for.
inline double cyl_bessel_i(double /*order*/, double x) {
  const double quarter = x * x / 4;
  double term = 1;
  double sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= quarter / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

}  // namespace std
