// What rules say of a deployment before anything is simulated.
#include "serving/simulator/policy.h"

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "serving/simulator/engine_rules.h"
#include "serving/simulator/scaler.h"

namespace loadfactor::serving {
namespace {

constexpr Ticks kS = sim::kSecond;

LockstepFault fault(const std::function<void(ClusterRules&)>& change) {
  ClusterRules rules;
  rules.groups.resize(2);
  change(rules);
  EXPECT_EQ(keeps_lockstep(rules), why_not_lockstep(rules) == LockstepFault::kNone);
  return why_not_lockstep(rules);
}

TEST(PolicyTest, EveryRuleThatBreaksTheStepIsNamedInWhicheverGroupItStands) {
  EXPECT_EQ(fault([](ClusterRules&) {}), LockstepFault::kNone);
  for (const std::size_t g : {0U, 1U}) {
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].scheduler.batching = Batching::kPrefillFirst; }),
              LockstepFault::kPromptsAlone);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].scheduler.preemption = Preemption::kSwap; }),
              LockstepFault::kSwapping);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].scheduler.preemption = Preemption::kReserve; }),
              LockstepFault::kNone);
    EXPECT_EQ(
        fault([&](auto& r) { r.groups[g].scheduler.victims = VictimOrder::kFewestGenerated; }),
        LockstepFault::kVictimsByTokens);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].scheduler.has_priorities = true; }),
              LockstepFault::kPriorities);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].scheduler.reserve_permille = 1; }),
              LockstepFault::kForeseenAnswers);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].decode_group = 0; }), LockstepFault::kSplitPools);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].first_token_timeout = kS; }),
              LockstepFault::kTimeouts);
    EXPECT_EQ(fault([&](auto& r) { r.groups[g].total_timeout = kS; }), LockstepFault::kTimeouts);
  }
  EXPECT_EQ(fault([](auto& r) { r.clients_leave = true; }), LockstepFault::kClientsLeave);
}

std::vector<std::size_t> services(const std::vector<int>& decode_groups) {
  ClusterRules rules;
  for (const int decodes : decode_groups) rules.groups.emplace_back().decode_group = decodes;
  return services_of(rules);
}

TEST(PolicyTest, PromptsAndTheirAnswersAreOneService) {
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(services({-1, -1, -1}), (Places{0, 1, 2}));
  EXPECT_EQ(services({1, -1, -1}), (Places{0, 0, 1}));
  EXPECT_EQ(services({-1, -1, 0}), (Places{1, 0, 1}));  // Answers may stand before prompts.
  EXPECT_EQ(services({2, 3, -1, -1}), (Places{0, 1, 0, 1}));
}

TEST(PolicyTest, AnEngineSetsWhatItsTraitsSay) {
  const auto rules_of = [](const EngineTraits& engine) {
    SchedulerRules rules;
    rules.kv_blocks = 4000;
    set_engine_rules(engine, rules);
    return rules;
  };
  EngineTraits plain;
  plain.prompts_alone = false;
  plain.victim = catalog::Victim::kLastAdmitted;
  plain.admission = catalog::Admission::kPrompt;
  plain.watermark = 0;
  EXPECT_EQ(rules_of(plain).batching, Batching::kMixed);
  EXPECT_EQ(rules_of(plain).victims, VictimOrder::kLastAdmitted);
  EXPECT_EQ(rules_of(plain).preemption, Preemption::kRecompute);
  EXPECT_EQ(rules_of(plain).reserve_permille, 0);
  EXPECT_EQ(rules_of(plain).watermark_blocks, 0);
  EngineTraits other = plain;
  other.prompts_alone = true;
  other.victim = catalog::Victim::kFewestGenerated;
  other.admission = catalog::Admission::kShare;
  other.reserve = 0.25;
  other.watermark = 0.01;
  EXPECT_EQ(rules_of(other).batching, Batching::kPrefillFirst);
  EXPECT_EQ(rules_of(other).victims, VictimOrder::kFewestGenerated);
  EXPECT_EQ(rules_of(other).preemption, Preemption::kRecompute);
  EXPECT_EQ(rules_of(other).reserve_permille, 250);
  EXPECT_EQ(rules_of(other).watermark_blocks, 40);
  other.admission = catalog::Admission::kWhole;
  EXPECT_EQ(rules_of(other).preemption, Preemption::kReserve);
  EXPECT_EQ(rules_of(other).reserve_permille, 0);
}

