#include "catalog/iso_date.h"

#include <algorithm>
#include <array>
#include <optional>

namespace loadfactor::catalog {
namespace {

std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

int days_of(int year, int month) {
  constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

}  // namespace

bool is_iso_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  const auto year = digits(text.substr(0, 4));
  if (!year || *year < 1950 || *year > 2200) return false;
  if (text.size() == 4) return true;
  const auto month = digits(text.substr(5, 2));
  if (text[4] != '-' || !month || *month < 1 || *month > 12) return false;
  if (text.size() == 7) return true;
  const auto day = digits(text.substr(8, 2));
  return text[7] == '-' && day && *day >= 1 && *day <= days_of(*year, *month);
}

bool is_later(std::string_view date, std::string_view than) {
  const auto length = std::min(date.size(), than.size());
  return date.substr(0, length) > than.substr(0, length);
}

}  // namespace loadfactor::catalog
