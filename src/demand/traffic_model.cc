#include "demand/traffic_model.h"

#include <cmath>
#include <numbers>

namespace loadfactor::demand {

int count_numbers(const TrafficModel& m) {
  int count = 2;  // Base and CV.
  count += m.day.amplitude != 0 ? 2 : 0;
  count += m.half_day.amplitude != 0 ? 2 : 0;
  count += m.weekend != 1 ? 1 : 0;
  count += m.day_sigma != 0 ? 1 : 0;
  count += m.slow.sigma != 0 ? 2 : 0;
  count += m.fast.sigma != 0 ? 2 : 0;
  count += m.tenants > 1 ? 2 : 0;
  count += m.on_off.is_used() ? 6 : 0;
  count += m.sessions.turns > 1 ? 3 : 0;
  for (const LengthMixture* lengths : {&m.input, &m.output})
    if (!lengths->empty()) count += static_cast<int>(3 * lengths->components.size());
  return count;
}

Hertz expected_rate(const TrafficModel& m) {
  // The mean of the smooth part over a week, by the hour's middle.
  TrafficModel still = m;
  double sum = 0;
  constexpr int kPieces = 24 * 4;
  for (int i = 0; i < kPieces; ++i) {
    const double hour = 24.0 * (i + 0.5) / kPieces;
    sum += std::exp(still.day.amplitude *
                        std::cos(2 * std::numbers::pi * (hour - still.day.peak_hour) / 24) +
                    still.half_day.amplitude *
                        std::cos(4 * std::numbers::pi * (hour - still.half_day.peak_hour) / 24));
  }
  double mean = m.base.base() * sum / kPieces * (5 + 2 * m.weekend) / 7;
  mean *= std::exp(0.5 * m.slow.sigma * m.slow.sigma);
  if (m.on_off.is_used()) {
    const double on = m.on_off.on.base();
    mean *= on / (on + m.on_off.off_least.base() + m.on_off.off.base());
  }
  return Hertz::from_base(mean);  // Later turns of sessions are part of the rate.
}

TrafficModel scaled_to(TrafficModel model, Hertz mean) {
  const Hertz now = expected_rate(model);
  if (now > Hertz()) model.base = model.base * (mean / now);
  return model;
}

}  // namespace loadfactor::demand
