#include "resolve/terms/cost_dates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace loadfactor::engine {
namespace {

std::optional<int> part(std::string_view text, std::size_t begin, std::size_t length) {
  if (text.size() < begin + length) return std::nullopt;
  int value = 0;
  const char* first = text.data() + begin;
  const auto [end, status] = std::from_chars(first, first + length, value);
  if (status != std::errc() || end != first + length) return std::nullopt;
  return value;
}

// [Hinnant, chrono-compatible date algorithms]
int days_from_civil(int year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int era = (year >= 0 ? year : year - 399) / 400;
  const int year_of_era = year - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

}  // namespace

std::optional<int> day_number(std::string_view date) {
  const auto year = part(date, 0, 4);
  if (!year) return std::nullopt;
  if (date.size() == 4) return days_from_civil(*year, 12, 31);
  const auto month = part(date, 5, 2);
  if (!month || *month < 1 || *month > 12) return std::nullopt;
  if (date.size() == 7)
    return *month == 12 ? days_from_civil(*year, 12, 31)
                        : days_from_civil(*year, *month + 1, 1) - 1;
  const auto day = part(date, 8, 2);
  if (!day) return std::nullopt;
  return days_from_civil(*year, *month, *day);
}

std::optional<int> days_between(std::string_view from, std::string_view to) {
  const auto first = day_number(from);
  const auto last = day_number(to);
  return first && last ? std::optional(*last - *first) : std::nullopt;
}

std::optional<int> age_in_days(std::string_view date, std::string_view today) {
  const auto days = days_between(date, today);
  return days ? std::optional(std::max(0, *days)) : std::nullopt;
}

bool is_future(std::string_view date, std::string_view today) {
  return !today.empty() && date > today.substr(0, std::min(date.size(), today.size()));
}

}  // namespace loadfactor::engine
