#include "calibrate/site_gap.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::calibrate {
namespace {

using Observations = std::span<const SiteObservation>;

// How the observations look were one term alone multiplied by e^log.
struct OneTerm {
  double log = 0;
  double evidence = 0;  // Logarithm of the likelihood, the factor averaged over its prior.
};

double predicted_with(const SiteObservation& seen, std::size_t term, double log) {
  return seen.predicted() + std::expm1(log) * seen.terms[term];
}

OneTerm explain_by(std::size_t term, const TermPrior& prior, Observations observations) {
  constexpr int kRounds = 60;
  OneTerm found;
  double curvature = 0;
  for (int round = 0; round < kRounds; ++round) {
    double slope_sum = -found.log / (prior.width * prior.width);
    curvature = 1.0 / (prior.width * prior.width);
    for (const SiteObservation& seen : observations) {
      const double total = predicted_with(seen, term, found.log);
      const double slope = std::exp(found.log) * seen.terms[term] / total;
      const double weight = 1.0 / (seen.noise * seen.noise);
      slope_sum += weight * slope * std::log(seen.measured / total);
      curvature += weight * slope * slope;
    }
    const double step = std::clamp(slope_sum / curvature, -0.5, 0.5);
    found.log += step;
    if (std::abs(step) < 1e-12) break;
  }
  double misfit = found.log * found.log / (prior.width * prior.width);
  for (const SiteObservation& seen : observations) {
    const double off = std::log(seen.measured / predicted_with(seen, term, found.log)) / seen.noise;
    misfit += off * off;
  }
  found.evidence = -0.5 * misfit - 0.5 * std::log(curvature * prior.width * prior.width);
  return found;
}

// Observations whose sizes make sense, as means of a step.
std::vector<SiteObservation> sound_of(Observations observations, std::size_t terms) {
  std::vector<SiteObservation> sound;
  for (const SiteObservation& seen : observations) {
    if (seen.terms.size() == terms && seen.measured > 0 && seen.predicted() > 0)
      sound.push_back(seen);
  }
  return sound;
}

// A term that varies in its share from step to step is told from the others.
std::string next_measurement(std::span<const GapShare> shares) {
  if (shares.size() < 2) return {};
  return "a step in which '" + shares[0].term + "' and '" + shares[1].term +
         "' have other shares: another batch, layout or number of GPUs";
}

}  // namespace

GapAnswer attribute_gap(std::span<const TermPrior> priors, Observations observations) {
  GapAnswer answer;
  const auto sound = sound_of(observations, priors.size());
  if (sound.empty()) return answer;
  const double count = static_cast<double>(sound.size());
  for (const SiteObservation& seen : sound) {
    answer.predicted += seen.predicted() / count;
    answer.measured += seen.measured / count;
  }
  std::vector<OneTerm> found;
  double most = -1e300;
  for (std::size_t t = 0; t < priors.size(); ++t) {
    found.push_back(explain_by(t, priors[t], sound));
    most = std::max(most, found.back().evidence);
  }
  double all = 0;
  for (const OneTerm& one : found) all += std::exp(one.evidence - most);
  double explained = 0;
  for (std::size_t t = 0; t < priors.size(); ++t) {
    GapShare share{priors[t].name, std::exp(found[t].evidence - most) / all,
                   std::exp(found[t].log)};
    for (const SiteObservation& seen : sound)
      share.seconds += share.likelihood * std::expm1(found[t].log) * seen.terms[t] / count;
    explained += share.seconds;
    if (answer.gap() != 0) share.share = share.seconds / answer.gap();
    answer.shares.push_back(std::move(share));
  }
  std::stable_sort(
      answer.shares.begin(), answer.shares.end(),
      [](const GapShare& a, const GapShare& b) { return a.likelihood > b.likelihood; });
  answer.unexplained = answer.gap() - explained;
  constexpr double kClear = 9;
  answer.settled = answer.shares.size() < 2 ||
                   answer.shares[0].likelihood > kClear * answer.shares[1].likelihood;
  if (!answer.settled) answer.next = next_measurement(answer.shares);
  return answer;
}

}  // namespace loadfactor::calibrate
