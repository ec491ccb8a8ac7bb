#include "demand/length_mixture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/distributions.h"

namespace loadfactor::demand {
namespace {

constexpr std::size_t kSampledLengths = 5'000;
constexpr std::size_t kMaxComponents = 3;
constexpr double kMinSigma = 0.02;  // A spike of one length is a narrow component.

double density(double x, const LengthComponent& c) {
  const double z = (x - c.mu) / c.sigma;
  return c.share / c.sigma * std::exp(-0.5 * z * z);
}

// Every n-th of the sorted logarithms, so that the sample keeps the shape.
std::vector<double> sorted_logs(std::span<const std::int32_t> lengths) {
  std::vector<std::int32_t> sorted;
  for (const std::int32_t length : lengths)
    if (length > 0) sorted.push_back(length);
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> logs;
  const std::size_t step = sorted.size() / kSampledLengths + 1;
  for (std::size_t i = step / 2; i < sorted.size(); i += step)
    logs.push_back(std::log(static_cast<double>(sorted[i])));
  return logs;
}

LengthComponent moments(std::span<const double> logs) {
  double sum = 0;
  double squares = 0;
  for (const double x : logs) {
    sum += x;
    squares += x * x;
  }
  const auto count = static_cast<double>(logs.size());
  const double mu = sum / count;
  return {1, mu, std::max(kMinSigma, std::sqrt(std::max(0.0, squares / count - mu * mu)))};
}

// Components from the stretches between `cuts` of the sorted logarithms.
std::vector<LengthComponent> parts(std::span<const double> logs, std::span<const double> cuts) {
  std::vector<LengthComponent> components;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const double end = i < cuts.size() ? cuts[i] : 1.0;
    const auto until = std::clamp<std::size_t>(
        static_cast<std::size_t>(end * static_cast<double>(logs.size())), from + 1, logs.size());
    components.push_back(moments(logs.subspan(from, until - from)));
    components.back().share = static_cast<double>(until - from) / static_cast<double>(logs.size());
    from = until;
  }
  return components;
}

// One round; returns the log likelihood before it.
double improve(std::span<const double> logs, std::vector<LengthComponent>& components) {
  struct Sums {
    double weight = 1e-9;
    double sum = 0;
    double squares = 0;
  };
  std::array<Sums, kMaxComponents> sums;
  std::array<double, kMaxComponents> near{};
  double likelihood = 0;
  for (const double x : logs) {
    double total = 1e-300;
    for (std::size_t i = 0; i < components.size(); ++i) {
      near[i] = density(x, components[i]);
      total += near[i];
    }
    likelihood += std::log(total);
    for (std::size_t i = 0; i < components.size(); ++i) {
      const double p = near[i] / total;
      sums[i].weight += p;
      sums[i].sum += p * x;
      sums[i].squares += p * x * x;
    }
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    auto& c = components[i];
    c.share = sums[i].weight / static_cast<double>(logs.size());
    c.mu = sums[i].sum / sums[i].weight;
    const double variance = sums[i].squares / sums[i].weight - c.mu * c.mu;
    c.sigma = std::max(kMinSigma, std::sqrt(std::max(0.0, variance)));
  }
  return likelihood;
}

double distance(std::span<const double> logs, const std::vector<LengthComponent>& components) {
  double most = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    double fitted = 0;
    for (const auto& c : components)
      fitted += c.share * 0.5 * std::erfc(-(logs[i] - c.mu) / c.sigma / std::sqrt(2.0));
    const double own = (static_cast<double>(i) + 0.5) / static_cast<double>(logs.size());
    most = std::max(most, std::abs(fitted - own));
  }
  return most;
}

}  // namespace

double LengthMixture::mean() const {
  double sum = 0;
  for (const auto& c : components) sum += c.share * std::exp(c.mu + 0.5 * c.sigma * c.sigma);
  return sum;
}

std::int32_t sample_length(const LengthMixture& mixture, RandomStream& stream) {
  const double which = stream.uniform();
  return length_of(mixture, which, normal_quantile(stream.uniform_open()));
}

std::int32_t length_of(const LengthMixture& mixture, double which, double z) {
  if (mixture.components.empty()) return 1;
  double below = 0;
  const LengthComponent* chosen = &mixture.components.back();
  for (const auto& c : mixture.components) {
    below += c.share;
    if (which < below) {
      chosen = &c;
      break;
    }
  }
  const double length = std::round(std::exp(chosen->mu + chosen->sigma * z));
  return static_cast<std::int32_t>(std::clamp(length, 1.0, static_cast<double>(mixture.most)));
}

LengthMixture fit_lengths(std::span<const std::int32_t> lengths, int most_components) {
  static const std::array<std::vector<double>, 9> kStarts{
      std::vector<double>{0.1},      std::vector<double>{0.3},      std::vector<double>{0.5},
      std::vector<double>{0.7},      std::vector<double>{0.9},      std::vector<double>{0.2, 0.6},
      std::vector<double>{0.4, 0.8}, std::vector<double>{0.3, 0.9}, std::vector<double>{0.1, 0.5}};
  LengthMixture best;
  const auto logs = sorted_logs(lengths);
  if (logs.empty()) return best;
  best.most = *std::max_element(lengths.begin(), lengths.end());
  best.components = {moments(logs)};
  constexpr std::size_t kMinLengthsForMixture = 100;
  if (logs.size() < kMinLengthsForMixture) return best;
  double nearest = distance(logs, best.components);
  for (const auto& cuts : kStarts) {
    if (static_cast<int>(cuts.size()) >= most_components) continue;
    auto components = parts(logs, cuts);
    double before = -1e300;
    for (int round = 0; round < 100; ++round) {
      const double likelihood = improve(logs, components);
      if (likelihood - before < 1e-6 * static_cast<double>(logs.size())) break;
      before = likelihood;
    }
    const double away = distance(logs, components);
    if (away < nearest) {
      nearest = away;
      best.components = components;
    }
  }
  return best;
}

LengthMixture lengths_of_mean(double mean, double coefficient_of_variation, std::int32_t most) {
  const LognormalShape shape = lognormal_shape(mean, coefficient_of_variation);
  return {{{1, shape.mu, shape.sigma}}, most};
}

LengthMixture scaled_to_mean(LengthMixture mixture, double mean) {
  const double now = mixture.mean();
  if (now <= 0 || mean <= 0) return mixture;
  for (auto& c : mixture.components) c.mu += std::log(mean / now);
  return mixture;
}

}  // namespace loadfactor::demand
