#include "calibrate/site/site_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "calibrate/linear_solve.h"

namespace loadfactor::calibrate {
namespace {

using Observations = std::span<const SiteObservation>;
using Priors = std::span<const TermPrior>;

double sum_of(std::span<const double> terms, std::span<const double> logs) {
  double sum = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) sum += std::exp(logs[t]) * terms[t];
  return sum;
}

bool is_sound(const SiteObservation& seen, std::size_t count) {
  return seen.terms.size() == count && seen.measured > 0 && seen.predicted() > 0;
}

// No factor moves by more widths than this: what is further off is no machine of this kind.
constexpr double kMaxDeviations = 3;

// The normal matrix and right side of one Gauss–Newton step.
struct Normal {
  SymmetricMatrix matrix;
  std::vector<double> right;
};

Normal normal_at(Priors priors, Observations observations, std::span<const double> logs) {
  const std::size_t n = priors.size();
  Normal normal{SymmetricMatrix(n), std::vector<double>(n, 0.0)};
  for (std::size_t t = 0; t < n; ++t) {
    const double weight = 1.0 / (priors[t].width * priors[t].width);
    normal.matrix.at(t, t) += weight;
    normal.right[t] -= weight * logs[t];
  }
  for (const SiteObservation& seen : observations) {
    if (!is_sound(seen, n)) continue;
    const double total = sum_of(seen.terms, logs);
    const double weight = 1.0 / (seen.noise * seen.noise);
    const double residual = std::log(seen.measured / total);
    for (std::size_t i = 0; i < n; ++i) {
      const double slope = std::exp(logs[i]) * seen.terms[i] / total;
      normal.right[i] += weight * slope * residual;
      for (std::size_t j = 0; j <= i; ++j)
        normal.matrix.at(i, j) += weight * slope * std::exp(logs[j]) * seen.terms[j] / total;
    }
  }
  return normal;
}

// How far measurements and factors lie from what is expected, which the likeliest factors make the
// least of. The terms of a figure near its cliff are its slopes, which may be larger than the
// figure itself: factors that leave less than nothing of it are infinitely far.
double misfit(Priors priors, Observations observations, std::span<const double> logs) {
  double sum = 0;
  for (std::size_t t = 0; t < logs.size(); ++t)
    sum += logs[t] * logs[t] / (priors[t].width * priors[t].width);
  for (const SiteObservation& seen : observations) {
    if (!is_sound(seen, logs.size())) continue;
    const double total = sum_of(seen.terms, logs);
    if (!(total > 0)) return std::numeric_limits<double>::infinity();
    const double off = std::log(seen.measured / total) / seen.noise;
    sum += off * off;
  }
  return sum;
}

// The factors after so large a part of a step.
std::vector<double> stepped(Priors priors, std::span<const double> logs,
                            std::span<const double> step, double part) {
  constexpr double kFarthest = 0.5;  // The longest step, in logarithms.
  std::vector<double> next;
  for (std::size_t t = 0; t < logs.size(); ++t) {
    const double most = kMaxDeviations * priors[t].width;
    next.push_back(
        std::clamp(logs[t] + part * std::clamp(step[t], -kFarthest, kFarthest), -most, most));
  }
  return next;
}

std::vector<double> most_likely(Priors priors, Observations observations) {
  constexpr int kRounds = 50;
  constexpr double kShortest = 1e-6;  // Part of a step.
  std::vector<double> logs(priors.size(), 0.0);
  for (int round = 0; round < kRounds; ++round) {
    Normal normal = normal_at(priors, observations, logs);
    const auto step = solve(std::move(normal.matrix), std::move(normal.right));
    const double most = misfit(priors, observations, logs) * (1 + 1e-9) + 1e-9;
    double part = 1;
    std::vector<double> next = stepped(priors, logs, step, part);
    while (misfit(priors, observations, next) > most && part > kShortest)
      next = stepped(priors, logs, step, part /= 2);
    if (misfit(priors, observations, next) > most) break;
    double largest = 0;
    for (std::size_t t = 0; t < logs.size(); ++t)
      largest = std::max(largest, std::abs(next[t] - logs[t]));
    logs = std::move(next);
    if (largest < 1e-10) break;
  }
  return logs;
}

// Whether what was measured is further off than terms and noise together explain.
bool is_strange(Priors priors, const SiteObservation& seen) {
  const double total = seen.predicted();
  double variance = seen.noise * seen.noise;
  for (std::size_t t = 0; t < priors.size(); ++t) {
    const double share = seen.terms[t] / total * priors[t].width;
    variance += share * share;
  }
  return std::abs(std::log(seen.measured / total)) > kMaxDeviations * std::sqrt(variance);
}

// How far measurements and factors lie from what they were expected to be, beyond what chance
// does in nineteen of twenty; 1 where they agree. Widening errors by it goes back to Birge (1932).
double strain_of(Priors priors, Observations observations, std::span<const double> logs) {
  if (observations.empty()) return 1;
  double sum = 0;
  for (const SiteObservation& seen : observations) {
    const double off = std::log(sum_of(seen.terms, logs) / seen.measured) / seen.noise;
    sum += off * off;
  }
  for (std::size_t t = 0; t < priors.size(); ++t)
    sum += logs[t] * logs[t] / (priors[t].width * priors[t].width);
  // Mean and two deviations of a sum of so many squares.
  const auto count = static_cast<double>(observations.size());
  return std::max(1.0, std::sqrt(sum / (count + 2 * std::sqrt(2 * count))));
}

// What is predicted to take no time at all is as far off as can be.
double log_error(const SiteObservation& seen, std::span<const double> logs) {
  return std::log(std::max(0.0, sum_of(seen.terms, logs)) / seen.measured);
}

}  // namespace

