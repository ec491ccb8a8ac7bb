// Jobs of a training cluster: Philly, Helios, Acme, Alibaba, or what `sacct -P` prints.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "demand/read/cell_text.h"
#include "demand/read/readers.h"
#include "demand/read/stamp_reader.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::demand {
namespace {

using Row = std::vector<std::string_view>;

// `64`, `billing=8,cpu=8,gres/gpu=8,gres/gpu:h100=8,node=1` or `gpu:h100:8`.
std::optional<std::int32_t> gpus_of(std::string_view text) {
  if (text.empty()) return 0;
  if (const auto plain = count_of(text)) return plain;
  const std::size_t at = text.find("gpu");
  if (at == std::string_view::npos)
    return text.find('=') != std::string_view::npos ? std::optional(0) : std::nullopt;
  std::string_view rest = text.substr(at, text.find(',', at) - at);
  const std::size_t before = rest.find_last_of("=:");
  if (before == std::string_view::npos) return 1;
  return count_of(rest.substr(before + 1));
}

// Seconds, or `[D-]HH:MM:SS[.f]` as Slurm prints it.
std::optional<Nanoseconds> duration_of(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return read_number_stamp(text, TimeUnit::kSeconds);
  Nanoseconds days = 0;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto count = count_of(text.substr(0, dash));
    if (!count) return std::nullopt;
    days = *count;
    text.remove_prefix(dash + 1);
  }
  Nanoseconds seconds = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) break;
    const auto part = count_of(text.substr(0, colon));
    if (!part || seconds > 1'000'000) return std::nullopt;
    seconds = (seconds + *part) * 60;
    text.remove_prefix(colon + 1);
  }
  const auto last = read_number_stamp(text, TimeUnit::kSeconds);
  if (!last || days > 100'000) return std::nullopt;
  return (days * kSecondsPerDay + seconds) * kNanosecondsPerSecond + *last;
}

bool is_success(std::string_view state) {
  static constexpr std::array<std::string_view, 6> kSuccessStates{
      "COMPLETED", "Pass", "Succeeded", "completed", "SUCCEEDED", "Completed"};
  return std::find(kSuccessStates.begin(), kSuccessStates.end(), state) != kSuccessStates.end();
}

bool is_still_running(std::string_view state) {
  return state == "RUNNING" || state == "Running" || state == "running";
}

bool says_nothing(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "nan" || text == "NaT" ||
         text == "N/A";
}

class JobRows {
 public:
  JobRows(const Columns& columns, ImportReport& report, const ReadOptions& options)
      : gpus_(*columns.find(Meaning::kGpus)),
        duration_(columns.find(Meaning::kDuration)),
        wait_(columns.find(Meaning::kWait)),
        state_(columns.find(Meaning::kState)),
        job_(columns.find(Meaning::kJob)),
        report_(&report) {
    for (const Meaning meaning : {Meaning::kSubmit, Meaning::kStart, Meaning::kEnd}) {
      const auto index = columns.find(meaning);
      times_.push_back({index, StampReader(index ? columns.name(*index) : "", options.stamps,
                                           TimeUnit::kSeconds)});
    }
    trace_.knows_start = times_[1].index.has_value() || wait_.has_value();
    trace_.knows_state = state_.has_value();
  }

  bool has_times() const {
    const bool begins = times_[0].index || times_[1].index;
    return begins && (times_[2].index || duration_);
  }

  void add(const Row& row, std::int64_t line) {
    ++report_->rows_read;
    if (row.size() <= gpus_) return report_->drop(DropReason::kBadCells, line);
    if (job_ && is_step(cell(row, job_))) return report_->drop(DropReason::kStep, line);
    const auto gpus = gpus_of(trimmed(row[gpus_]));
    if (!gpus) return report_->drop(DropReason::kBadValue, line);
    if (*gpus == 0) return report_->drop(DropReason::kNoGpu, line);
    Job job{.gpus = *gpus};
    if (state_) {
      job.succeeded = is_success(cell(row, state_));
      job.is_over = !is_still_running(cell(row, state_));
    }
    const auto problem = read_times(row, job);
    if (problem) return report_->drop(*problem, line);
    trace_.jobs.push_back(job);
  }

