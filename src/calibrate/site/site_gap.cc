#include "calibrate/site/site_gap.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace loadfactor::calibrate {
namespace {

using Observations = std::span<const SiteObservation>;
using Terms = std::span<const GapTerm>;

// Below this share of every step a term is not looked for.
constexpr double kTrace = 0.003;
// Shares that differ by less are those of one layout.
constexpr double kSameLayout = 0.005;
// No factor moves by more widths than this.
constexpr double kMaxWidths = 4;
// What is measured where nothing else is said.
constexpr const char* kStep = "step";
// How much likelier than the next a group must be.
constexpr double kClear = 9;

// The scatter is a multiple of what each observation states: from steps that are exact to digits
// to steps a tenth off, each as likely as the other on a logarithmic scale. One layout says
// nothing of it, and what is stated stands.
std::vector<double> scatters(int layouts) {
  constexpr double kSmallestScatter = 1e-3;
  constexpr double kRatio = 1.7782794100389228;  // Four to a decade.
  constexpr double kLargestScatter = 10.1;
  if (layouts < 2) return {1.0};
  std::vector<double> all;
  for (double scale = kSmallestScatter; scale < kLargestScatter; scale *= kRatio)
    all.push_back(scale);
  return all;
}

// Terms that are off together by one factor. None: nothing is off.
struct Hypothesis {
  std::vector<std::size_t> members;
  double width = 0;
  std::string group;
  double weight = 1;  // Prior likelihood; those of a group sum to 1.

  double log = 0;         // Mean of the factor's logarithm after measuring.
  double likelihood = 0;  // The likelihood after measuring; all sum to 1.

  double seconds(const SiteObservation& seen) const {
    double sum = 0;
    for (const std::size_t term : members) sum += seen.terms[term];
    return sum;
  }
};

// One factor under one scatter.
struct Fitted {
  double log = 0;
  double evidence = 0;  // Logarithm of the likelihood, the factor averaged over its prior.
};

// Slopes near a cliff are larger than the figure itself: something is left of it all the same.
double total_with(const Hypothesis& one, const SiteObservation& seen, double log) {
  constexpr double kLeast = 1e-3;
  return std::max(kLeast * seen.predicted(),
                  seen.predicted() + std::expm1(log) * one.seconds(seen));
}

double off_by(const Hypothesis& one, const SiteObservation& seen, double log) {
  return std::log(seen.measured / total_with(one, seen, log));
}

// Newton's steps to the likeliest factor; returns the curvature there.
double settle(const Hypothesis& one, Observations observations, double scale, double& log) {
  constexpr int kRounds = 60;
  const double prior = 1 / (one.width * one.width);
  const double most = kMaxWidths * one.width;
  double curvature = prior;
  for (int round = 0; round < kRounds; ++round) {
    double slope_sum = -log * prior;
    curvature = prior;
    for (const SiteObservation& seen : observations) {
      const double slope = std::exp(log) * one.seconds(seen) / total_with(one, seen, log);
      const double sigma = scale * seen.noise;
      slope_sum += slope * off_by(one, seen, log) / (sigma * sigma);
      curvature += slope * slope / (sigma * sigma);
    }
    const double next = std::clamp(log + std::clamp(slope_sum / curvature, -0.5, 0.5), -most, most);
    const bool still = std::abs(next - log) < 1e-12;
    log = next;
    if (still) break;
  }
  return curvature;
}

Fitted fit_under(const Hypothesis& one, Observations observations, double scale) {
  Fitted fitted;
  if (!one.members.empty()) {
    const double curvature = settle(one, observations, scale, fitted.log);
    const double widths = fitted.log / one.width;
    fitted.evidence = -0.5 * widths * widths - 0.5 * std::log(curvature * one.width * one.width);
  }
  for (const SiteObservation& seen : observations) {
    const double sigma = scale * seen.noise;
    const double off = off_by(one, seen, fitted.log) / sigma;
    fitted.evidence += -0.5 * off * off - std::log(sigma);
  }
  return fitted;
}

// Weighs the hypotheses by what was measured, averaged over scatters.
void weigh(std::vector<Hypothesis>& all, Observations observations, int layouts) {
  std::vector<std::vector<Fitted>> fits(all.size());
  double most = -1e300;
  for (std::size_t h = 0; h < all.size(); ++h) {
    for (const double scale : scatters(layouts)) {
      fits[h].push_back(fit_under(all[h], observations, scale));
      most = std::max(most, fits[h].back().evidence);
    }
  }
  double sum = 0;
  for (std::size_t h = 0; h < all.size(); ++h) {
    for (const Fitted& fit : fits[h]) {
      const double weight = all[h].weight * std::exp(fit.evidence - most);
      all[h].likelihood += weight;
      all[h].log += weight * fit.log;
    }
    if (all[h].likelihood > 0) all[h].log /= all[h].likelihood;
    sum += all[h].likelihood;
  }
  for (Hypothesis& one : all) one.likelihood /= sum;
}

double largest_share(std::size_t term, Observations observations) {
  double largest = 0;
  for (const SiteObservation& seen : observations)
    largest = std::max(largest, seen.terms[term] / seen.predicted());
  return largest;
}

// Every term that can be seen, the terms of each group together, and nothing.
std::vector<Hypothesis> hypotheses(Terms terms, Observations observations) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (terms[t].width > 0 && largest_share(t, observations) >= kTrace)
      groups[terms[t].group].push_back(t);
  }
  std::vector<Hypothesis> all{Hypothesis{}};
  for (const auto& [group, members] : groups) {
    const bool several = members.size() > 1;
    const double weight = 1 / static_cast<double>(members.size() + (several ? 1 : 0));
    double narrowest = terms[members[0]].width;
    for (const std::size_t t : members) {
      all.push_back({{t}, terms[t].width, group, weight});
      narrowest = std::min(narrowest, terms[t].width);
    }
    if (several) all.push_back({members, narrowest, group, weight});
  }
  return all;
}

