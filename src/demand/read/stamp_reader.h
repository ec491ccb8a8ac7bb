// Reads the stamps of one column: the unit is settled by the first value and kept.
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
    if (guess_->unit == TimeUnit::kCalendar) return dates_.read(text);
    return read_number_stamp(text, guess_->unit);
  }

  bool has_calendar() const { return guess_ && guess_->has_calendar; }

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

  std::string column_;
  std::optional<TimeUnit> declared_;
  TimeUnit integers_are_;
  std::optional<UnitGuess> guess_;
  DateReader dates_;
};

}  // namespace loadfactor::demand
