#include "observe/peers/low_values.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::observe {
namespace {

// Continued fraction of the incomplete beta function [Numerical Recipes 6.4].
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 300;
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double delta = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = std::abs(c) < kTiny ? kTiny : c;
      delta = c * d;
      h *= delta;
    }
    if (std::abs(delta - 1) < 1e-14) break;
  }
  return h;
}

// Values [from, …) as those of one that is normal.
struct Normal {
  double mean = 0, spread = 0, count = 0;

  Normal(const std::vector<double>& rising, std::size_t from)
      : count(static_cast<double>(rising.size() - from)) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = from; i < rising.size(); ++i) sum += rising[i];
    mean = sum / count;
    for (std::size_t i = from; i < rising.size(); ++i)
      squares += (rising[i] - mean) * (rising[i] - mean);
    // GPUs of one kind differ by about a percent by their making.
    constexpr double kLeastSpread = 0.005;
    spread = std::max(kLeastSpread, std::sqrt(squares / (count - 1)));
  }
  double statistic(double value) const {
    return (value - mean) / (spread * std::sqrt(1 + 1 / count));
  }
  double chance(double value, double looks) const {
    return std::min(1.0, looks * student_tail(statistic(value), count - 1));
  }
};

// How many of the lowest are too low to be chance beside the rest [Rosner 1983]. Two that are slow
// hide each other, so that a few more are taken out before the search ends: fewer than a stage of a
// pipeline has, which differs from the others by its work.
std::size_t count_lows(const std::vector<double>& rising, const LowTest& rules) {
  const std::size_t ahead = std::max<std::size_t>(2, rising.size() / 16);
  std::size_t found = 0;
  for (std::size_t out = 1; out <= found + ahead; ++out) {
    if (rising.size() < out + kFewestPeers) break;
    const double lowest = rising[out - 1];
    if (lowest > std::log1p(-rules.least_effect)) break;
    if (Normal(rising, out).chance(lowest, rules.looks) <= rules.false_alarms) found = out;
  }
  return found;
}

}  // namespace

double student_tail(double t, double degrees) {
  const double x = degrees / (degrees + t * t);
  const double a = degrees / 2;
  const double b = 0.5;
  if (x <= 0) return 0;
  if (x >= 1) return 0.5;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  const double both = x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                                : 1 - front * beta_fraction(b, a, 1 - x) / b;
  return both / 2;
}

double middle(std::vector<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

std::vector<Low> lows_of(const std::vector<double>& rising, const LowTest& rules) {
  const std::size_t found = count_lows(rising, rules);
  std::vector<Low> lows;
  if (found == 0) return lows;
  const Normal rest(rising, found);
  for (std::size_t i = 0; i < found; ++i)
    lows.push_back({rest.statistic(rising[i]), rest.chance(rising[i], rules.looks)});
  return lows;
}

}  // namespace loadfactor::observe
