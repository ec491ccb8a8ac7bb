#include "demand/describe/lengths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loadfactor::demand {
namespace {

double interpolated(const std::vector<std::int32_t>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return static_cast<double>(sorted[below]) * (1 - share) +
         static_cast<double>(sorted[above]) * share;
}

double normal_probability(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

// `sorted` holds lengths above zero only.
void fit_lognormal(std::span<const std::int32_t> sorted, LengthStatistics& into) {
  if (sorted.empty()) return;
  const auto count = static_cast<double>(sorted.size());
  double sum = 0;
  for (const std::int32_t length : sorted) sum += std::log(static_cast<double>(length));
  const double mu = sum / count;
  double squares = 0;
  for (const std::int32_t length : sorted) {
    const double distance = std::log(static_cast<double>(length)) - mu;
    squares += distance * distance;
  }
  const double sigma = std::sqrt(squares / count);
  into.lognormal_mu = mu;
  into.lognormal_sigma = sigma;
  if (sigma == 0) return;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first + 1;
    while (last < sorted.size() && sorted[last] == sorted[first]) ++last;
    const double fitted =
        normal_probability((std::log(static_cast<double>(sorted[first])) - mu) / sigma);
    const double below = std::abs(fitted - static_cast<double>(first) / count);
    const double above = std::abs(static_cast<double>(last) / count - fitted);
    into.lognormal_ks = std::max({into.lognormal_ks, below, above});
    first = last;
  }
}

// Ranks from 1, equal values at their mean rank.
std::vector<double> ranks(std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&values](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double middle = 0.5 * static_cast<double>(first + last + 1);
    for (std::size_t i = first; i < last; ++i) rank[order[i]] = middle;
    first = last;
  }
  return rank;
}

}  // namespace

std::vector<std::int32_t> input_lengths(const Trace& trace) {
  std::vector<std::int32_t> lengths;
  lengths.reserve(trace.size());
  for (const auto& request : trace.requests) lengths.push_back(request.input);
  return lengths;
}

std::vector<std::int32_t> output_lengths(const Trace& trace) {
  std::vector<std::int32_t> lengths;
  lengths.reserve(trace.size());
  for (const auto& request : trace.requests) lengths.push_back(request.output);
  return lengths;
}

LengthStatistics describe_lengths(std::span<const std::int32_t> lengths) {
  LengthStatistics s;
  if (lengths.empty()) return s;
  std::vector<std::int32_t> sorted(lengths.begin(), lengths.end());
  std::sort(sorted.begin(), sorted.end());
  s.count = static_cast<std::int64_t>(sorted.size());
  const auto count = static_cast<double>(sorted.size());
  double sum = 0;
  double squares = 0;
  for (const std::int32_t length : sorted) {
    sum += length;
    squares += static_cast<double>(length) * length;
  }
  s.mean = sum / count;
  if (s.mean > 0) s.cv = std::sqrt(std::max(0.0, squares / count - s.mean * s.mean)) / s.mean;
  for (std::size_t i = 0; i < kLengthPercentiles.size(); ++i)
    s.percentiles[i] = interpolated(sorted, kLengthPercentiles[i] / 100.0);
  s.longest = sorted.back();
  const auto first_positive = std::upper_bound(sorted.begin(), sorted.end(), 0);
  s.zeros = first_positive - sorted.begin();
  fit_lognormal(std::span(sorted).subspan(static_cast<std::size_t>(s.zeros)), s);
  return s;
}

double rank_correlation(std::span<const std::int32_t> x, std::span<const std::int32_t> y) {
  if (x.size() < 2 || x.size() != y.size()) return 0;
  const auto a = ranks(x);
  const auto b = ranks(y);
  const double middle = 0.5 * static_cast<double>(x.size() + 1);
  double both = 0;
  double in_a = 0;
  double in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - middle) * (b[i] - middle);
    in_a += (a[i] - middle) * (a[i] - middle);
    in_b += (b[i] - middle) * (b[i] - middle);
  }
  return in_a > 0 && in_b > 0 ? both / std::sqrt(in_a * in_b) : 0;
}

double kolmogorov_distance(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  if (a.empty() || b.empty()) return 0;
  std::vector<std::int32_t> x(a.begin(), a.end());
  std::vector<std::int32_t> y(b.begin(), b.end());
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  double distance = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.size() && j < y.size()) {
    const std::int32_t at = std::min(x[i], y[j]);
    while (i < x.size() && x[i] == at) ++i;
    while (j < y.size() && y[j] == at) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / static_cast<double>(x.size()) -
                                           static_cast<double>(j) / static_cast<double>(y.size())));
  }
  return distance;
}

}  // namespace loadfactor::demand
