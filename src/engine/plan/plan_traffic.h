// The whole answer of a service at a multiple of its traffic: the fleet resized, every way to pay
// priced anew. Nothing is simulated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"
#include "engine/plan/serving_planner.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

class TrafficPlans {
 public:
  // All must outlive this. `present`: GPUs that are there already.
  TrafficPlans(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
               const ServingPlanner& planner, int present);

  TrafficAnswer at(double traffic) const;

  // Multiples up to which, and down to which, a flip is looked for.
  static constexpr double kWidestChange = 100;

  // Where the answer becomes another than `now`: upwards where the API is used, downwards where
  // machines are bought for it, both ways where machines are there. Buying one big GPU and buying
  // several is one answer.
  std::vector<PlanFlip> flips(PlanDecision now) const;

 private:
  void price(const ResizedRow& row, TrafficAnswer& answer) const;
  std::optional<PlanFlip> first_flip(PlanDecision now, double step) const;
  bool is_same(PlanDecision a, PlanDecision b) const;

  const Core& engine_;
  const SizeAnswer& found_;
  const ServingPlanner& planner_;
  config::ScenarioLimits limits_;
  int present_;
};

}  // namespace loadfactor::engine
