#include "demand/traffic_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace loadfactor::demand {
namespace {

double share_below(double deviations) {
  return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
}

// The mean of what both noises multiply the rate by, cut at `ceiling` (0: nowhere).
double mean_noise(const TrafficModel& m, double ceiling) {
  const double slow = m.slow.sigma * m.slow.sigma;
  const double fast = m.fast.sigma * m.fast.sigma;
  const double sigma = std::sqrt(slow + fast);
  if (ceiling <= 0) return std::exp(0.5 * slow);
  if (sigma <= 0) return std::min(1.0, ceiling);
  const double above = std::log(ceiling) + 0.5 * fast;  // The ceiling, from the middle.
  return std::exp(0.5 * slow) * share_below(above / sigma - sigma) +
         ceiling * (1 - share_below(above / sigma));
}

}  // namespace

int count_numbers(const TrafficModel& m) {
  int count = 2;  // Base and CV.
  count += m.day.amplitude != 0 ? 2 : 0;
  count += m.half_day.amplitude != 0 ? 2 : 0;
  count += m.weekend != 1 ? 1 : 0;
  count += m.day_sigma != 0 ? 1 : 0;
  count += m.slow.sigma != 0 ? 2 : 0;
  count += m.fast.sigma != 0 ? 2 : 0;
  count += m.ceiling != 0 ? 1 : 0;
  count += m.tenants > 1 ? 2 : 0;
  count += m.on_off.is_used() ? 6 : 0;
  count += m.sessions.turns > 1 ? 3 : 0;
  for (const LengthMixture* lengths : {&m.input, &m.output})
    if (!lengths->empty()) count += static_cast<int>(3 * lengths->components.size());
  return count;
}

Hertz expected_rate(const TrafficModel& m) {
  // The mean of the smooth part over a week, by the hour's middle.
  double sum = 0;
  constexpr int kPieces = 24 * 4;
  for (int i = 0; i < kPieces; ++i) {
    const double hour = 24.0 * (i + 0.5) / kPieces;
    const double wave = std::exp(
        m.day.amplitude * std::cos(2 * std::numbers::pi * (hour - m.day.peak_hour) / 24) +
        m.half_day.amplitude * std::cos(4 * std::numbers::pi * (hour - m.half_day.peak_hour) / 24));
    for (const auto& [days, factor] : {std::pair(5.0, wave), std::pair(2.0, wave * m.weekend)})
      sum += days / 7 * factor * mean_noise(m, m.ceiling / factor);
  }
  double mean = m.base.base() * sum / kPieces;
  if (m.on_off.is_used()) {
    const double on = m.on_off.on.base();
    mean *= on / (on + m.on_off.off_least.base() + m.on_off.off.base());
  }
  return Hertz::from_base(mean);  // Later turns of sessions are part of the rate.
}

bool has_same_shape(const TrafficModel& a, const TrafficModel& b) {
  const auto shape = [](const TrafficModel& m) {
    return std::tie(m.day, m.half_day, m.weekend, m.day_sigma, m.slow, m.fast, m.ceiling, m.on_off);
  };
  return shape(a) == shape(b);
}

TrafficModel scaled_to(TrafficModel model, Hertz mean) {
  const Hertz now = expected_rate(model);
  if (now > Hertz()) model.base = model.base * (mean / now);
  return model;
}

}  // namespace loadfactor::demand