double SiteObservation::predicted() const {
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

SiteErrors error_figures(std::vector<double> log_ratios) {
  if (log_ratios.empty()) return {};
  for (double& value : log_ratios) value = std::abs(std::expm1(value));
  std::sort(log_ratios.begin(), log_ratios.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(log_ratios.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, log_ratios.size() - 1);
    return log_ratios[below] +
           (place - static_cast<double>(below)) * (log_ratios[above] - log_ratios[below]);
  };
  return {at(0.5), at(0.9)};
}

double apply_terms(std::span<const SiteTerm> fitted, std::span<const double> terms) {
  double sum = 0;
  for (std::size_t t = 0; t < terms.size() && t < fitted.size(); ++t)
    sum += fitted[t].factor * terms[t];
  return sum;
}

bool SiteFit::refuted() const {
  // A cluster that is far slower than the model is taken as long as its terms can follow it: their
  // errors are widened by as much. What is still this far off after the fit is something else.
  constexpr double kFollowed = 0.15;
  if (observations == 0) return false;
  return (2 * strange > observations && after.median > kFollowed) ||
         (observations > 1 && after.median > before.median);
}

SiteFit fit_terms(Priors priors, Observations observations) {
  const std::size_t n = priors.size();
  std::vector<SiteObservation> sound;
  for (const SiteObservation& seen : observations) {
    if (is_sound(seen, n)) sound.push_back(seen);
  }
  SiteFit fit;
  fit.observations = static_cast<int>(sound.size());
  const std::vector<double> logs = most_likely(priors, sound);
  const auto variances = inverse_diagonal(normal_at(priors, sound, logs).matrix);
  fit.strain = strain_of(priors, sound, logs);
  for (std::size_t t = 0; t < n; ++t)
    fit.terms.push_back(
        {priors[t].name, std::exp(logs[t]), priors[t].width, fit.strain * std::sqrt(variances[t])});
  for (const SiteObservation& seen : sound) {
    if (!is_strange(priors, seen)) continue;
    ++fit.strange;
    if (seen.measured >= seen.predicted()) continue;
    ++fit.faster;
    fit.fastest = std::max(fit.fastest, seen.predicted() / seen.measured);
  }
  const std::vector<double> none(n, 0.0);
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> held_out;
  for (std::size_t i = 0; i < sound.size(); ++i) {
    before.push_back(log_error(sound[i], none));
    after.push_back(log_error(sound[i], logs));
    std::vector<SiteObservation> others;
    for (std::size_t j = 0; j < sound.size(); ++j) {
      const bool same_run = !sound[i].group.empty() && sound[j].group == sound[i].group;
      if (j != i && !same_run) others.push_back(sound[j]);
    }
    held_out.push_back(log_error(sound[i], most_likely(priors, others)));
  }
  fit.before = error_figures(std::move(before));
  fit.after = error_figures(std::move(after));
  fit.held_out = error_figures(std::move(held_out));
  return fit;
}

}  // namespace loadfactor::calibrate
