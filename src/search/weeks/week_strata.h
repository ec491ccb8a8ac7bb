// Windows of a week in groups of like load, and what a sample of each says of the week.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/weeks/week_shapes.h"
#include "sim/latency_histogram.h"

namespace loadfactor::search {

// What became of the requests of one stretch of a week, and of its replicas.
struct SpanCounts {
  std::int64_t requests = 0;
  std::int64_t with_next_tokens = 0;  // Requests that have a time between tokens.
  std::int64_t first_missed = 0;
  std::int64_t each_missed = 0;
  std::int64_t good = 0;
  std::int64_t lost = 0;   // Turned away.
  std::vector<double> on;  // Seconds with so many copies paid for, of the stretch alone.
  sim::LatencyHistogram ttft, tpot;
};

// So many standard errors lie between a share and what it is held to.
inline constexpr double kSureErrors = 3.5;

// A share of a week's requests and its standard error, as the sample has them.
struct SampledShare {
  double value = 0;
  double error = 0;

  double low() const { return value - kSureErrors * error; }
  double high() const { return value + kSureErrors * error; }
};

// Windows that are simulated together.
struct WeekUnit {
  std::size_t first = 0;
  std::size_t windows = 0;
  double requests = 0;  // Expected.
  double load = 0;      // The most that comes in any of its windows, over what the fleet can do.
};

// Units of like load, the fullest first, and what came of those that were simulated.
struct WeekStratum {
  std::vector<WeekUnit> units;
  double requests = 0;       // Expected of all its units.
  double windows = 0;        // In all of its units.
  bool is_whole = false;     // All are simulated.
  std::size_t at_first = 0;  // Units that the first look takes.
  std::vector<SpanCounts> seen;

  // The unit that comes next: each half, quarter and so on of the group is met as evenly as the
  // number of units allows.
  const WeekUnit& next() const { return units[seen.size()]; }
};

// A week window by window.
struct WindowLoads {
  std::vector<double> rates;        // Requests per second.
  std::vector<double> offered;      // The same over what the whole fleet can do.
  std::vector<double> there;        // The share of the fleet that is not out.
  double seconds = kWindowSeconds;  // The length of a window.
  double all_but_full = 0.95;       // From this load on a queue may outlive its window.

  double of(std::size_t window) const;  // What comes over what those can do that are there.
};

// Stretches in which a queue outlives a window are one stratum of whole units; the others are cut
// by load.
std::vector<WeekStratum> strata_of(const WindowLoads& week, std::size_t windows_each);

// Shares of the week from what was seen of each stratum.
SampledShare share_of(const std::vector<WeekStratum>& strata, std::int64_t SpanCounts::*late,
                      std::int64_t SpanCounts::*of);

// The mean number of copies that were paid for, and the share of the time with so many.
SampledShare copies_of(const std::vector<WeekStratum>& strata);
std::vector<double> on_of(const std::vector<WeekStratum>& strata);

}  // namespace loadfactor::search
