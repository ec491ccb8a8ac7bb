// A training run, or a service, for whoever prices it.
#pragma once

#include <cmath>

#include "base/statistics.h"
#include "loadfactor/cost.h"
#include "loadfactor/serve.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// The run that `train` answers for: its GPUs, and how many are paid and with which goodput by each
// way to pay. As many GPUs as the scenario lays it out on are there.
KnownCapacity capacity_of_run(const TrainAnswer& train, const config::Scenario& scenario);

// How full a service is: no fuller than full, however much arrives. Nothing where nobody says how
// much does.
std::optional<EstimateOf<double>> load_of(const ServeAnswer& serve);

// With every way to pay for machines: what a scenario that names none is priced by.
config::Scenario with_every_way(const config::Scenario& scenario);

// How far from known an estimate is, as a coefficient; 0 where its interval has no ratios.
template <typename Q>
double variation_of(const EstimateOf<Q>& of) {
  return of.low() > Q() ? deviation_of_nine_in_ten(std::log(of.high() / of.low())) : 0;
}

}  // namespace loadfactor::engine
