#include "search/fleet_resizer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "search/trial_weeks.h"

namespace loadfactor::search {
namespace {

// Whether `other` is at least as good at any size: its replicas are no larger, and a GPU carries as
// much.
bool is_never_better(const SizedDeployment& d, const SizedDeployment& other) {
  if (d.plan.choice.chip != other.plan.choice.chip || d.prompts || other.prompts) return false;
  const double mine = d.rate / d.plan.gpus();
  const double its = other.rate / other.plan.gpus();
  return other.plan.gpus() <= d.plan.gpus() && its >= mine;
}

// A simulation may ask for other replicas than the trial weeks do. Returns the multiple of the
// demand, as near to 1 as can be, at which the trial weeks ask for as many; `asked` says how many
// they ask for at a multiple.
template <typename Asked>
double harder_weeks(const Asked& asked, int replicas) {
  constexpr int kHalvings = 8;
  constexpr double kFarthest = 64;
  const int today = asked(1);
  if (today == replicas) return 1;
  const bool is_harder = today < replicas;
  const auto is_enough = [&](double scale) {
    return is_harder ? asked(scale) >= replicas : asked(scale) <= replicas;
  };
  double near = 1;
  double far = is_harder ? 2 : 0.5;
  while (!is_enough(far) && far < kFarthest && far > 1 / kFarthest) {
    near = far;
    far = far * far;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(near * far);
    (is_enough(middle) ? far : near) = middle;
  }
  return far;
}

}  // namespace

FleetResizer::FleetResizer(SizingProblem problem, std::vector<SizedDeployment> candidates)
    : problem_(std::move(problem)) {
  std::set<const void*> seen;
  for (auto& d : candidates) {
    if (d.rate <= 0) continue;
    // The cheapest of its chip stays, so that the demand itself gets the fleet it has.
    const bool is_first = seen.insert(d.plan.choice.chip).second;
    const bool is_idle = std::any_of(candidates_.begin(), candidates_.end(),
                                     [&](const auto& c) { return is_never_better(d, c.sized); });
    if (!is_first && is_idle) continue;
    const Weeks& weeks = *problem_.trials;
    const double harder =
        harder_weeks([&](double scale) { return fewest_answers(weeks, d, scale); }, d.replicas);
    const double harder_prompts =
        d.prompts ? harder_weeks([&](double scale) { return fewest_prompts(weeks, d, scale); },
                                 d.prompts->replicas)
                  : 1;
    candidates_.push_back({std::move(d), harder, harder_prompts});
  }
}

ResizedFleet FleetResizer::resized(const Candidate& candidate, double scale) const {
  const SizedDeployment& d = candidate.sized;
  FleetPools pools = pools_of(d);
  pools.replicas = fewest_answers(*problem_.trials, d, scale * candidate.harder);
  if (d.prompts)
    pools.prompt_replicas = fewest_prompts(*problem_.trials, d, scale * candidate.harder_prompts);
  const int spares = standing_by(problem_, pools);
  ResizedFleet fleet{.candidate = &d, .replicas = pools.replicas + spares};
  fleet.gpus = fleet.replicas * d.plan.gpus();
  if (d.prompts) {
    fleet.prompt_replicas = pools.prompt_replicas + spares;
    fleet.gpus += fleet.prompt_replicas * d.prompts->plan.gpus();
  } else {
    std::vector<double> rates = problem_.trials->rates.front();
    for (double& rate : rates)
      if (rate >= 0) rate *= scale;
    fleet.on = with_spares(replicas_followed(rates, d.rate, problem_.cold_start), spares);
  }
  const int replica = d.plan.gpus();
  const WayPrice* price = cheapest_way(problem_, d.plan.choice.chip->name, fleet.gpus, replica, 1);
  fleet.has_price = price != nullptr;
  fleet.cost_per_hour = price != nullptr ? price->per_hour(fleet.gpus, replica, 1) : fleet.gpus;
  return fleet;
}

std::vector<ResizedFleet> FleetResizer::at(double scale) const {
  std::vector<ResizedFleet> fleets;
  for (const auto& candidate : candidates_) {
    ResizedFleet fleet = resized(candidate, scale);
    const bool is_limited = problem_.most_gpus > 0 && fleet.gpus > problem_.most_gpus;
    if (!is_limited && std::max(fleet.replicas, fleet.prompt_replicas) <= serving::kMostReplicas)
      fleets.push_back(std::move(fleet));
  }
  std::stable_sort(fleets.begin(), fleets.end(), [](const auto& a, const auto& b) {
    return std::tuple(!a.has_price, a.cost_per_hour, a.gpus) <
           std::tuple(!b.has_price, b.cost_per_hour, b.gpus);
  });
  std::set<const void*> seen;
  std::erase_if(fleets, [&](const ResizedFleet& fleet) {
    return !seen.insert(fleet.candidate->plan.choice.chip).second;
  });
  return fleets;
}

}  // namespace loadfactor::search