int count_layouts(Observations observations) {
  std::vector<const SiteObservation*> distinct;
  for (const SiteObservation& seen : observations) {
    const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const auto* other) {
      for (std::size_t t = 0; t < seen.terms.size(); ++t) {
        const double here = seen.terms[t] / seen.predicted();
        if (std::abs(here - other->terms[t] / other->predicted()) > kSameLayout) return false;
      }
      return true;
    });
    if (!known) distinct.push_back(&seen);
  }
  return static_cast<int>(distinct.size());
}

// What one hypothesis takes of the gap goes to its members by their seconds.
void share_out(const Hypothesis& one, Observations observations, GapFigure& figure) {
  double mean = 0;
  for (const SiteObservation& seen : observations)
    mean += one.seconds(seen) / static_cast<double>(observations.size());
  if (mean <= 0) return;
  const double gap = figure.gap();
  const double explained = gap != 0 ? std::clamp(std::expm1(one.log) * mean / gap, 0.0, 1.0) : 0;
  for (const std::size_t t : one.members) {
    double own = 0;
    for (const SiteObservation& seen : observations)
      own += seen.terms[t] / static_cast<double>(observations.size());
    GapShare& share = figure.shares[t];
    const double part = one.likelihood * own / mean;
    if (part > share.likelihood) share.factor = std::exp(one.log);
    share.likelihood += part;
    share.share += part * explained;
    share.seconds += part * explained * gap;
  }
}

void sum_groups(GapFigure& figure) {
  for (const GapShare& share : figure.shares) {
    auto place = std::find_if(figure.groups.begin(), figure.groups.end(),
                              [&](const GapGroup& group) { return group.name == share.group; });
    if (place == figure.groups.end()) place = figure.groups.insert(place, GapGroup{share.group});
    place->likelihood += share.likelihood;
    place->seconds += share.seconds;
    place->share += share.share;
  }
}

