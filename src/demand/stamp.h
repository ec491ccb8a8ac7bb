// Points in time as they stand in demand files: dates with 0 to 9 decimals, or numbers.
//
// All become whole nanoseconds, so that a stamp of seven decimals survives and differences are
// exact. The unit of a bare number is declared, told by the column's name, or guessed from its
// size, and the guess is reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadfactor::demand {

// Nanoseconds since 1970-01-01 UTC where a calendar is known, else since some zero.
using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds kNanosecondsPerSecond = 1'000'000'000;
inline constexpr std::int64_t kSecondsPerHour = 3600;
inline constexpr std::int64_t kSecondsPerDay = 24 * kSecondsPerHour;

enum class TimeUnit : std::uint8_t {
  kCalendar,  // A date and a time of day, UTC unless it says otherwise.
  kSeconds,
  kMilliseconds,
  kMicroseconds,
  kNanoseconds,
};
std::string_view time_unit_name(TimeUnit unit);

// `s`, `ms`, `us`, `ns`; nothing for another word.
std::optional<TimeUnit> time_unit_of(std::string_view word);

// Which of two short numbers before the year is the month.
enum class DateOrder : std::uint8_t { kMonthFirst, kDayFirst };

// What the dates of a file say about their own order: a number above twelve is a day.
struct DateEvidence {
  bool has_short_dates = false;  // `03/04/2026`: month and day are not told apart by the form.
  bool month_first = false;      // One that can only be read this way.
  bool day_first = false;
};

// `2023-11-16 18:15:46.6805900`, with a blank or T, with Z, +00:00, +0000 or nothing, seconds
// optional; and dates with the year last: `3/14/2026 1:05 PM`, `14.03.2026 13:05`,
// `14/Mar/2026:13:05:00 +0100`. Keeps the last date, since the next row mostly has the same one.
class DateReader {
 public:
  // Without an order, short dates are read with the month first unless that cannot be.
  explicit DateReader(std::optional<DateOrder> order = {}) : order_(order) {}

  std::optional<Nanoseconds> read(std::string_view text);
  const DateEvidence& evidence() const { return evidence_; }

 private:
  std::optional<Nanoseconds> read_year_first(std::string_view text);
  bool put_year_first(std::string_view text);

  std::optional<DateOrder> order_;
  DateEvidence evidence_;
  std::string year_first_;  // A date with the year last, rewritten.
  std::string last_date_;
  std::int64_t last_day_ = 0;
};

// A number of `unit` as nanoseconds, exact to the last digit written down to a nanosecond.
std::optional<Nanoseconds> read_number_stamp(std::string_view text, TimeUnit unit);

// What a stamp's unit is, and how we know.
struct UnitGuess {
  TimeUnit unit = TimeUnit::kSeconds;
  std::string why;            // "declared", "the column is called arrival_s", "…"
  bool has_calendar = false;  // Whether the numbers count from 1970.
};

// From the name of the column and one value of it; `integers_are` is what whole numbers of the
// format usually mean.
std::optional<UnitGuess> guess_unit(std::string_view column, std::string_view value,
                                    TimeUnit integers_are);

// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day);

}  // namespace loadfactor::demand
