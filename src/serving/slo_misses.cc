#include "serving/slo_misses.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace loadfactor::serving {
namespace {

constexpr std::size_t kSteps = 160;
constexpr double kFewest = 1e-4;  // Fewer misses are none.

double counted(double missed) {
  return missed > kFewest * (1 + 1e-9) ? missed : 0.0;
}

double between(double a, double b, double part) {
  return std::exp((1 - part) * std::log(std::max(a, kFewest)) +
                  part * std::log(std::max(b, kFewest)));
}

// Sorted, and made never to fall.
void put_in_order(std::vector<MissSample>& samples) {
  std::sort(samples.begin(), samples.end(),
            [](const MissSample& a, const MissSample& b) { return a.rate < b.rate; });
  for (std::size_t i = 1; i < samples.size(); ++i) {
    samples[i].first = std::max(samples[i].first, samples[i - 1].first);
    samples[i].each = std::max(samples[i].each, samples[i - 1].each);
  }
}

MissSample read_off(const std::vector<MissSample>& samples, Hertz rate) {
  const auto above =
      std::lower_bound(samples.begin(), samples.end(), rate,
                       [](const MissSample& sample, Hertz wanted) { return sample.rate < wanted; });
  if (above == samples.begin()) return {rate, samples.front().first, samples.front().each};
  if (above == samples.end()) return {rate, samples.back().first, samples.back().each};
  const MissSample& a = *std::prev(above);
  const double part = (rate - a.rate) / (above->rate - a.rate);
  return {rate, between(a.first, above->first, part), between(a.each, above->each, part)};
}

}  // namespace

MissCurve::MissCurve(std::vector<MissSample> samples, Hertz full) {
  if (samples.empty() || full <= Hertz()) return;
  put_in_order(samples);
  auto points = std::make_shared<std::vector<MissSample>>();
  points->reserve(kSteps + 1);
  step_ = full / static_cast<double>(kSteps);
  for (std::size_t i = 0; i < kSteps; ++i)
    points->push_back(read_off(samples, step_ * static_cast<double>(i)));
  points->push_back({full, 1, 1});
  points_ = std::move(points);
}

MissSample MissCurve::at(Hertz rate) const {
  const double place = rate / step_;
  const auto below = static_cast<std::size_t>(std::max(0.0, place));
  if (below >= kSteps) return {rate, 1, 1};
  const MissSample& a = (*points_)[below];
  const MissSample& b = (*points_)[below + 1];
  const double part = place - static_cast<double>(below);
  return {rate, counted(a.first + part * (b.first - a.first)),
          counted(a.each + part * (b.each - a.each))};
}

MissCurve MissCurve::stretched(double by) const {
  MissCurve curve = *this;
  curve.step_ = step_ * by;
  return curve;
}

}  // namespace loadfactor::serving
