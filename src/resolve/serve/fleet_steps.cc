#include "resolve/serve/fleet_steps.h"

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "serving/load_factor.h"

namespace loadfactor::engine {
namespace {

int whole(double replicas) {
  return static_cast<int>(
      std::clamp(std::ceil(replicas - 1e-9), 1.0, serving::kMostReplicas + 1.0));
}

}  // namespace

FleetSteps count_replicas(serving::WindowRates rates, double mean,
                          const serving::ReplicaCapacity& replica, double quantile) {
  FleetSteps steps;
  if (replica.saturated <= Hertz()) return steps;
  double busiest = mean;
  for (const double rate : rates.per_second()) busiest = std::max(busiest, rate);
  steps.mean = whole(mean / replica.saturated.base());
  steps.peak = whole(busiest / replica.saturated.base());
  // A replica that keeps no promise at any rate is still counted by its work. Misses that the SLO
  // allows may be all at the peak, but a queue that grows for hours is no service.
  steps.slo = steps.peak;
  if (replica.at_slo > Hertz())
    steps.slo = std::max(steps.peak, serving::replicas_for(rates, replica, quantile));
  steps.mean = std::min(steps.mean, steps.peak);
  return steps;
}

int fleet_for(serving::WindowRates rates, const serving::ReplicaCapacity& replica,
              double quantile) {
  return count_replicas(rates, 0, replica, quantile).slo;
}

Notice note_fleet(const FleetSum& fleet) {
  const FleetSteps& steps = fleet.steps;
  Notice notice{.id = "fleet",
                .arguments = {{"replicas", format_count(fleet.replicas + fleet.spares)},
                              {"for_mean", std::to_string(steps.mean)},
                              {"for_peak", std::to_string(steps.peak - steps.mean)},
                              {"for_slo", std::to_string(steps.slo - steps.peak)}}};
  const int more = fleet.replicas - steps.slo;
  if (more < 0)
    notice.arguments.push_back({"fewer", std::to_string(-more)});
  else if (more > 0)
    notice.arguments.push_back({fleet.is_replayed    ? "more_simulated"
                                : fleet.is_simulated ? "for_weeks_simulated"
                                                     : "for_weeks",
                                std::to_string(more)});
  if (fleet.spares > 0)
    notice.arguments.push_back({"spares", std::to_string(fleet.spares)});
  else
    notice.arguments.push_back({"no_spare", {}});
  return notice;
}

Notice note_chosen_replicas(const FleetSteps& steps) {
  return {.id = "chosen-replicas",
          .arguments = {{"replicas", counted(steps.slo, "replica")},
                        {"for_mean", std::to_string(steps.mean)},
                        {"for_peak", std::to_string(steps.peak - steps.mean)},
                        {"for_slo", std::to_string(steps.slo - steps.peak)}}};
}

double slo_quantile(const serving::ServicePromise& ask) {
  if (ask.ttft <= Seconds() && ask.tpot <= Seconds()) return 1;
  return std::max(ask.ttft > Seconds() ? ask.ttft_quantile : 0,
                  ask.tpot > Seconds() ? ask.tpot_quantile : 0);
}

}  // namespace loadfactor::engine
