// Laws of one pool for several models, as `plan` and `serve --search` answer it.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/fleet/fleet.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

using engine::FleetAnswer;
using engine::FleetDecision;
using engine::FleetWorkloadAnswer;

const Engine& shipped_engine() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

// Two models with days, one of which is on a chip of its own where that is asked for.
ScenarioWithFiles two_models(const std::vector<std::string>& set = {}) {
  const std::string text =
      "loadfactor: 1\nname: two-models\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {requests_per_hour: 500, tokens_in: 500, tokens_out: 100,\n"
      "    shape: {daily_peak: 2}}\n"
      "  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\n"
      "  others:\n  - model: qwen2.5-7b\n"
      "    demand: {requests_per_hour: 300, tokens_in: 400, tokens_out: 50,\n"
      "      shape: {daily_peak: 2}}\n"
      "    slo: {ttft_p95: 3 s}\n"
      "hardware: [h100-sxm]\nmoney: {options: [own, on-demand]}\n";
  return {config::testing::sound(text, set, "two.yaml"), {}};
}

FleetAnswer pool_of(const std::vector<std::string>& set = {}) {
  const auto answer = shipped_engine().ask(PlanQuestion{.about = two_models(set)});
  if (!answer) ADD_FAILURE() << render(answer.error());
  const auto* fleet = answer ? answer->as<FleetAnswer>() : nullptr;
  return fleet != nullptr ? *fleet : FleetAnswer{};
}

TEST(SharedPoolTest, EveryModelKeepsItsPromiseAndSharingCostsNoMoreThanPoolsApart) {
  const FleetAnswer pool = pool_of();
  ASSERT_EQ(pool.workloads.size(), 2U);
  Dollars fair;
  for (const FleetWorkloadAnswer& model : pool.workloads) {
    EXPECT_EQ(model.decision, FleetDecision::kRun) << model.name;
    EXPECT_EQ(model.keeps_slo, true) << model.name;
    EXPECT_GT(model.requests, 0) << model.name;
    fair += model.per_month;
  }
  EXPECT_NEAR(fair.base(), pool.per_month.base(), 1e-6 * fair.base());
  EXPECT_LE(pool.per_month.base(), pool.separate.base() * (1 + 1e-9));
  EXPECT_GE(pool.per_month.base(), pool.bound.base() * (1 - 1e-9));
}

TEST(SharedPoolTest, SearchAndPlanSizeTheSamePool) {
  const auto searched = shipped_engine().ask(SizeQuestion{.about = two_models()});
  ASSERT_TRUE(searched) << render(searched.error());
  ASSERT_NE(searched->as<FleetAnswer>(), nullptr);
  EXPECT_EQ(searched->as<FleetAnswer>()->per_month, pool_of().per_month);
  EXPECT_EQ(searched->outcome(), Outcome::kAnswer);
}

TEST(SharedPoolTest, ThePoolIsOfTheCandidateThatCostsLeastInAnyOrder) {
  const FleetAnswer one = pool_of();
  const FleetAnswer other = pool_of({"hardware=[l40s]"});
  const FleetAnswer& least = one.per_month <= other.per_month ? one : other;
  for (const char* order : {"hardware=[h100-sxm, l40s]", "hardware=[l40s, h100-sxm]"}) {
    const FleetAnswer both = pool_of({order});
    ASSERT_EQ(both.pools.size(), 1U) << order;
    EXPECT_EQ(both.pools.front().accelerator, least.pools.front().accelerator) << order;
    EXPECT_EQ(both.per_month, least.per_month) << order;
  }
}

TEST(SharedPoolTest, TheLimitOnGpusHoldsForAllModelsTogether) {
  const std::vector<std::string> narrow{"limits.gpus=1", "money.options=[on-demand]"};
  const FleetAnswer pool = pool_of(narrow);
  const auto without_room =
      std::count_if(pool.workloads.begin(), pool.workloads.end(),
                    [](const auto& model) { return model.decision == FleetDecision::kNoRoom; });
  EXPECT_EQ(without_room, 1);
  EXPECT_LE(*std::max_element(pool.pools.front().load.begin(), pool.pools.front().load.end()), 1);
  const auto searched = shipped_engine().ask(SizeQuestion{.about = two_models(narrow)});
  ASSERT_TRUE(searched) << render(searched.error());
  EXPECT_EQ(searched->outcome(), Outcome::kInfeasible);
}

TEST(SharedPoolTest, ALimitBetweenWholeMachinesIsThatOfTheMachinesWithinIt) {
  EXPECT_EQ(pool_of({"limits.gpus=12"}).pools.front().most, 8);
  EXPECT_EQ(pool_of({"limits.gpus=12"}).per_month, pool_of({"limits.gpus=8"}).per_month);
}

TEST(SharedPoolTest, ALimitBelowAMachineIsRefusedWhereMachinesAreOwnedOrReserved) {
  for (const char* options : {"money.options=[own]", "money.options=[own, reserved-1y]"}) {
    const auto answer =
        shipped_engine().ask(PlanQuestion{.about = two_models({"limits.gpus=4", options})});
    ASSERT_FALSE(answer) << options;
    EXPECT_EQ(answer.error().code, lf::kNotDivisible) << options;
    EXPECT_NE(answer.error().hint.find("8"), std::string::npos) << answer.error().hint;
  }
  const FleetAnswer rented = pool_of({"limits.gpus=4", "money.options=[own, on-demand]"});
  ASSERT_EQ(rented.pools.size(), 1U);
  for (const auto& way : rented.pools.front().ways) EXPECT_EQ(way.kind, OptionKind::kOnDemand);
}

TEST(SharedPoolTest, ADeploymentOfAnotherChipThanThePoolIsRefusedAtItsLine) {
  const auto answer = shipped_engine().ask(PlanQuestion{
      .about = two_models({"serve.others.0.deployment={gpu: l40s}", "hardware=[h100-sxm]"})});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, lf::kContradictoryKeys);
}

TEST(SharedPoolTest, WhatIsAboutOneModelIsRefusedBesideSeveral) {
  PlanQuestion gated{.about = two_models()};
  gated.gates = {"cost <= 5000 $/month"};
  SizeQuestion spared{.about = two_models()};
  spared.spares = 2;
  for (const Question& question : {Question(gated), Question(spared)}) {
    const auto answer = shipped_engine().ask(question);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, lf::kNotHonoured);
  }
}

TEST(SharedPoolTest, ABudgetThatThePoolExceedsIsSaid) {
  const FleetAnswer pool = pool_of({"limits.budget=10 USD"});
  EXPECT_TRUE(std::any_of(pool.notices.begin(), pool.notices.end(),
                          [](const Notice& notice) { return notice.id == "pool-over-budget"; }));
}

}  // namespace
}  // namespace loadfactor
