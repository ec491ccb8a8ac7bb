#include "demand/read/trace_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::demand {
namespace {

constexpr Nanoseconds kMinute = 60 * kNanosecondsPerSecond;
// Silence is a gap in the data, not in the demand, once it is this long and this unlikely.
constexpr Nanoseconds kShortestGap = 60 * kMinute;
constexpr double kExpectedInGap = 1000;
// Stamps are batched when most repeat the one before and the others are this regular.
constexpr double kRepeatedInBatches = 0.5;

Seconds seconds(Nanoseconds time) {
  return Seconds::from_base(static_cast<double>(time) * 1e-9);
}

// The largest step of which all stamps are multiples, 0 below a microsecond.
Nanoseconds granularity(const Trace& trace) {
  Nanoseconds step = 0;
  for (const auto& request : trace.requests) {
    if (step > 0 && request.at % step == 0) continue;
    step = std::gcd(step, request.at);
    if (step == 1) break;
  }
  return step >= 1000 ? step : 0;
}

void find_batches(const Trace& trace, ImportReport& report) {
  const auto& requests = trace.requests;
  report.duplicate_stamps = 0;
  for (std::size_t i = 1; i < requests.size(); ++i)
    report.duplicate_stamps += requests[i].at == requests[i - 1].at ? 1 : 0;
  const double repeated =
      static_cast<double>(report.duplicate_stamps) / static_cast<double>(requests.size());
  if (repeated < kRepeatedInBatches) return;
  std::vector<Nanoseconds> steps;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const Nanoseconds gap = requests[i].at - requests[i - 1].at;
    if (gap > 0) steps.push_back(gap);
  }
  if (steps.size() < 2) return;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  report.batch_interval = seconds(*middle);
}

void find_gaps(const Trace& trace, ImportReport& report) {
  const double rate = static_cast<double>(trace.size()) / std::max(1e-9, trace.span().base());
  Nanoseconds silence = 0;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    const Nanoseconds from = trace.requests[i - 1].at;
    const Nanoseconds gap = trace.requests[i].at - from;
    if (gap <= kMinute) continue;
    // Whole minutes without a request between the two.
    const Nanoseconds silent = trace.requests[i].at / kMinute - from / kMinute - 1;
    if (silent > 0) silence += silent;
    if (gap >= kShortestGap && rate * seconds(gap).base() >= kExpectedInGap)
      report.gaps.push_back({from, gap});
  }
  report.silent_minutes = silence;
  report.minutes = trace.requests.back().at / kMinute + 1;
}

}  // namespace

std::string_view drop_reason_words(DropReason reason) {
  switch (reason) {
    case DropReason::kZeroTokens:
      return "no tokens in or out";
    case DropReason::kBadStamp:
      return "unreadable time";
    case DropReason::kBadTokens:
      return "unreadable or negative tokens";
    case DropReason::kBadCells:
      return "broken row";
    case DropReason::kBadValue:
      return "unreadable value";
    case DropReason::kNoGpu:
      return "no GPU";
    case DropReason::kStep:
      return "step of a job";
    case DropReason::kNotStarted:
      return "never started";
    case DropReason::kNotAnswered:
      return "no request that was answered";
  }
  return "";
}

std::int32_t NameNumbers::number(std::string_view name) {
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(name), static_cast<std::int32_t>(numbers_.size()));
  return found->second;
}

void describe_stamps(const Trace& trace, ImportReport& report) {
  if (!trace.is_timed || trace.size() < 2) return;
  report.span = trace.span();
  report.granularity = seconds(granularity(trace));
  find_batches(trace, report);
  find_gaps(trace, report);
}

Error nothing_usable(const std::string& file, const ImportReport& report) {
  const auto most =
      std::max_element(report.dropped.begin(), report.dropped.end(),
                       [](const DropCount& a, const DropCount& b) { return a.rows < b.rows; });
  const auto reason = static_cast<DropReason>(most - report.dropped.begin());
  std::string message =
      fmt::format("none of the {} rows of '{}' can be used", report.rows_read, file);
  if (most->rows > 0)
    message += fmt::format(": {} ({} rows, the first in line {})", drop_reason_words(reason),
                           most->rows, most->first_line);
  return Error{.code = lf::kNothingUsable,
               .message = std::move(message),
               .hint = "mend the first of them, or check that the header names the right columns",
               .where = {.file = file, .line = static_cast<std::uint32_t>(most->first_line)}};
}

namespace {

Error too_long(const std::string& file, std::int64_t line) {
  return Error{.code = lf::kTooManyTokens,
               .message = fmt::format("a request of more than {} tokens cannot be", kMostTokens),
               .hint = "look whether the column counts bytes, or the tokens of many requests",
               .where = {.file = file, .line = static_cast<std::uint32_t>(line)}};
}

Error mixed_stamps(const std::string& file, std::int64_t line) {
  return Error{.code = lf::kNothingUsable,
               .message = fmt::format("'{}' mixes times of two kinds: this one cannot be put in "
                                      "order with those before it",
                                      file),
               .hint =
                   "write all of them as dates or as numbers that count from 1970, or each kind "
                   "in a file of its own",
               .where = {.file = file, .line = static_cast<std::uint32_t>(line)}};
}

}  // namespace

Error without_span(const std::string& file, std::int64_t requests, std::int64_t line) {
  return Error{.code = lf::kNothingUsable,
               .message = requests == 1
                              ? fmt::format("'{}' has one request: it has no rate", file)
                              : fmt::format("all {} requests of '{}' have the same stamp: they "
                                            "have no rate",
                                            requests, file),
               .hint = "a trace needs two stamps that differ; lengths alone need no time column",
               .where = {.file = file, .line = static_cast<std::uint32_t>(line)}};
}

Result<Import> TraceBuilder::finish(const std::string& file) && {
  report_->rows_used = static_cast<std::int64_t>(trace_.size());
  if (longest_line_ > 0) return too_long(file, longest_line_);
  if (mixed_line_ > 0) return mixed_stamps(file, mixed_line_);
  if (trace_.requests.empty()) return nothing_usable(file, *report_);
  put_in_order(trace_);
  if (trace_.is_timed && trace_.span() <= Seconds())
    return without_span(file, report_->rows_used, last_line_);
  describe_stamps(trace_, *report_);
  return Import{std::move(*report_), std::move(trace_)};
}

}  // namespace loadfactor::demand
