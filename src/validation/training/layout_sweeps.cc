#include "validation/training/layout_sweeps.h"

#include <algorithm>
#include <map>

#include "base/statistics.h"

namespace loadfactor::validation {

namespace {

using Points = std::vector<const SweepPoint*>;

void count_pairs(const Points& points, SweepFigures& figures) {
  int score = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const SweepPoint& faster =
          points[i]->measured > points[j]->measured ? *points[i] : *points[j];
      const SweepPoint& slower =
          points[i]->measured > points[j]->measured ? *points[j] : *points[i];
      if (faster.measured <= slower.measured * (1.0 + kRateNoise)) continue;
      ++figures.pairs;
      if (faster.predicted > slower.predicted) ++score;
      if (faster.predicted < slower.predicted) --score;
    }
  }
  if (figures.pairs > 0) figures.tau = static_cast<double>(score) / figures.pairs;
}

double regret_of(const Points& points) {
  const auto by = [](double SweepPoint::*field) {
    return [field](const SweepPoint* a, const SweepPoint* b) { return a->*field < b->*field; };
  };
  const auto* best = *std::max_element(points.begin(), points.end(), by(&SweepPoint::measured));
  const auto* pick = *std::max_element(points.begin(), points.end(), by(&SweepPoint::predicted));
  return 100.0 * (1.0 - pick->measured / best->measured);
}

}  // namespace

SweepSummary rank_sweeps(std::span<const SweepPoint> points) {
  std::map<std::string, Points> sweeps;
  for (const SweepPoint& point : points) sweeps[point.sweep].push_back(&point);
  SweepSummary summary;
  std::vector<double> taus;
  std::vector<double> regrets;
  for (const auto& [name, members] : sweeps) {
    if (members.size() < kFewestLayouts) continue;
    SweepFigures figures{name, static_cast<int>(members.size()), 0, 0, regret_of(members)};
    count_pairs(members, figures);
    if (figures.pairs == 0) continue;
    taus.push_back(figures.tau);
    regrets.push_back(figures.regret);
    summary.sweeps.push_back(std::move(figures));
  }
  if (taus.empty()) return summary;
  summary.median_tau = quantile_nearest_rank(taus, 0.5);
  summary.lowest_tau = *std::min_element(taus.begin(), taus.end());
  summary.median_regret = quantile_nearest_rank(regrets, 0.5);
  summary.worst_regret = *std::max_element(regrets.begin(), regrets.end());
  return summary;
}

}  // namespace loadfactor::validation
