// The access log of a web server in front of a model: when requests came, not how long they were.
#include <map>
#include <utility>

#include "demand/read/cell_text.h"
#include "demand/read/readers.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::demand {
namespace {

// One line of the common or combined log format.
struct LogLine {
  std::string_view time;
  std::string_view method;
  std::string_view status;
};

std::optional<LogLine> log_line(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find("] \"", open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  LogLine line{.time = text.substr(open + 1, close - open - 1)};
  std::string_view rest = text.substr(close + 3);
  const std::size_t quote = rest.find("\" ");
  if (quote == std::string_view::npos) return std::nullopt;
  line.method = rest.substr(0, std::min(rest.find(' '), quote));
  rest.remove_prefix(quote + 2);
  line.status = rest.substr(0, rest.find(' '));
  return line;
}

class LogRows {
 public:
  explicit LogRows(ImportReport& report) : report_(&report) {}

  void add(std::string_view text, std::int64_t line) {
    ++report_->rows_read;
    const auto found = log_line(text);
    if (!found) return report_->drop(DropReason::kBadCells, line);
    const auto at = dates_.read(found->time);
    if (!at) return report_->drop(DropReason::kBadStamp, line);
    // A model is asked by POST; what failed was not served, and health checks are no demand.
    if (found->method != "POST" || !found->status.starts_with('2'))
      return report_->drop(DropReason::kNotAnswered, line);
    ++by_second_[*at / kNanosecondsPerSecond];
    ++report_->rows_used;
    last_line_ = line;
  }

  Result<Import> finish(const std::string& file) && {
    if (by_second_.empty()) return nothing_usable(file, *report_);
    const std::int64_t first = by_second_.begin()->first;
    const std::int64_t seconds = by_second_.rbegin()->first - first + 1;
    if (seconds == 1) return without_span(file, by_second_.begin()->second, last_line_);
    constexpr std::int64_t kMinute = 60;
    const std::int64_t window = seconds >= 10 * kMinute ? kMinute : 1;
    RateProfile profile{
        .windows = {}, .has_calendar = true, .origin = first * kNanosecondsPerSecond};
    // A last window that is cut short would seem quieter than it was.
    const std::int64_t windows = std::max<std::int64_t>(1, seconds / window);
    for (std::int64_t i = 0; i < windows; ++i)
      profile.windows.push_back(
          {.start = i * window * kNanosecondsPerSecond, .length = window * kNanosecondsPerSecond});
    for (const auto& [second, count] : by_second_) {
      const auto index = static_cast<std::size_t>((second - first) / window);
      if (index < profile.windows.size())
        profile.windows[index].rate +=
            Hertz::from_base(static_cast<double>(count) / static_cast<double>(window));
    }
    report_->time_column = "[time]";
    report_->time_unit = TimeUnit::kCalendar;
    report_->time_unit_why = "an access log";
    report_->span = Seconds::from_base(static_cast<double>(windows * window));
    report_->remarks.emplace_back(
        "an access log does not say how long requests were: write tokens_in and tokens_out");
    return Import{std::move(*report_), std::move(profile)};
  }

 private:
  ImportReport* report_;
  DateReader dates_;
  std::map<std::int64_t, std::int64_t> by_second_;
  std::int64_t last_line_ = 0;
};

}  // namespace

bool looks_like_access_log(std::string_view text) {
  const auto line = log_line(trimmed(text.substr(0, text.find('\n'))));
  return line && DateReader().read(line->time);
}

Result<Import> read_access_log(const std::string& file, ByteBlocks& blocks,
                               std::string_view block) {
  ImportReport report{.format = "access log", .was_packed = blocks.is_packed()};
  LogRows rows(report);
  TRY(const bool read, each_line(blocks, block, [&](std::string_view text, std::int64_t line) {
        rows.add(text, line);
      }));
  static_cast<void>(read);
  return std::move(rows).finish(file);
}

}  // namespace loadfactor::demand
