#include "demand/stamp.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace loadfactor::demand {
namespace {

struct UnitRow {
  TimeUnit unit;
  std::string_view name;
  std::string_view word;
  Nanoseconds nanoseconds;
};
constexpr std::array kUnits{
    UnitRow{TimeUnit::kCalendar, "dates", "", 0},
    UnitRow{TimeUnit::kSeconds, "seconds", "s", kNanosecondsPerSecond},
    UnitRow{TimeUnit::kMilliseconds, "milliseconds", "ms", 1'000'000},
    UnitRow{TimeUnit::kMicroseconds, "microseconds", "us", 1'000},
    UnitRow{TimeUnit::kNanoseconds, "nanoseconds", "ns", 1},
};

const UnitRow& row_of(TimeUnit unit) {
  return kUnits[static_cast<std::size_t>(unit)];
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The digits at `at`, exactly `count` of them; -1 if they are not all digits.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

std::optional<std::int64_t> read_day(std::string_view text) {
  const int year = digits(text, 0, 4);
  const int month = digits(text, 5, 2);
  const int day = digits(text, 8, 2);
  constexpr std::array<int, 12> kDays{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 ||
      day > kDays[static_cast<std::size_t>(month - 1)])
    return std::nullopt;
  if (text[4] != text[7] || (text[4] != '-' && text[4] != '/')) return std::nullopt;
  return days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
}

// `.6805900` at `at`; moves `at` behind it. More than nine decimals are cut.
Nanoseconds read_fraction(std::string_view text, std::size_t& at) {
  if (at >= text.size() || (text[at] != '.' && text[at] != ',')) return 0;
  ++at;
  Nanoseconds value = 0;
  int places = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (places == 9) continue;
    value = value * 10 + (text[at] - '0');
    ++places;
  }
  for (; places < 9; ++places) value *= 10;
  return value;
}

// `Z`, `+00:00`, `+0530`, ` UTC` or nothing: seconds east of UTC; nothing for other text.
std::optional<std::int64_t> read_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z" || text == " UTC") return 0;
  if (text[0] != '+' && text[0] != '-') return std::nullopt;
  const int hours = digits(text, 1, 2);
  const std::size_t minutes_at = text.size() > 3 && text[3] == ':' ? 4 : 3;
  const int minutes = text.size() == 3 ? 0 : digits(text, minutes_at, 2);
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return std::nullopt;
  if (text.size() != 3 && text.size() != minutes_at + 2) return std::nullopt;
  const std::int64_t seconds = std::int64_t{hours} * kSecondsPerHour + std::int64_t{minutes} * 60;
  return text[0] == '-' ? -seconds : seconds;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<TimeUnit> unit_of_suffix(const std::string& column) {
  struct Suffix {
    std::string_view text;
    TimeUnit unit;
  };
  static constexpr std::array kSuffixes{
      Suffix{"_ns", TimeUnit::kNanoseconds},      Suffix{"_us", TimeUnit::kMicroseconds},
      Suffix{"_ms", TimeUnit::kMilliseconds},     Suffix{"_s", TimeUnit::kSeconds},
      Suffix{"_sec", TimeUnit::kSeconds},         Suffix{"_seconds", TimeUnit::kSeconds},
      Suffix{"(ms)", TimeUnit::kMilliseconds},    Suffix{"(s)", TimeUnit::kSeconds},
      Suffix{"_millis", TimeUnit::kMilliseconds},
  };
  for (const auto& suffix : kSuffixes)
    if (column.ends_with(suffix.text)) return suffix.unit;
  return std::nullopt;
}

// Numbers that count from 1970 give their unit away: between 1980 and 2100.
std::optional<TimeUnit> unit_of_epoch(double value) {
  constexpr double kFrom1980 = 3.2e8;
  constexpr double kUntil2100 = 4.1e9;
  for (const auto& row : kUnits) {
    if (row.unit == TimeUnit::kCalendar) continue;
    const double seconds = value * static_cast<double>(row.nanoseconds) * 1e-9;
    if (seconds > kFrom1980 && seconds < kUntil2100) return row.unit;
  }
  return std::nullopt;
}

constexpr int kMonths = 12;

// The number of one or two digits at `at`, moving `at` behind it; -1 if there is none.
int short_number(std::string_view text, std::size_t& at) {
  const std::size_t count = at + 1 < text.size() && is_digit(text[at + 1]) ? 2 : 1;
  const int value = digits(text, at, count);
  at += count;
  return value;
}

// 1 to 12 for `Jan` to `Dec`, moving `at` behind it; -1 for another word.
int month_by_name(std::string_view text, std::size_t& at) {
  constexpr std::string_view kNames = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::size_t kNameSize = 3;
  const std::string_view name = text.substr(std::min(at, text.size()), kNameSize);
  const std::size_t found = name.size() == kNameSize ? kNames.find(name) : std::string_view::npos;
  if (found == std::string_view::npos || found % kNameSize != 0) return -1;
  at += kNameSize;
  return static_cast<int>(found / kNameSize) + 1;
}

// A date with the year last, and how many characters it takes.
struct ShortDate {
  int first = 0;  // The month where it has a name.
  int second = 0;
  int year = 0;
  char separator = '/';
  bool has_month_name = false;
  std::size_t size = 0;
};

std::optional<ShortDate> short_date(std::string_view text) {
  ShortDate date;
  std::size_t at = 0;
  date.first = short_number(text, at);
  if (date.first < 0 || at >= text.size()) return std::nullopt;
  date.separator = text[at++];
  if (date.separator != '/' && date.separator != '-' && date.separator != '.') return std::nullopt;
  if (at < text.size() && !is_digit(text[at])) {
    date.has_month_name = true;
    date.second = std::exchange(date.first, month_by_name(text, at));
  } else {
    date.second = short_number(text, at);
  }
  if (date.first < 0 || date.second < 0 || at >= text.size() || text[at] != date.separator)
    return std::nullopt;
  date.year = digits(text, at + 1, 4);
  date.size = at + 5;
  return date.year < 0 ? std::nullopt : std::optional(date);
}

// A time of day behind a date: its hour, and the minutes and all that follows as ISO writes them.
struct ClockTime {
  int hour = 0;
  std::string rest = ":00";
};

std::optional<ClockTime> clock_time(std::string_view text) {
  ClockTime time;
  if (text.empty()) return time;
  std::size_t at = text.starts_with(", ") ? 2 : 1;
  if (text[0] != ' ' && text[0] != ',' && text[0] != 'T' && text[0] != ':') return std::nullopt;
  time.hour = short_number(text, at);
  if (time.hour < 0 || at >= text.size() || text[at] != ':') return std::nullopt;
  const std::size_t end = std::min(text.find(' ', at), text.size());
  time.rest = text.substr(at, end - at);
  std::string_view behind = text.substr(end);
  while (behind.starts_with(' ')) behind.remove_prefix(1);
  const std::string half = lower(behind.substr(0, 2));
  if (half == "am" || half == "pm") {
    if (time.hour < 1 || time.hour > kMonths) return std::nullopt;
    time.hour = time.hour % 12 + (half == "pm" ? 12 : 0);
    behind.remove_prefix(2);
    while (behind.starts_with(' ')) behind.remove_prefix(1);
  }
  if (behind != "UTC") time.rest += behind;
  return time;
}

}  // namespace

std::string_view time_unit_name(TimeUnit unit) {
  return row_of(unit).name;
}

std::optional<TimeUnit> time_unit_of(std::string_view word) {
  for (const auto& row : kUnits)
    if (!word.empty() && row.word == word) return row.unit;
  return std::nullopt;
}

std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  // Years begin in March, so that the leap day is the last [Hinnant, chrono-compatible dates].
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto of_era = static_cast<unsigned>(year - era * 400);
  const unsigned of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

std::optional<Nanoseconds> DateReader::read(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  if (digits(text, 0, kYearDigits) >= 0) return read_year_first(text);
  if (!put_year_first(text)) return std::nullopt;
  return read_year_first(year_first_);
}

// Rewrites `3/14/2026 1:05:02.5 PM +0100` as `2026-03-14 13:05:02.5+0100`.
bool DateReader::put_year_first(std::string_view text) {
  const auto date = short_date(text);
  if (!date) return false;
  int month = date->first;
  int day = date->second;
  if (!date->has_month_name) {
    const bool dots = date->separator == '.';  // Dots stand in dates with the day first.
    evidence_.has_short_dates = evidence_.has_short_dates || !dots;
    evidence_.month_first = evidence_.month_first || (!dots && date->second > kMonths);
    evidence_.day_first = evidence_.day_first || (!dots && date->first > kMonths);
    const bool told = dots || date->first > kMonths;
    if (told || order_ == DateOrder::kDayFirst) std::swap(month, day);
  }
  const auto time = clock_time(text.substr(date->size));
  if (!time) return false;
  year_first_ =
      fmt::format("{:04}-{:02}-{:02} {:02}{}", date->year, month, day, time->hour, time->rest);
  return true;
}

std::optional<Nanoseconds> DateReader::read_year_first(std::string_view text) {
  constexpr std::size_t kDateSize = 10;
  constexpr std::size_t kMinuteEnd = 16;
  if (text.size() < kDateSize) return std::nullopt;
  const std::string_view date = text.substr(0, kDateSize);
  if (date != last_date_) {
    const auto day = read_day(date);
    if (!day) return std::nullopt;
    last_date_ = date;
    last_day_ = *day;
  }
  const Nanoseconds midnight = last_day_ * kSecondsPerDay * kNanosecondsPerSecond;
  if (text.size() == kDateSize) return midnight;
  if (text[kDateSize] != ' ' && text[kDateSize] != 'T' && text[kDateSize] != 't')
    return std::nullopt;
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || text[13] != ':') return std::nullopt;
  std::size_t at = kMinuteEnd;
  int second = 0;
  Nanoseconds fraction = 0;
  if (at < text.size() && text[at] == ':') {
    second = digits(text, at + 1, 2);
    if (second < 0 || second > 60) return std::nullopt;
    at += 3;
    fraction = read_fraction(text, at);
  }
  const auto zone = read_zone(text.substr(at));
  if (!zone) return std::nullopt;
  const std::int64_t of_day =
      std::int64_t{hour} * kSecondsPerHour + std::int64_t{minute} * 60 + second;
  return midnight + (of_day - *zone) * kNanosecondsPerSecond + fraction;
}

