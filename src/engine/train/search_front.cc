#include "engine/train/search_front.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace loadfactor::engine {
namespace {

constexpr std::array kCompared{FrontFigure::kDays, FrontFigure::kDollars, FrontFigure::kGpus,
                               FrontFigure::kPower, FrontFigure::kHeadroom};
using Figures = std::array<double, kCompared.size()>;

// Lower is better in each; time and money per token, so that batches may differ. What cannot be
// paid in any of the ways asked for is never the cheapest.
Figures figures_of(const SearchPlan& plan) {
  const auto& train = plan.train;
  const double pace = 1.0 / (train.rate_of_run().base() * train.paid_share());
  const double dollars = train.cost_per_token ? train.cost_per_token->value().base()
                                              : std::numeric_limits<double>::infinity();
  return {pace, dollars, static_cast<double>(train.layout.gpus), plan.power.base(),
          plan.memory_share};
}

bool dominates(const Figures& a, const Figures& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

std::vector<SearchPlan> pareto_front(const std::vector<SearchPlan>& plans) {
  std::vector<Figures> figures;
  for (const auto& plan : plans) figures.push_back(figures_of(plan));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < plans.size() && !beaten; ++j)
      beaten = dominates(figures[j], figures[i]) || (j < i && figures[j] == figures[i]);
    if (!beaten) kept.push_back(i);
  }
  std::vector<SearchPlan> front;
  for (const std::size_t i : kept) front.push_back(plans[i]);
  for (std::size_t k = 0; k < kCompared.size(); ++k) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < kept.size(); ++i)
      if (figures[kept[i]][k] < figures[kept[best]][k]) best = i;
    if (front.empty()) break;
    if (!std::isfinite(figures[kept[best]][k])) continue;
    front[best].best_in.push_back(kCompared[k]);
  }
  return front;
}

}  // namespace loadfactor::engine
