// Traffic in a few numbers, from which a week like the real one can be made.
//
//   rate(t) = base · exp(A24 cos 2π(h - h24)/24 + A12 cos 4π(h - h12)/24) · weekend
//             · week(t) · day-to-day noise · exp(slow) · exp(fast - σ²/2)
//
// where slow and fast are mean-reverting Gaussian noise of the logarithm. The rate never exceeds a
// ceiling times the base, if one is given: services have limits, which the tail of a lognormal
// would pass.
//
// Arrivals are a renewal
// process with gamma gaps of a given CV in operational time, the integral of the rate; several
// tenants are independent such processes that share the rate by Zipf's law; an on/off service is
// silent between its bursts. A gamma process alone cannot be right at every time scale: modulation
// is what makes peaks.
#pragma once

#include <string>
#include <vector>

#include "demand/length_mixture.h"
#include "loadfactor/quantity.h"

namespace loadfactor::demand {

struct Wave {
  double amplitude = 0;  // Amplitude of the logarithm of the rate.
  double peak_hour = 0;  // Hour of the day, UTC.

  bool operator==(const Wave&) const = default;
};

// Mean-reverting noise of the logarithm of the rate.
struct LogNoise {
  double sigma = 0;
  Seconds relaxation = Seconds::from_base(3600);

  bool operator==(const LogNoise&) const = default;
};

struct OnOff {
  Seconds on = Seconds();  // Mean length of a burst; 0: always on.
  double on_cv = 1;
  Seconds off_least = Seconds();
  Seconds off = Seconds();  // Mean of the silence beyond off_least.
  double off_cv = 1;        // Coefficient of variation of that silence.
  double burst_sigma = 0;   // Deviation of the logarithm of a burst's rate.

  bool is_used() const { return on > Seconds(); }
  bool operator==(const OnOff&) const = default;
};

struct Sessions {
  double turns = 1;     // Mean of a geometric distribution.
  double think_mu = 0;  // Lognormal seconds from one arrival to that of the next turn.
  double think_sigma = 0;
};

struct TrafficModel {
  std::string name;
  std::string title;
  Hertz base;  // Rate inside a burst, where the service is on/off.
  Wave day;
  Wave half_day;
  double weekend = 1;
  // Factors on the rate in equal parts of the week from Monday, 0 h UTC, on; empty: 1 throughout.
  std::vector<double> week;
  double day_sigma = 0;  // Deviation of the logarithm of a factor drawn anew each day.
  LogNoise slow;
  LogNoise fast;
  double ceiling = 0;  // Highest rate over the base; 0: no limit.
  double cv = 1;
  int tenants = 1;
  double zipf = 1;
  OnOff on_off;
  Sessions sessions;
  LengthMixture input;
  LengthMixture output;
  std::string source;
};

// How many fitted numbers the model holds: what differs from its default.
int count_numbers(const TrafficModel& model);

// The mean rate to expect over many weeks.
Hertz expected_rate(const TrafficModel& model);

// Whether the rates of both differ by a factor alone, with the same seed.
bool has_same_shape(const TrafficModel& a, const TrafficModel& b);

// Moves the factors of a week so that those of its hour `start` come first.
void turn_week(double start, std::vector<double>& week);

// The amplitude of a daily wave whose busiest moment is `peak` times the day's mean; peak >= 1.
double amplitude_of_peak(double peak);

// The same traffic at another mean rate.
TrafficModel scaled_to(TrafficModel model, Hertz mean);

}  // namespace loadfactor::demand
