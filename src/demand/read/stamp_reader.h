// Reads the stamps of one column: the unit is settled by the first value and kept. Where that is a
// moment of the calendar, dates and numbers that count from 1970 may stand in one file: logs of
// several providers do, each row in the unit that its size tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "demand/read/import_report.h"
#include "demand/stamp.h"

namespace loadfactor::demand {

class StampReader {
 public:
  StampReader(std::string column, const StampOptions& options, TimeUnit integers_are)
      : column_(std::move(column)),
        declared_(options.time_unit),
        integers_are_(integers_are),
        dates_(options.date_order) {}

  std::optional<Nanoseconds> read(std::string_view text) {
    if (!guess_ && !settle(text)) return std::nullopt;
    if (guess_->has_calendar) return moment(text);
    const auto since = read_number_stamp(text, guess_->unit);
    if (!since) has_mixed_kinds_ = has_mixed_kinds_ || DateReader().read(text).has_value();
    return since;
  }

  bool has_calendar() const { return guess_ && guess_->has_calendar; }

  // Whether some stamps are moments of the calendar, and others count from a zero of their own: no
  // order between the two can be told.
  bool has_mixed_kinds() const { return has_mixed_kinds_; }

  void report_into(ImportReport& report) const {
    report.time_column = column_;
    report.dates = dates_.evidence();
    if (!guess_) return;
    report.time_unit = guess_->unit;
    report.time_unit_why = guess_->why;
  }

 private:
  bool settle(std::string_view text) {
    guess_ = guess_unit(column_, text, integers_are_);
    if (guess_ && declared_ && guess_->unit != TimeUnit::kCalendar) {
      guess_->has_calendar = guess_->has_calendar && guess_->unit == *declared_;
      guess_->unit = *declared_;
      guess_->why = "declared";
    }
    return guess_.has_value();
  }

  std::optional<Nanoseconds> moment(std::string_view text) {
    if (guess_->unit == TimeUnit::kCalendar) {
      if (const auto date = dates_.read(text)) return date;
      return number_moment(text);
    }
    const auto same = read_number_stamp(text, guess_->unit);
    if (same && (declared_ || is_of_our_time(*same))) return same;
    if (const auto number = number_moment(text)) return number;
    return dates_.read(text);
  }

  std::optional<Nanoseconds> number_moment(std::string_view text) {
    if (declared_) return read_number_stamp(text, *declared_);
    const auto other = guess_unit(column_, text, integers_are_);
    if (other && other->has_calendar && other->unit != TimeUnit::kCalendar)
      return read_number_stamp(text, other->unit);
    has_mixed_kinds_ = has_mixed_kinds_ || is_number(text);
    return std::nullopt;
  }

  // From 1980 to 2100, as far as a number of another unit never reaches.
  static bool is_of_our_time(Nanoseconds since_1970) {
    return since_1970 > 320'000'000 * kNanosecondsPerSecond &&
           since_1970 < 4'100'000'000 * kNanosecondsPerSecond;
  }

  // A zero stands for a time that is not known.
  static bool is_number(std::string_view text) {
    return read_number_stamp(text, TimeUnit::kSeconds).value_or(0) != 0;
  }

  std::string column_;
  std::optional<TimeUnit> declared_;
  TimeUnit integers_are_;
  std::optional<UnitGuess> guess_;
  DateReader dates_;
  bool has_mixed_kinds_ = false;
};

}  // namespace loadfactor::demand
