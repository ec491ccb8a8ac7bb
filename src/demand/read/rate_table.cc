// A rate by windows, as most monitoring exports it.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "demand/read/cell_text.h"
#include "demand/read/readers.h"
#include "demand/read/stamp_reader.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::demand {
namespace {

using Row = std::vector<std::string_view>;

struct RateUnit {
  double per_second = 1;
  std::string words;
};

// `requests_per_min` is per minute, `rate_rps` and a bare `rate` per second.
RateUnit rate_unit(const std::string& column) {
  std::string name;
  for (const char c : column)
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&name](std::string_view word) { return name.find(word) != std::string::npos; };
  if (has("per_min") || has("rpm") || has("per min") || has("/min"))
    return {1.0 / 60, "requests per minute"};
  if (has("per_hour") || has("/h") || has("rph")) return {1.0 / kHour.base(), "requests per hour"};
  if (has("per_day")) return {1.0 / kDay.base(), "requests per day"};
  return {1.0, "requests per second"};
}

class RateRows {
 public:
  RateRows(const Columns& columns, ImportReport& report, const ReadOptions& options)
      : time_(*columns.find(Meaning::kTime)),
        rate_(*columns.find(Meaning::kRate)),
        length_(columns.find(Meaning::kWindowLength)),
        cv_(columns.find(Meaning::kCv)),
        input_(columns.find(Meaning::kMeanInput)),
        output_(columns.find(Meaning::kMeanOutput)),
        has_clients_(columns.has(Meaning::kClient)),
        unit_(rate_unit(columns.name(rate_))),
        stamps_(columns.name(time_), options.stamps, TimeUnit::kSeconds),
        report_(&report) {
    report.remarks.push_back(
        fmt::format("rates are read from '{}' as {}", columns.name(rate_), unit_.words));
  }

  void add(const Row& row, std::int64_t line) {
    ++report_->rows_read;
    if (row.size() <= std::max(time_, rate_)) return report_->drop(DropReason::kBadCells, line);
    const auto at = stamps_.read(trimmed(row[time_]));
    if (!at) return report_->drop(DropReason::kBadStamp, line);
    stamped_.push_back(*at);
    const auto rate = real_of(trimmed(row[rate_]));
    if (!rate || *rate < 0) return report_->drop(DropReason::kBadValue, line);
    RateWindow window{.start = *at, .rate = Hertz::from_base(*rate * unit_.per_second)};
    if (length_ && *length_ < row.size()) {
      const auto length = read_number_stamp(trimmed(row[*length_]), TimeUnit::kSeconds);
      if (!length || *length <= 0) return report_->drop(DropReason::kBadValue, line);
      window.length = *length;
    }
    if (cv_ && *cv_ < row.size()) window.cv = real_of(trimmed(row[*cv_])).value_or(1.0);
    LinedWindow lined{window, line};
    const auto length = [&](const std::optional<std::size_t>& column) {
      return column && *column < row.size() ? real_of(trimmed(row[*column])).value_or(0) : 0;
    };
    lined.input = length(input_);
    lined.output = length(output_);
    if (!(lined.input >= 0) || !(lined.output >= 0))
      return report_->drop(DropReason::kBadValue, line);
    rows_.push_back(lined);
  }

