#include "config/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/quoted.h"
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

// An error about the whole of `text`.
Error error_about(std::string_view text, int code, std::string_view claim) {
  Error error{.code = code};
  error.message = in_quotes(text) + ' ' + std::string(claim);
  error.where.column = 1;
  error.where.length = std::max(1U, count_characters(text));
  return error;
}

// The number of characters of a number at the start of `text`.
std::size_t length_of_number(std::string_view text) {
  const std::string_view body = without_sign(text);
  if (body.empty() || (!is_digit(body[0]) && body[0] != '.')) return 0;
  double value = 0.0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (status == std::errc::invalid_argument) return 0;
  return static_cast<std::size_t>(end - text.data());
}

// `value` is what is meant, suffix of a thousand or million included.
Error refuse_unit(std::string_view text, std::size_t length, double value) {
  Error error{.code = lf::kWrongUnit, .message = "a whole number is wanted, without a unit"};
  error.hint = fmt::format("write {:.0f}", value);
  error.where.column = count_characters(text.substr(0, length)) + 1;
  error.where.length = count_characters(text.substr(length));
  return error;
}

// Those that stand next to a number between them; a part of one thing is seldom meant as none.
std::string nearest_whole_numbers(double value) {
  const auto below = static_cast<std::int64_t>(std::floor(value));
  if (below == 0) return "1";
  return std::to_string(below) + " or " + std::to_string(below + 1);
}

int days_in(int year, int month) {
  constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

}  // namespace

std::optional<Error> refuse_leading_zero(std::string_view text) {
  const std::string_view body = without_sign(text);
  if (body.size() < 2 || body[0] != '0') return std::nullopt;
  const bool octal = is_digit(body[1]);
  const bool radix = std::string_view("oObB").find(body[1]) != std::string_view::npos &&
                     body.size() > 2 && is_digit(body[2]);
  if (!octal && !radix) return std::nullopt;
  Error error = error_about(text, lf::kNotANumber, "is not a plain decimal number");
  error.hint = "write it in decimal, without a leading 0";
  return error;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  if (auto error = refuse_leading_zero(text)) return *std::move(error);
  const char* end = text.data() + text.size();
  std::int64_t value = 0;
  const auto plain = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
  if (plain.ec == std::errc() && plain.ptr == end) return value;
  TRY(const AnyQuantity parsed, parse_quantity(text, kNone, Expect::kCount));
  const std::size_t length = length_of_number(text);
  if (length < text.size()) return refuse_unit(text, length, parsed.value);
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it doubles skip integers.
  if (std::abs(parsed.value) > kExact)
    return error_about(text, lf::kAbsurdMagnitude, "is too large for a whole number");
  if (parsed.value != std::floor(parsed.value)) {
    Error error = error_about(text, lf::kWrongType, "is not a whole number");
    error.hint = "write " + nearest_whole_numbers(parsed.value);
    return error;
  }
  return static_cast<std::int64_t>(parsed.value);
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
