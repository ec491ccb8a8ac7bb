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

struct FoundFlips {
  std::vector<PlanFlip> flips;
  bool is_open_above = false;  // The closed form sees a flip there that no plan was seen to make,
  bool is_open_below = false;
};

class TrafficPlans {
 public:
  // All must outlive this. `present`: GPUs that are there already.
  TrafficPlans(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
               const ServingPlanner& planner, int present);

  ServiceOutcome at(double traffic) const;
  // GPUs that are there already.
  int present() const { return present_; }

  // Multiples up to which, and down to which, a flip is looked for.
  static constexpr double kWidestChange = 100;

  // Plans of other traffic.
  struct Replans {
    // What a plan of so many times the traffic comes to; nothing where there is none. With a chip:
    // of its machines alone.
    std::function<std::optional<ServiceOutcome>(double traffic, const std::string& chip)> at;
    double most = kWidestChange;  // Times the traffic, together, that are simulated far above it.
  };

  // Where the answer becomes another than `now`: upwards where the API is used, downwards where
  // machines are bought for it, both ways where machines are there. Buying one big GPU and buying
  // several is one answer. Found in closed form, and planned on both sides: within half and twice
  // the traffic always. Farther away a flip is a rough one where plans did not pin it down, and
  // none where they do not see it.
  FoundFlips flips(PlanDecision now, const Replans& replans) const;

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
