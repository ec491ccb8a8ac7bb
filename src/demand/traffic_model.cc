#include "demand/traffic_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "demand/week_factor.h"

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

double wave_at(const TrafficModel& m, double hour) {
  return std::exp(m.day.amplitude * std::cos(2 * std::numbers::pi * (hour - m.day.peak_hour) / 24) +
                  m.half_day.amplitude *
                      std::cos(4 * std::numbers::pi * (hour - m.half_day.peak_hour) / 24));
}

// The mean rate of a week, by the middles of quarter-hours.
double mean_of_days(const TrafficModel& m) {
  double sum = 0;
  constexpr int kPieces = 24 * 4;
  for (int i = 0; i < kPieces; ++i) {
    const double wave = wave_at(m, 24.0 * (i + 0.5) / kPieces);
    for (const auto& [days, factor] : {std::pair(5.0, wave), std::pair(2.0, wave * m.weekend)})
      sum += days / 7 * factor * mean_noise(m, m.ceiling / factor);
  }
  return m.base.base() * sum / kPieces;
}

// The same where the parts of the week have factors of their own.
double mean_of_parts(const TrafficModel& m) {
  constexpr double kHours = 7 * 24;
  constexpr int kPiecesPerPart = 4;
  const auto pieces = static_cast<int>(m.week.size()) * kPiecesPerPart;
  double sum = 0;
  for (int i = 0; i < pieces; ++i) {
    const double factor = factor_at(m, kHours * (i + 0.5) / pieces);
    if (factor > 0) sum += factor * mean_noise(m, m.ceiling / factor);
  }
  return m.base.base() * sum / pieces;
}

}  // namespace

double factor_at(const TrafficModel& m, double hour) {
  constexpr double kHours = 7 * 24;
  const double weekend = hour >= 5 * 24 ? m.weekend : 1;
  const double wave = wave_at(m, std::fmod(hour, 24)) * weekend;
  if (m.week.empty()) return wave;
  const auto part = static_cast<std::size_t>(hour / kHours * static_cast<double>(m.week.size()));
  return wave * m.week[std::min(part, m.week.size() - 1)];
}

void turn_week(double start, std::vector<double>& week) {
  if (week.empty()) return;
  constexpr double kHours = 7 * 24;
  const auto size = static_cast<std::ptrdiff_t>(week.size());
  auto first = std::llround(start / kHours * static_cast<double>(size)) % size;
  if (first < 0) first += size;
  std::rotate(week.begin(), week.begin() + first, week.end());
}

double amplitude_of_peak(double peak) {
  // exp(A cos) peaks at exp(A), and its mean over a turn is the Bessel function I0(A).
  const auto ratio = [](double a) { return std::exp(a) / std::cyl_bessel_i(0.0, a); };
  double low = 0;
  double high = 1;
  while (ratio(high) < peak) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (ratio(middle) < peak ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

int count_numbers(const TrafficModel& m) {
  int count = 2;  // Base and CV.
  count += m.day.amplitude != 0 ? 2 : 0;
  count += m.half_day.amplitude != 0 ? 2 : 0;
  count += m.weekend != 1 ? 1 : 0;
  count += static_cast<int>(m.week.size());
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
  double mean = m.week.empty() ? mean_of_days(m) : mean_of_parts(m);
  if (m.on_off.is_used()) {
    const double on = m.on_off.on.base();
    mean *= on / (on + m.on_off.off_least.base() + m.on_off.off.base());
  }
  return Hertz::from_base(mean);  // Later turns of sessions are part of the rate.
}

bool has_same_shape(const TrafficModel& a, const TrafficModel& b) {
  const auto shape = [](const TrafficModel& m) {
    return std::tie(m.day, m.half_day, m.weekend, m.week, m.day_sigma, m.slow, m.fast, m.ceiling,
                    m.on_off);
  };
  return shape(a) == shape(b);
}

TrafficModel scaled_to(TrafficModel model, Hertz mean) {
  const Hertz now = expected_rate(model);
  if (now > Hertz()) model.base = model.base * (mean / now);
  return model;
}

}  // namespace loadfactor::demand