  Result<Import> finish(const std::string& file) && {
    auto& windows = profile_.windows;
    if (rows_.empty()) return nothing_usable(file, *report_);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const auto& a, const auto& b) { return a.window.start < b.window.start; });
    take_windows();
    take_lengths();
    if (!length_) infer_lengths();
    profile_.has_calendar = stamps_.has_calendar();
    profile_.origin = windows.front().start;
    for (auto& window : windows) window.start -= profile_.origin;
    complete_report();
    return Import{std::move(*report_), std::move(profile_)};
  }

 private:
  // Without a column for it, a window lasts as long as most do until the next. Rows without a rate
  // count too: they are missing data, not longer windows.
  void infer_lengths() {
    std::sort(stamped_.begin(), stamped_.end());
    std::vector<Nanoseconds> steps;
    for (std::size_t i = 1; i < stamped_.size(); ++i)
      if (stamped_[i] > stamped_[i - 1]) steps.push_back(stamped_[i] - stamped_[i - 1]);
    Nanoseconds step = kNanosecondsPerSecond;
    if (!steps.empty()) {
      const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
      std::nth_element(steps.begin(), middle, steps.end());
      step = *middle;
    }
    auto& windows = profile_.windows;
    for (std::size_t i = 0; i < windows.size(); ++i)
      windows[i].length =
          i + 1 < windows.size() ? std::min(step, windows[i + 1].start - windows[i].start) : step;
    report_->remarks.push_back(fmt::format("windows of {} s, from the distance of most rows",
                                           static_cast<double>(step) * 1e-9));
  }

  // Rows of several clients in one window add up; a window within another is dropped.
  void take_windows() {
    auto& windows = profile_.windows;
    std::int64_t most = 1;  // Rows of one window.
    std::int64_t rows = 0;
    for (const LinedWindow& row : rows_) {
      if (has_clients_ && !windows.empty() && row.window.start == windows.back().start) {
        join(row.window, windows.back());
        most = std::max(most, ++rows);
        ++joined_;
        continue;
      }
      if (!windows.empty() &&
          row.window.start <
              windows.back().start + std::max<Nanoseconds>(windows.back().length, 1)) {
        report_->drop(DropReason::kBadValue, row.line);
        continue;
      }
      windows.push_back(row.window);
      rows = 1;
    }
    if (joined_ > 0)
      report_->remarks.push_back(
          fmt::format("rates of up to {} clients are added up in each window", most));
  }

  // A window counts for as many requests as come in it.
  void take_lengths() {
    double requests = 0, input = 0, output = 0;
    for (const LinedWindow& row : rows_) {
      const double share =
          row.window.rate.base() * static_cast<double>(std::max<Nanoseconds>(row.window.length, 1));
      requests += share;
      input += share * row.input;
      output += share * row.output;
    }
    if (requests <= 0) return;
    profile_.mean_input = Tokens::from_base(input / requests);
    profile_.mean_output = Tokens::from_base(output / requests);
  }

  // Rates add up, and so do variances of counts, which grow with the square of the CV.
  static void join(const RateWindow& one, RateWindow& all) {
    const double a = all.rate.base();
    const double b = one.rate.base();
    if (a + b > 0) all.cv = std::sqrt((a * all.cv * all.cv + b * one.cv * one.cv) / (a + b));
    all.rate = all.rate + one.rate;
  }

  void complete_report() {
    stamps_.report_into(*report_);
    const auto& windows = profile_.windows;
    report_->rows_used = static_cast<std::int64_t>(windows.size()) + joined_;
    report_->span = profile_.span();
    report_->granularity = Seconds::from_base(static_cast<double>(windows.front().length) * 1e-9);
    constexpr Nanoseconds kMinute = 60 * kNanosecondsPerSecond;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      report_->minutes += windows[i].length / kMinute;
      if (windows[i].rate == Hertz()) report_->silent_minutes += windows[i].length / kMinute;
      const Nanoseconds end = windows[i].start + windows[i].length;
      if (i + 1 < windows.size() && windows[i + 1].start > end)
        report_->gaps.push_back({end, windows[i + 1].start - end});
    }
  }

  std::size_t time_;
  std::size_t rate_;
  std::optional<std::size_t> length_;
  std::optional<std::size_t> cv_;
  std::optional<std::size_t> input_, output_;
  bool has_clients_;
  RateUnit unit_;
  StampReader stamps_;
  ImportReport* report_;
  struct LinedWindow {
    RateWindow window;
    std::int64_t line = 0;
    double input = 0, output = 0;  // Mean lengths, 0 where they are not told.
  };
  std::vector<LinedWindow> rows_;
  std::vector<Nanoseconds> stamped_;  // Times of all rows that have one.
  std::int64_t joined_ = 0;           // Rows that were added to another row.
  RateProfile profile_;
};

}  // namespace

Result<Import> read_rate_table(OpenTable& table, const Columns& columns, ImportReport report,
                               const ReadOptions& options) {
  report.format = "rate profile";
  RateRows rows(columns, report, options);
  while (true) {
    const std::int64_t line = table.line;
    TRY(const Row* row, table.next());
    if (row == nullptr) break;
    rows.add(*row, line);
  }
  return std::move(rows).finish(table.file);
}

}  // namespace loadfactor::demand
