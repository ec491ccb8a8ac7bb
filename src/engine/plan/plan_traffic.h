// The whole answer of a service at a multiple of its traffic: the fleet resized, every way to pay
// priced anew. Nothing is simulated: it says where plans are worth making.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"
#include "engine/plan/serving_planner.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// A flip in one direction, or that plans were no longer made to find one.
struct FlipSearch {
  std::optional<PlanFlip> flip = std::nullopt;
  bool gave_up = false;
};

class TrafficPlans {
 public:
  // All must outlive this. `present`: GPUs that are there already.
  TrafficPlans(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
               const ServingPlanner& planner, int present);

  ServiceOutcome at(double traffic) const;

  // Multiples up to which, and down to which, a flip is looked for.
  static constexpr double kWidestChange = 100;

  // What a plan of so many times the traffic comes to; nothing where there is none.
  using ReplannedAt = std::function<std::optional<ServiceOutcome>(double traffic)>;

  // Where the answer becomes another than `now`: upwards where the API is used, downwards where
  // machines are bought for it, both ways where machines are there. Buying one big GPU and buying
  // several is one answer. Found in closed form, and within half and twice the traffic planned on
  // both sides of it; farther away it is a rough one. Nothing where plans disagree with the closed
  // form for so long that none was found.
  std::optional<std::vector<PlanFlip>> flips(PlanDecision now, const ReplannedAt& replanned) const;

  // Where the closed form has another answer than `now`, beyond the multiple `from`.
  std::optional<PlanFlip> first_flip(PlanDecision now, bool upwards, double from) const;
  // Whether both are one answer to this question.
  bool is_same(PlanDecision a, PlanDecision b) const;

 private:
  void price(const ResizedRow& row, ServiceOutcome& answer) const;

  const Core& engine_;
  const SizeAnswer& found_;
  const ServingPlanner& planner_;
  config::ScenarioLimits limits_;
  int present_;
};

}  // namespace loadfactor::engine
