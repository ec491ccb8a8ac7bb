#include "demand/describe/week_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/calendar.h"
#include "demand/describe/characterise.h"
#include "demand/describe/week_hours.h"

namespace loadfactor::demand {
namespace {

constexpr std::size_t kTerms = 6;  // Constant, two waves of two terms, weekend.
constexpr double kWindow = 600;

struct Sample {
  double hour = 0;  // Hour of the week, from Monday.
  double log_rate = 0;
  double noise = 0;  // Variance of log_rate from counting alone.
};
using Row = std::array<double, kTerms>;

Row terms(double hour, bool has_weekend) {
  const double angle = 2 * std::numbers::pi * hour / 24;
  const bool weekend = has_weekend && hour >= 5 * 24;
  return {1,
          std::cos(angle),
          std::sin(angle),
          std::cos(2 * angle),
          std::sin(2 * angle),
          weekend ? 1.0 : 0.0};
}

// Solves the normal equations by elimination; a term that the data cannot tell stays 0.
Row solve(std::array<Row, kTerms> matrix, Row right) {
  Row solution{};
  std::array<bool, kTerms> used{};
  for (std::size_t i = 0; i < kTerms; ++i) {
    constexpr double kSingular = 1e-9;
    if (std::abs(matrix[i][i]) < kSingular) continue;
    used[i] = true;
    for (std::size_t j = 0; j < kTerms; ++j) {
      if (j == i) continue;
      const double factor = matrix[j][i] / matrix[i][i];
      for (std::size_t k = 0; k < kTerms; ++k) matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i)
    if (used[i]) solution[i] = right[i] / matrix[i][i];
  return solution;
}

Wave wave_of(double cosine, double sine, double cycles) {
  double hour = std::atan2(sine, cosine) / (2 * std::numbers::pi) * 24 / cycles;
  if (hour < 0) hour += 24 / cycles;
  return {std::hypot(cosine, sine), hour};
}

// Standard deviation and relaxation of what the regular part leaves over.
LogNoise noise_of(const std::vector<double>& rest, const std::vector<Sample>& samples) {
  double variance = 0;
  double counted = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    variance += rest[i] * rest[i];
    counted += samples[i].noise;
  }
  variance = std::max(0.0, (variance - counted) / static_cast<double>(rest.size()));
  // The lag at which the correlation falls below 1/e, by steps of a window.
  std::size_t lag = 1;
  for (; lag + 1 < rest.size() / 4; ++lag) {
    double product = 0;
    for (std::size_t i = lag; i < rest.size(); ++i) product += rest[i] * rest[i - lag];
    product /= static_cast<double>(rest.size() - lag);
    if (product < variance / std::numbers::e) break;
  }
  return {std::sqrt(variance), Seconds::from_base(static_cast<double>(lag) * kWindow)};
}

// Whether weekends can be told: the stamps have dates, and there is a day of each kind.
bool shows_weekend(const std::vector<Sample>& samples, bool has_calendar) {
  constexpr double kSaturday = 120;  // Hour of the week at which it begins.
  constexpr std::ptrdiff_t kDayOfWindows = 144;
  const auto weekend = std::count_if(samples.begin(), samples.end(),
                                     [](const Sample& s) { return s.hour >= kSaturday; });
  return has_calendar && weekend >= kDayOfWindows && std::ssize(samples) - weekend >= kDayOfWindows;
}

double fit_samples(const std::vector<Sample>& samples, bool has_calendar, TrafficModel& model) {
  if (samples.size() < 2 * kTerms) return 0;
  const bool has_weekend = shows_weekend(samples, has_calendar);
  std::array<Row, kTerms> matrix{};
  Row right{};
  double mean = 0;
  for (const auto& s : samples) {
    const Row row = terms(s.hour, has_weekend);
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) matrix[i][j] += row[i] * row[j];
      right[i] += row[i] * s.log_rate;
    }
    mean += s.log_rate / static_cast<double>(samples.size());
  }
  const Row fitted = solve(matrix, right);
  std::vector<double> rest;
  double total = 0;
  double left = 0;
  for (const auto& s : samples) {
    const Row row = terms(s.hour, has_weekend);
    double regular = 0;
    for (std::size_t i = 0; i < kTerms; ++i) regular += fitted[i] * row[i];
    rest.push_back(s.log_rate - regular);
    left += rest.back() * rest.back();
    total += (s.log_rate - mean) * (s.log_rate - mean);
  }
  model.base = Hertz::from_base(std::exp(fitted[0]));
  model.day = wave_of(fitted[1], fitted[2], 1);
  model.half_day = wave_of(fitted[3], fitted[4], 2);
  model.weekend = has_weekend ? std::exp(fitted[5]) : 1;
  model.slow = noise_of(rest, samples);
  return total > 0 ? 1 - left / total : 0;
}

double hours_since_monday(double seconds, Nanoseconds origin, bool has_calendar) {
  double hours = seconds / kHour.base();
  if (has_calendar)
    hours += static_cast<double>(origin / kNanosecondsPerSecond) / kHour.base() +
             static_cast<double>(kHoursFromMonday);
  return std::fmod(hours, static_cast<double>(kHoursOfWeek));
}

// Scaled to the mean, and never busier than the busiest minute.
TrafficModel under_ceiling(TrafficModel model, Hertz mean, Hertz peak) {
  constexpr int kRounds = 30;  // The base moves with the ceiling, by less and less.
  for (int i = 0; i < kRounds; ++i) {
    model = scaled_to(model, mean);
    model.ceiling = std::max(1.0, peak / model.base);
  }
  return scaled_to(model, mean);
}

}  // namespace

double fit_week(const RateProfile& profile, TrafficModel& model) {
  const Characterisation c = characterise(profile);
  std::vector<Sample> samples;
  const double width =
      std::max(kWindow, static_cast<double>(profile.windows.front().length) * 1e-9);
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    if (c.series[i] <= 0) continue;
    const double middle = (static_cast<double>(i) + 0.5) * width;
    samples.push_back({hours_since_monday(middle, profile.origin, profile.has_calendar),
                       std::log(c.series[i]), 1 / (c.series[i] * width)});
  }
  return fit_samples(samples, profile.has_calendar, model);
}

double fit_week(const Trace& trace, TrafficModel& model) {
  const Characterisation c = characterise(trace);
  std::vector<Sample> samples;
  const WindowStatistics* minute = c.window(60);
  const double dispersion = minute != nullptr ? std::max(1.0, minute->dispersion) : 1;
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    if (c.series[i] <= 0) continue;
    const double middle = (static_cast<double>(i) + 0.5) * kWindow;
    const double count = c.series[i] * kWindow;
    samples.push_back({hours_since_monday(middle, trace.origin, trace.has_calendar),
                       std::log(c.series[i]), std::min(0.5, std::min(dispersion, 5.0) / count)});
  }
  const Hertz mean = model.base;
  const double explained = fit_samples(samples, trace.has_calendar, model);
  if (model.base > Hertz())
    model = minute != nullptr ? under_ceiling(model, mean, minute->peak) : scaled_to(model, mean);
  return explained;
}

}  // namespace loadfactor::demand