GapFigure figure_of(const std::string& name, Terms terms, Observations observations,
                    const std::vector<Hypothesis>& all) {
  GapFigure figure;
  figure.name = name;
  figure.count = static_cast<int>(observations.size());
  for (const SiteObservation& seen : observations) {
    figure.predicted += seen.predicted() / figure.count;
    figure.measured += seen.measured / figure.count;
  }
  for (const GapTerm& term : terms) figure.shares.push_back({term.name, term.group});
  for (const Hypothesis& one : all) share_out(one, observations, figure);
  std::erase_if(figure.shares, [](const GapShare& share) { return share.likelihood <= 0; });
  sum_groups(figure);
  figure.unexplained = figure.gap();
  for (const GapShare& share : figure.shares) figure.unexplained -= share.seconds;
  const auto larger = [](const auto& a, const auto& b) {
    return std::pair(a.share, a.likelihood) > std::pair(b.share, b.likelihood);
  };
  std::stable_sort(figure.shares.begin(), figure.shares.end(), larger);
  std::stable_sort(figure.groups.begin(), figure.groups.end(), larger);
  return figure;
}

// Likelihoods of the groups, largest first.
std::vector<std::pair<double, std::string>> ranking(const std::vector<Hypothesis>& all) {
  std::map<std::string, double> sums;
  for (const Hypothesis& one : all) {
    if (!one.members.empty()) sums[one.group] += one.likelihood;
  }
  std::vector<std::pair<double, std::string>> ranks;
  for (const auto& [group, likelihood] : sums) ranks.emplace_back(likelihood, group);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return ranks;
}

// A group that varies in its share from step to step is told from the others.
void judge(const std::vector<Hypothesis>& all, GapAnswer& answer) {
  const auto ranks = ranking(all);
  if (ranks.empty()) return;
  const double next = ranks.size() > 1 ? ranks[1].first : 0.0;
  answer.settled = answer.layouts > 1 && ranks[0].first > kClear * std::max(next, answer.nothing);
  if (answer.settled) return;
  const bool step = answer.figures.front().name == kStep;
  const char* other = step ? "another batch, layout or number of GPUs"
                           : "another load, length of prompts or layout";
  answer.next = ranks.size() > 1
                    ? fmt::format("a {} in which '{}' and '{}' have other shares: {}",
                                  step ? "step" : "run", ranks[0].second, ranks[1].second, other)
                    : other;
}

}  // namespace

bool GapAnswer::within_scatter() const {
  return std::all_of(figures.begin(), figures.end(), [&](const GapFigure& figure) {
    return std::all_of(figure.groups.begin(), figure.groups.end(),
                       [&](const GapGroup& group) { return group.likelihood < nothing; });
  });
}

GapAnswer attribute_gap(Terms terms, Observations observations,
                        std::span<const std::string> kinds) {
  GapAnswer answer;
  std::vector<SiteObservation> sound;
  std::vector<std::pair<std::string, std::vector<SiteObservation>>> figures;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const SiteObservation& seen = observations[i];
    if (seen.terms.size() != terms.size() || !(seen.measured > 0) || !(seen.predicted() > 0))
      continue;
    sound.push_back(seen);
    const std::string kind = i < kinds.size() ? kinds[i] : kStep;
    auto place = std::find_if(figures.begin(), figures.end(),
                              [&](const auto& figure) { return figure.first == kind; });
    if (place == figures.end()) place = figures.insert(place, {kind, {}});
    place->second.push_back(seen);
  }
  if (sound.empty()) return answer;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const double largest = largest_share(t, sound);
    if (terms[t].width > 0 && largest > 0 && largest < kTrace)
      answer.unseen.push_back({terms[t].name, largest});
  }
  for (const auto& [kind, seen] : figures)
    answer.layouts = std::max(answer.layouts, count_layouts(seen));
  auto all = hypotheses(terms, sound);
  weigh(all, sound, answer.layouts);
  answer.nothing = all[0].likelihood;
  for (const auto& [kind, seen] : figures)
    answer.figures.push_back(figure_of(kind, terms, seen, all));
  judge(all, answer);
  return answer;
}

}  // namespace loadfactor::calibrate
