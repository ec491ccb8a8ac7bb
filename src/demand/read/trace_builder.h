// Collects requests row by row and turns them into a trace with its report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "demand/read/import.h"

namespace loadfactor::demand {

// Names to small numbers, in order of appearance.
class NameNumbers {
 public:
  std::int32_t number(std::string_view name);

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
};

// No model reads or writes as much: a request above it is a mistake of its file.
inline constexpr std::int32_t kMostTokens = 100'000'000;

class TraceBuilder {
 public:
  explicit TraceBuilder(ImportReport& report) : report_(&report) {}

  Trace& trace() { return trace_; }
  ImportReport& report() { return *report_; }

  // Adds a request, or drops it: nothing asked and nothing answered.
  bool add(Nanoseconds at, std::int32_t input, std::int32_t output, std::int64_t line) {
    if (input == 0 && output == 0) {
      report_->drop(DropReason::kZeroTokens, line);
      return false;
    }
    if (longest_line_ == 0 && std::max(input, output) > kMostTokens) longest_line_ = line;
    last_line_ = line;
    if (at < last_) ++report_->out_of_order;
    last_ = at > last_ ? at : last_;
    trace_.requests.push_back({at, input, output});
    return true;
  }

  // Leaves out a request without a time, and keeps its line where that is of another kind than the
  // times before it.
  void drop_stamp(bool is_of_other_kind, std::int64_t line) {
    if (is_of_other_kind && mixed_line_ == 0) mixed_line_ = line;
    report_->drop(DropReason::kBadStamp, line);
  }

  // Puts everything in order and completes the report. LF518 if nothing was used, all is at one
  // time or times are of two kinds, LF529 for a request longer than any can be.
  Result<Import> finish(const std::string& file) &&;

 private:
  ImportReport* report_;
  Trace trace_;
  Nanoseconds last_ = INT64_MIN;
  std::int64_t last_line_ = 0;     // Line of the last request.
  std::int64_t mixed_line_ = 0;    // The first line whose time is of another kind.
  std::int64_t longest_line_ = 0;  // The first line that is longer than a request can be.
};

// Fills in what the report says about the stamps: granularity, batches, silent minutes, gaps.
void describe_stamps(const Trace& trace, ImportReport& report);

// LF518 with the most frequent reason.
Error nothing_usable(const std::string& file, const ImportReport& report);
// LF518 for requests that are all at one time.
Error without_span(const std::string& file, std::int64_t requests, std::int64_t line);

}  // namespace loadfactor::demand
