// Parts of a described plan, each described in a file of its own, and what they share.
#pragma once

#include <optional>

#include "engine/plan/plan.h"
#include "report/describe/describe.h"

namespace loadfactor::report {

// The machines to have, and the plan that they are of.
struct NamedMachine {
  const engine::PlanAnswer& answer;
};
Value to_value(const NamedMachine& machine);
Value schema_of(Type<NamedMachine>);

// Machines that were not chosen, what single changes would do, where the decision changes, and
// comparisons that were asked for.
struct PlanChanges {
  const engine::PlanAnswer& answer;
};
Value to_value(const PlanChanges& changes);
Value schema_of(Type<PlanChanges>);

inline constexpr auto kDecision = [](engine::PlanDecision decision) { return name_of(decision); };

// Money and shares of an outcome have the source of the options that they were computed by.
template <typename Q>
EstimateOf<Q> plan_estimate(Q value) {
  return EstimateOf<Q>::exact(value, Basis::kModelled, "plan");
}
inline constexpr auto kPlanEstimateIfKnown = [](const auto& value) {
  return value ? std::optional(plan_estimate(*value)) : std::nullopt;
};

inline constexpr auto kPriceOfMonthIfKnown = [](const std::optional<EstimateOf<Dollars>>& value) {
  return priced<PricedWork::kMonth>(value);
};

}  // namespace loadfactor::report
