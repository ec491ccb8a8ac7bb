#include "report/plan/flip_range.h"

#include <cmath>

#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_levers.h"

namespace loadfactor::report {
namespace {

// How far a figure may lie below and above its value, as logarithms.
struct Reach {
  double down = 0;
  double up = 0;
};

Reach reach_of(double value, double low, double high) {
  if (!(low > 0) || !(value > 0)) return {};
  return {std::log(value / low), std::log(high / value)};
}

Reach reach_of(const EstimateOf<Dollars>& cost) {
  return reach_of(cost.value().base(), cost.low().base(), cost.high().base());
}

Reach reach_of(const engine::PlanFlip& flip, const engine::PlanAnswer& answer) {
  const engine::PlanOption* api = engine::cheapest_api(answer);
  const engine::PlanOption* machines = engine::weighed_option(answer);
  const bool is_of_prices = answer.decision == engine::PlanDecision::kUseApi ||
                            flip.decision == engine::PlanDecision::kUseApi;
  if (is_of_prices && api != nullptr && machines != nullptr) {
    const Reach ours = reach_of(machines->estimate());
    const Reach theirs = reach_of(api->estimate());
    // Where only a limit stands against today's API, its own price says when.
    if (flip.decision == engine::PlanDecision::kNotFeasible) return {theirs.up, theirs.down};
    return {std::hypot(ours.down, theirs.up), std::hypot(ours.up, theirs.down)};
  }
  if (!answer.load_factor) return {};
  const auto& load = *answer.load_factor;
  const Reach full = reach_of(load.value(), load.low(), load.high());
  return {full.up, full.down};
}

}  // namespace

EstimateOf<double> range_of(const engine::PlanFlip& flip, const engine::PlanAnswer& answer) {
  const Reach reach = reach_of(flip, answer);
  return {flip.traffic, flip.traffic * std::exp(-reach.down), flip.traffic * std::exp(reach.up),
          Basis::kModelled, "plan"};
}

}  // namespace loadfactor::report