TEST(ScalerBoundsTest, ABandIsLeftOnlyBeyondItsEnds) {
  const auto decide = [](int replicas, std::int64_t load) {
    Scaler scaler({.scaling = Scaling::kThreshold,
                   .min_replicas = 0,
                   .max_replicas = 9,
                   .scale_up_load = 10,
                   .scale_down_load = 4});
    return scaler.decide(1000 * kS, replicas, load);
  };
  EXPECT_EQ(decide(3, 30), 3);
  EXPECT_EQ(decide(3, 31), 4);
  EXPECT_EQ(decide(3, 12), 3);
  EXPECT_EQ(decide(3, 11), 2);
  EXPECT_EQ(decide(9, 1000), 9);
  EXPECT_EQ(decide(2, 0), 1);
  EXPECT_EQ(decide(1, 1), 1);
  EXPECT_EQ(decide(1, 0), 0);
}

TEST(ScalerBoundsTest, ATargetIsToleratedOnBothSides) {
  const auto decide = [](int replicas, std::int64_t load) {
    Scaler scaler({.scaling = Scaling::kTarget, .max_replicas = 20, .target_load = 10});
    return scaler.decide(1000 * kS, replicas, load);
  };
  EXPECT_EQ(decide(10, 90), 10);  // 10 % below.
  EXPECT_EQ(decide(10, 89), 9);
  EXPECT_EQ(decide(10, 110), 10);
  EXPECT_EQ(decide(10, 111), 12);
  EXPECT_EQ(decide(10, 70), 7);
  EXPECT_EQ(decide(10, 71), 8);
  EXPECT_EQ(decide(10, 100'000), 20);
  EXPECT_EQ(decide(10, 0), 1);
}

TEST(ScalerBoundsTest, ALoadIsSeenWhenItIsJustOldEnough) {
  Scaler scaler(
      {.scaling = Scaling::kTarget, .max_replicas = 10, .scrape_delay = 15 * kS, .target_load = 1});
  EXPECT_EQ(scaler.decide(15 * kS, 1, 8), 1);
  EXPECT_EQ(scaler.decide(30 * kS, 1, 4), 8);  // That of 15 s.
  EXPECT_EQ(scaler.decide(45 * kS, 8, 4), 8);  // The cooldown holds what 30 s saw.
}

TEST(ScalerBoundsTest, TheCooldownEndsToTheTickAndCountsChangesOfOthers) {
  Scaler scaler(
      {.scaling = Scaling::kTarget, .max_replicas = 10, .target_load = 10, .cooldown = 60 * kS});
  EXPECT_EQ(scaler.decide(100 * kS, 1, 50), 5);
  EXPECT_EQ(scaler.decide(160 * kS - 1, 5, 10), 5);
  EXPECT_EQ(scaler.decide(160 * kS, 5, 10), 1);
  scaler.note_change(300 * kS);
  EXPECT_EQ(scaler.decide(359 * kS, 5, 10), 5);
  EXPECT_EQ(scaler.decide(360 * kS, 5, 10), 1);
  EXPECT_EQ(scaler.decide(361 * kS, 1, 50), 5);  // Up at once.
}

TEST(ScalerBoundsTest, LeastAndMostHoldWhateverTheLoad) {
  const auto decide = [](std::int64_t load) {
    Scaler scaler(
        {.scaling = Scaling::kTarget, .min_replicas = 2, .max_replicas = 4, .target_load = 10});
    return scaler.decide(1000 * kS, 3, load);
  };
  EXPECT_EQ(decide(0), 2);
  EXPECT_EQ(decide(1000), 4);
}

TEST(ScalerBoundsTest, DecisionsComeEveryQuarterOfAMinuteAndFallsEveryMinute) {
  EXPECT_EQ(ScalingRules().interval * 4, 60 * kS);
  EXPECT_EQ(ScalingRules().cooldown, 60 * kS);
}

}  // namespace
}  // namespace loadfactor::serving