std::optional<Nanoseconds> read_number_stamp(std::string_view text, TimeUnit unit) {
  const Nanoseconds scale = row_of(unit).nanoseconds;
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++at;
  const std::size_t first = at;
  std::int64_t whole = 0;
  const std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / 2 / std::max<Nanoseconds>(scale, 1);
  for (; at < text.size() && is_digit(text[at]); ++at) {
    whole = whole * 10 + (text[at] - '0');
    if (whole > most) return std::nullopt;
  }
  if (scale == 0 || (at == first && !(at + 1 < text.size() && text[at] == '.')))
    return std::nullopt;
  Nanoseconds value = whole * scale;
  if (at < text.size() && text[at] == '.') {
    ++at;
    Nanoseconds place = scale;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      place /= 10;
      value += place * (text[at] - '0');
    }
  }
  if (at < text.size()) {  // 1.5e3 and the like, rare enough for a double.
    double real = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), real);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (!(std::abs(real) < static_cast<double>(most))) return std::nullopt;
    return static_cast<Nanoseconds>(std::llround(real * static_cast<double>(scale)));
  }
  return negative ? -value : value;
}

std::optional<UnitGuess> guess_unit(std::string_view column, std::string_view value,
                                    TimeUnit integers_are) {
  if (DateReader().read(value))
    return UnitGuess{TimeUnit::kCalendar, "dates, read as UTC where they name no zone", true};
  double number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failed != std::errc() || end != value.data() + value.size()) return std::nullopt;
  if (const auto epoch = unit_of_epoch(number))
    return UnitGuess{*epoch, "they count from 1970", true};
  const std::string name = lower(column);
  if (const auto named = unit_of_suffix(name))
    return UnitGuess{*named, fmt::format("the column is called {}", column), false};
  if (value.find('.') != std::string_view::npos)
    return UnitGuess{TimeUnit::kSeconds, "they have decimals", false};
  return UnitGuess{integers_are, "whole numbers of this format mostly are", false};
}

}  // namespace loadfactor::demand
