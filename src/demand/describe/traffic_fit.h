// Fits a traffic model to a trace, and says how far what it makes is from what it has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "demand/trace.h"
#include "demand/traffic_model.h"

namespace loadfactor::demand {

// Burstiness at every scale that matters for queues: gaps, and counts in 1, 10 and 60 seconds.
struct Burstiness {
  double cv = 0;
  double d1 = 0;
  double d10 = 0;
  double d60 = 0;
  double peak_to_mean_60 = 0;
};

// Measures the whole trace up to three hours; for longer ones takes the geometric mean over their
// hours, so that the shape of the day does not count as burstiness.
Burstiness measure_burstiness(const Trace& trace);

// Rate, shape of the week, noise, arrivals and lengths. What the span cannot show (a week's shape
// from an hour, anything but rate and lengths from a hundred requests) is left out; the rate is 0
// without times. Noise and arrivals are settled by making traffic and comparing.
TrafficModel fit_traffic(const Trace& trace, std::uint64_t seed);

// The shape of the week and its slow noise from a rate profile; arrivals are random.
TrafficModel fit_traffic(const RateProfile& profile);

// Made traffic against real: ratios less one for rate and burstiness, Kolmogorov's distance for
// lengths.
struct TrafficDistance {
  Burstiness real;
  Burstiness made;  // The geometric mean over several seeds.
  double rate_ratio = 0;
  double real_peak = 0;  // Rate of the busiest minute over the mean rate.
  double made_peak = 0;  // The same in made traffic: geometric mean over several seeds.
  double input_distance = 0;
  double output_distance = 0;
  int seeds = 0;
};
TrafficDistance compare(const TrafficModel& model, const Trace& real, std::uint64_t seed);

// The first and the second half of the time.
struct Halves {
  Trace first;
  Trace second;
};
Halves halves(const Trace& trace);

}  // namespace loadfactor::demand
