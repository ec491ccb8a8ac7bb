// What an import confesses: how many rows it used, which it left out and why, and what it guessed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demand/stamp.h"
#include "loadfactor/quantity.h"

namespace loadfactor::demand {

enum class DropReason : std::uint8_t {
  kZeroTokens,   // Nothing asked and nothing answered: a failed request.
  kBadStamp,     // No time can be read.
  kBadTokens,    // No count of tokens can be read, or a negative one.
  kBadCells,     // Too few cells, an unclosed quote, or no JSON object.
  kBadValue,     // A rate, a duration or a count of GPUs that cannot be read.
  kNoGpu,        // A job that asked for none.
  kStep,         // A step of a job that is already counted.
  kNotStarted,   // A job that never ran.
  kNotAnswered,  // A line of a log that is no request, or one that failed.
};
inline constexpr std::size_t kDropReasons = 9;
std::string_view drop_reason_words(DropReason reason);

// What the caller says about the stamps of a file; what is left out is told by the file.
struct StampOptions {
  std::optional<TimeUnit> time_unit;  // Unit of bare numbers.
  std::optional<DateOrder> date_order;
};

struct DropCount {
  std::int64_t rows = 0;
  std::int64_t first_line = 0;  // Line of the file, from 1; 0 if no row was dropped.
};

// A silence too long to be believed; see find_gaps().
struct Gap {
  Nanoseconds start = 0;  // Since the trace's origin.
  Nanoseconds length = 0;
};

struct ImportReport {
  std::string format;  // "request CSV", "Mooncake JSON lines", …
  bool was_packed = false;
  std::int64_t rows_read = 0;
  std::int64_t rows_used = 0;
  std::int64_t out_of_order = 0;  // Rows that were used after putting them in order.
  std::int64_t duplicate_stamps = 0;
  std::array<DropCount, kDropReasons> dropped{};
  std::string time_column;
  TimeUnit time_unit = TimeUnit::kSeconds;
  std::string time_unit_why;
  DateEvidence dates;
  Seconds span;
  Seconds granularity;     // Every stamp is a multiple of it; 0 where none shows.
  Seconds batch_interval;  // Stamps come in batches this far apart; 0 if they do not.
  std::int64_t silent_minutes = 0;
  std::int64_t minutes = 0;
  std::vector<Gap> gaps;
  std::vector<std::string> remarks;

  void drop(DropReason reason, std::int64_t line) {
    auto& count = dropped[static_cast<std::size_t>(reason)];
    if (count.rows++ == 0) count.first_line = line;
  }
  std::int64_t rows_dropped() const {
    std::int64_t sum = 0;
    for (const auto& count : dropped) sum += count.rows;
    return sum;
  }
};

}  // namespace loadfactor::demand
