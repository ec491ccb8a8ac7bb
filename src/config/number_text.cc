#include "config/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/error_codes.h"
#include "config/source_text.h"

namespace loadfactor::config {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

Error error_in(std::string_view text, std::size_t begin, std::size_t end, int code,
               std::string message) {
  Error error{.code = code, .message = std::move(message)};
  error.where.column = count_characters(text.substr(0, begin)) + 1;
  error.where.length = std::max(1U, count_characters(text.substr(begin, end - begin)));
  return error;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  if (text.size() <= kShown) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, kShown)) + "…'";
}

bool is_not_finite(std::string_view text) {
  std::string word(without_sign(text).substr(0, 9));
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::array<std::string_view, 5> kWords{"nan", ".nan", "inf", ".inf", "infinity"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Digits, an optional fraction and an optional exponent; the number of characters taken.
std::size_t length_of_number(std::string_view text) {
  const std::string_view body = without_sign(text);
  double value = 0.0;
  if (body.empty() || (!is_digit(body[0]) && body[0] != '.')) return 0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (status == std::errc::invalid_argument) return 0;
  return static_cast<std::size_t>(end - body.data()) + (text.size() - body.size());
}

Result<std::int64_t> whole(std::string_view text) {
  double value = 0.0;
  const std::string_view body = without_sign(text);
  std::from_chars(body.data(), body.data() + body.size(), value);
  if (text[0] == '-') value = -value;
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it doubles skip integers.
  if (std::abs(value) > kExact)
    return error_in(text, 0, text.size(), lf::kAbsurdMagnitude,
                    quoted(text) + " is too large for a whole number");
  if (value != std::floor(value))
    return error_in(text, 0, text.size(), lf::kWrongType, quoted(text) + " is not a whole number");
  return static_cast<std::int64_t>(value);
}

int days_in(int year, int month) {
  constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

}  // namespace

std::optional<Error> refuse_number_spelling(std::string_view text) {
  if (is_not_finite(text)) {
    Error error = error_in(text, 0, text.size(), lf::kNotFinite, quoted(text) + " is not a number");
    error.hint = "leave the key out if the value is not known";
    return error;
  }
  const std::string_view body = without_sign(text);
  if (body.empty() || !is_digit(body[0])) return std::nullopt;
  const std::size_t end = std::min(body.find_first_not_of("0123456789_,"), body.size());
  const bool radix = body[0] == '0' && body.size() > 1 &&
                     (is_digit(body[1]) || std::string_view("xXoObB").find(body[1]) != body.npos);
  const bool is_data = radix && !is_digit(body[1]) && (body.size() == 2 || !is_digit(body[2]));
  const bool separated = body.substr(0, end).find_first_of("_,") != std::string_view::npos;
  if (is_data || (!radix && !separated)) return std::nullopt;
  Error error = error_in(text, 0, text.size() - body.size() + std::max(end, std::size_t{1}),
                         lf::kNotANumber, quoted(text) + " is not a plain decimal number");
  error.hint = separated ? "write it without separators: 1000000 or 1e6"
                         : "write it in decimal, without a leading 0";
  return error;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  if (auto error = refuse_number_spelling(text)) return *std::move(error);
  const std::size_t length = length_of_number(text);
  if (length == 0)
    return error_in(text, 0, text.size(), lf::kNotANumber, quoted(text) + " is not a number");
  if (length < text.size()) {
    Error error = error_in(text, length, text.size(), lf::kWrongUnit,
                           "a whole number is wanted, without a unit");
    error.hint = "write " + std::string(text.substr(0, length));
    return error;
  }
  const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(begin, text.data() + text.size(), value);
  if (status == std::errc() && end == text.data() + text.size()) return value;
  return whole(text);
}

bool is_bare_number(std::string_view text) {
  return !text.empty() && length_of_number(text) == text.size();
}

bool is_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : !is_digit(text[i])) return false;
  }
  const auto field = [text](std::size_t at, std::size_t digits, int otherwise) {
    int value = otherwise;
    if (at < text.size()) std::from_chars(text.data() + at, text.data() + at + digits, value);
    return value;
  };
  const int year = field(0, 4, 0);
  const int month = field(5, 2, 1);
  const int day = field(8, 2, 1);
  if (year < 1970 || year > 2199 || month < 1 || month > 12) return false;
  return day >= 1 && day <= days_in(year, month);
}

}  // namespace loadfactor::config
