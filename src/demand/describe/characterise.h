// What traffic is like: rate, burstiness, shape of the week, lengths, reuse of prompts.
//
// Windows are counted from the first arrival and only whole ones count; variances are those of
// the population; stretches that the import calls gaps are left out, since missing data is not
// silence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "demand/describe/lengths.h"
#include "demand/describe/prefix_reuse.h"
#include "demand/read/import.h"

namespace loadfactor::demand {

struct WindowStatistics {
  Seconds window;
  std::int64_t windows = 0;
  Hertz mean;
  Hertz peak;
  double dispersion = 0;  // Variance over mean of the counts; 1 for Poisson arrivals.

  double peak_to_mean() const { return mean > Hertz() ? peak / mean : 0; }
  double mean_to_peak() const { return peak > Hertz() ? mean / peak : 0; }
};

inline constexpr std::array<double, 4> kWindows{1, 10, 60, 600};  // Seconds.
inline constexpr std::size_t kTenMinutes = 3;                     // The index of 600 s.

// Mean rates by hour of the week; less than zero where no data is.
struct WeekProfile {
  bool has_calendar = false;                     // Otherwise days count from the first.
  std::array<std::array<double, 24>, 7> rate{};  // [0] is Monday, or the first day.

  std::array<double, 24> by_hour() const;
  std::array<double, 7> by_day() const;
};

struct Characterisation {
  std::int64_t requests = 0;
  bool is_timed = true;
  Seconds span;
  Hertz mean_rate;
  std::optional<double> cv;  // Standard deviation over mean of the gaps between arrivals.
  double zero_gaps = 0;      // Share of gaps that are zero.
  std::vector<WindowStatistics> windows;  // As kWindows, without those a file is too coarse for.
  WeekProfile week;
  std::vector<double> series;  // Rates of 10-minute windows; less than zero where data is missing.
  std::optional<double> hours_below_quarter;  // Share of hours below 25 % of the busiest.
  std::optional<double> hours_below_half;
  std::optional<LengthStatistics> input;
  std::optional<LengthStatistics> output;
  std::optional<double> length_correlation;
  std::optional<PrefixReuse> prefixes;
  std::int64_t clients = 0;
  double top_client_share = 0;
  std::int64_t sessions = 0;

  const WindowStatistics* window(double seconds) const;
  // The widest windows that say what a peak is: three or more, the busiest not below the mean of
  // all.
  const WindowStatistics* widest_meaningful_window() const;
};

Characterisation characterise(const Trace& trace, const std::vector<Gap>& gaps = {});
Characterisation characterise(const RateProfile& profile);

// The counts of arrivals in whole windows, with those inside a gap left out.
WindowStatistics window_statistics(const Trace& trace, Seconds window,
                                   const std::vector<Gap>& gaps = {});

// Standard deviation over mean of the gaps between arrivals; 0 below three requests.
double gap_cv(const Trace& trace);

}  // namespace loadfactor::demand