  Result<Import> finish(const std::string& file) && {
    auto& jobs = trace_.jobs;
    if (jobs.empty()) return nothing_usable(file, *report_);
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const Job& a, const Job& b) { return a.submit < b.submit; });
    Nanoseconds last = 0;
    for (const auto& job : jobs) last = std::max({last, job.end, job.start});
    trace_.origin = jobs.front().submit;
    for (auto& job : jobs) {
      if (job.end == kStillRunning) job.end = last;
      job.submit -= trace_.origin;
      job.start -= trace_.origin;
      job.end -= trace_.origin;
    }
    const auto& clock = times_[0].index ? times_[0].stamps : times_[1].stamps;
    trace_.has_calendar = clock.has_calendar();
    clock.report_into(*report_);
    report_->rows_used = static_cast<std::int64_t>(jobs.size());
    report_->span = Seconds::from_base(static_cast<double>(last - trace_.origin) * 1e-9);
    if (!trace_.knows_start)
      report_->remarks.emplace_back("no column says when a job started: taken as its submission");
    return Import{std::move(*report_), std::move(trace_)};
  }

 private:
  struct TimeColumn {
    std::optional<std::size_t> index;
    StampReader stamps;
  };
  static constexpr Nanoseconds kStillRunning = -1;

  static std::string_view cell(const Row& row, std::optional<std::size_t> index) {
    return index && *index < row.size() ? trimmed(row[*index]) : std::string_view();
  }

  // `56.batch` and `56.0` are steps of job 56.
  static bool is_step(std::string_view job) {
    const std::size_t dot = job.find('.');
    return dot != std::string_view::npos && dot > 0 && job[0] >= '0' && job[0] <= '9';
  }

  // Nothing if all is well.
  std::optional<DropReason> read_times(const Row& row, Job& job) {
    std::array<std::optional<Nanoseconds>, 3> at;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::string_view text = cell(row, times_[i].index);
      if (says_nothing(text)) continue;
      at[i] = times_[i].stamps.read(text);
      if (!at[i]) return DropReason::kBadStamp;
    }
    if (!at[0] && !at[1]) return DropReason::kNotStarted;
    job.submit = at[0] ? *at[0] : *at[1];
    const auto wait = duration_of(cell(row, wait_));
    if (at[1])
      job.start = *at[1];
    else if (trace_.knows_start && times_[1].index && !wait)
      return DropReason::kNotStarted;
    else
      job.start = job.submit + wait.value_or(0);
    const auto duration = duration_of(cell(row, duration_));
    if (duration)
      job.end = job.start + *duration;
    else
      job.end = at[2] ? *at[2] : kStillRunning;
    const bool is_ordered =
        job.submit <= job.start && (job.end == kStillRunning || job.start <= job.end);
    return is_ordered ? std::nullopt : std::optional(DropReason::kBadValue);
  }

  std::size_t gpus_;
  std::optional<std::size_t> duration_;
  std::optional<std::size_t> wait_;
  std::optional<std::size_t> state_;
  std::optional<std::size_t> job_;
  std::vector<TimeColumn> times_;
  ImportReport* report_;
  JobTrace trace_;
};

}  // namespace

Result<Import> read_job_table(OpenTable& table, const Columns& columns, ImportReport report,
                              const ReadOptions& options) {
  report.format = "job table";
  JobRows rows(columns, report, options);
  if (!rows.has_times()) {
    return Error{.code = lf::kMissingColumn,
                 .message = fmt::format("'{}' does not say when its jobs ran", table.file),
                 .hint = fmt::format("a job table needs {} or {}, and {} or {}",
                                     spellings(Meaning::kSubmit), spellings(Meaning::kStart),
                                     spellings(Meaning::kEnd), spellings(Meaning::kDuration)),
                 .where = {.file = table.file, .line = 1}};
  }
  while (true) {
    const std::int64_t line = table.line;
    TRY(const Row* row, table.next());
    if (row == nullptr) break;
    rows.add(*row, line);
  }
  return std::move(rows).finish(table.file);
}

}  // namespace loadfactor::demand
