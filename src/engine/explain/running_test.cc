// Advice on a service that runs, as a step from the GPUs that it has.
#include <gtest/gtest.h>

#include "engine/explain/diff.h"

namespace loadfactor::engine {
namespace {

PlanAnswer plan_of(PlanDecision decision, int gpus) {
  PlanAnswer plan;
  plan.decision = decision;
  plan.machine = PlanMachine{};
  plan.machine->layout.gpus = gpus;
  return plan;
}

PlanAnswer advised(PlanDecision decision, int gpus) {
  PlanAnswer runs = plan_of(PlanDecision::kHold, 4);
  runs.present_gpus = 4;
  PlanAnswer advice = plan_of(decision, gpus);
  count_from_what_runs(runs, advice);
  return advice;
}

TEST(RunningTest, AsManyGpusAsRunAreHeldAndFewerAreAShrinking) {
  EXPECT_EQ(advised(PlanDecision::kScaleUp, 4).decision, PlanDecision::kHold);
  EXPECT_EQ(advised(PlanDecision::kScaleUp, 2).decision, PlanDecision::kShrink);
  EXPECT_EQ(advised(PlanDecision::kScaleUp, 8).decision, PlanDecision::kScaleUp);
}

TEST(RunningTest, WithoutReplicasThoseRunThatTheLayoutNeeds) {
  const PlanAnswer runs = plan_of(PlanDecision::kHold, 4);
  PlanAnswer advice = plan_of(PlanDecision::kScaleUp, 1);
  count_from_what_runs(runs, advice);
  EXPECT_EQ(advice.decision, PlanDecision::kShrink);
  EXPECT_EQ(advice.present_gpus, 4);
}

TEST(RunningTest, TheGpusThatAnApiReplacesAreCounted) {
  const PlanAnswer advice = advised(PlanDecision::kUseApi, 2);
  EXPECT_EQ(advice.decision, PlanDecision::kUseApi);
  EXPECT_EQ(advice.present_gpus, 4);
}

}  // namespace
}  // namespace loadfactor::engine
