#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/train/search_engine_fixture.h"

namespace loadfactor {
namespace {

TEST_F(SearchEngineTest, NoPlanIsFasterThanTheBestAndEachSaysWhyNot) {
  const auto answer = search(request(kJob, "hardware: [h100-sxm]\nlimits: {gpus: 32}\n"));
  ASSERT_EQ(answer.plans.size(), 10U);
  for (const auto& plan : answer.plans) {
    EXPECT_GE(plan.behind, plan.why.is_tight ? -0.05 : 0.0);
    EXPECT_GT(plan.why.memory_share, 0);
    EXPECT_TRUE(plan.train.fits);
    EXPECT_EQ(plan.train.layout.gpus, 32);
    EXPECT_LE(plan.train.layout.tp, 8);
  }
  EXPECT_LE(answer.evaluated, answer.enumerated);
}

TEST_F(SearchEngineTest, ThePlanIsWhatTrainSaysOfThatLayout) {
  const std::string rest = "hardware: [h100-sxm]\nlimits: {gpus: 32}\n";
  const auto best = search(request(kJob, rest)).plans.at(0).train;
  const auto& l = best.layout;
  std::string keys = "  layout: {gpus: 32, tp: " + std::to_string(l.tp) +
                     ", pp: " + std::to_string(l.pp) + ", vp: " + std::to_string(l.vp) +
                     ", cp: " + std::to_string(l.cp) + ", dp: " + std::to_string(l.dp) +
                     ", micro_batch: " + std::to_string(l.micro_batch);
  if (l.sharding.starts_with("zero-")) keys += ", zero: " + l.sharding.substr(5);
  if (l.sharding == "none") keys += ", zero: 0";
  if (l.recompute == "none") keys += ", recompute: none";
  if (!l.schedule.empty()) keys += ", schedule: " + l.schedule;
  keys += std::string(", sequence_parallel: ") + (l.sequence_parallel ? "true" : "false") + "}\n";
  Diagnostics diagnostics;
  const auto alone =
      engine_->train({.scenario = config::testing::sound("loadfactor: 1\nname: t\ntrain:\n" +
                                                         std::string(kJob) + keys + rest)},
                     diagnostics);
  ASSERT_TRUE(alone.has_value()) << render(diagnostics);
  EXPECT_EQ(alone->step_time.value(), best.step_time.value());
  EXPECT_EQ(alone->memory.value(), best.memory.value());
  EXPECT_EQ(alone->cost->value(), best.cost->value());
}

TEST_F(SearchEngineTest, ExhaustiveEvaluatesAllAndFindsTheSame) {
  auto asked = request(kJob, "hardware: [h100-sxm]\nlimits: {gpus: 8}\n");
  const auto pruned = search(asked);
  asked.exhaustive = true;
  const auto all = search(asked);
  EXPECT_EQ(all.evaluated, all.enumerated);
  EXPECT_EQ(all.enumerated, pruned.enumerated);
  ASSERT_EQ(all.plans.size(), pruned.plans.size());
  for (std::size_t i = 0; i < all.plans.size(); ++i)
    EXPECT_EQ(all.plans[i].train.step_time.value(), pruned.plans[i].train.step_time.value());
}

TEST_F(SearchEngineTest, TheCheapestCostsNoMoreThanTheFastest) {
  auto asked = request(kJob, "hardware: [l40s, h100-sxm]\n");
  asked.gpus = {8, 32};
  asked.objective = Objective::kTime;
  const auto fast = search(asked);
  asked.objective = Objective::kCost;
  const auto cheap = search(asked);
  EXPECT_LE(cheap.plans.at(0).train.cost->value(), fast.plans.at(0).train.cost->value());
  EXPECT_LE(fast.plans.at(0).train.duration->value(), cheap.plans.at(0).train.duration->value());
  EXPECT_EQ(fast.machines, 4);
}

TEST_F(SearchEngineTest, TheCostByADeadlineMeetsIt) {
  const std::string job = std::string(kJob) + "  deadline: 60 days\n";
  auto asked = request(job, "hardware: [h100-sxm]\n");
  asked.gpus = {64, 128, 256};
  const auto answer = search(asked);
  EXPECT_EQ(answer.objective, Objective::kCostByDeadline);
  for (const auto& plan : answer.plans)
    EXPECT_LE(plan.train.duration->value().base(), 60.0 * 86400);
  asked.train.scenario = asked.train.scenario.with({"train.deadline"});
  asked.objective = Objective::kCostByDeadline;
  Diagnostics diagnostics;
  EXPECT_FALSE(engine_->search(asked, diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().at(0).code, lf::kObjectiveLacks);
}

TEST_F(SearchEngineTest, PowerLimitsLeaveMachinesOutAndSayWhy) {
  auto asked = request(kJob, "hardware: [h100-sxm]\nlimits: {site_power: 100 kW}\n");
  asked.gpus = {32, 512};
  const auto answer = search(asked);
  EXPECT_EQ(answer.machines, 1);
  ASSERT_EQ(answer.excluded.size(), 1U);
  ASSERT_TRUE(answer.excluded[0].why.power);
  EXPECT_DOUBLE_EQ(answer.excluded[0].why.power->limit.base(), 100e3);
}

TEST_F(SearchEngineTest, ANarrowerFormatIsSearchedWhereTheChipHasIt) {
  const std::string job = std::string(kJob) + "  precision: [bf16, fp8]\n";
  auto asked = request(job, "hardware: [a100-80gb-sxm, h100-sxm]\nlimits: {gpus: 32}\n");
  asked.gpus = {32};
  const auto answer = search(asked);
  EXPECT_EQ(answer.machines, 3);
  EXPECT_EQ(answer.plans.at(0).train.precision, "fp8");
  ASSERT_EQ(answer.excluded.size(), 1U);
  EXPECT_EQ(answer.excluded[0].why.kind, MachineObjection::Kind::kNoArithmetic);
  EXPECT_EQ(answer.excluded[0].why.precision, "fp8");
}

TEST_F(SearchEngineTest, NoStepHasMoreTokensThanTheCriticalBatch) {
  const std::string job =
      "  model: llama-3.1-8b\n  sequence: 4096\n  tokens: 1 T\n  critical_batch: 1 M\n";
  const auto small = search(request(job, "hardware: [h100-sxm]\nlimits: {gpus: 64}\n"));
  ASSERT_FALSE(small.plans.empty());
  // 244 sequences are 1 M tokens: three on each of 64 GPUs.
  EXPECT_EQ(small.plans[0].train.global_batch, 192);
  Diagnostics diagnostics;
  const std::string beyond = job + "  global_batch: 512\n";
  EXPECT_FALSE(config::parse_scenario("t.yaml", "loadfactor: 1\nname: t\ntrain:\n" + beyond, {},
                                      diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.errors().at(0).where.line, 8U);
}

TEST_F(SearchEngineTest, HeadroomOfTheScenarioStaysFree) {
  const auto answer =
      search(request(kJob, "hardware: [h100-sxm]\nlimits: {gpus: 32, headroom: 40 %}\n"));
  ASSERT_FALSE(answer.plans.empty());
  for (const auto& plan : answer.plans) EXPECT_LE(plan.memory_share, 0.6);
}

TEST_F(SearchEngineTest, ABetterSparedAndCheckpointedRunPaysForLess) {
  const auto goodput = [&](const std::string& failures) {
    const auto answer = search(
        request(std::string(kJob) + failures, "hardware: [h100-sxm]\nlimits: {gpus: 1024}\n"));
    return answer.plans.at(0).train.goodput->value.value();
  };
  const double memory = goodput("  failures: {checkpoint: in-memory, spares: 4}\n");
  const double slow =
      goodput("  failures: {checkpoint: synchronous, storage: 1 GB/s, spares: 4}\n");
  const double bare = goodput("  failures: {checkpoint: in-memory, spares: 0, repair: 7 days}\n");
  EXPECT_GT(memory, slow);
  EXPECT_GT(memory, bare);
}

TEST_F(SearchEngineTest, AFragmentedPlacementIsNoFaster) {
  auto asked = request(kJob, "hardware: [h100-sxm]\nlimits: {gpus: 64}\n");
  const auto packed = search(asked);
  asked.placement = Placement::kFragmented;
  const auto fragmented = search(asked);
  asked.placement = Placement::kSpread;
  const auto spread = search(asked);
  const auto rate = [](const SearchAnswer& a) {
    return a.plans.at(0).train.tokens_per_s.value().base();
  };
  EXPECT_LE(rate(fragmented), rate(packed));
  EXPECT_LE(rate(spread), rate(packed));
}

TEST_F(SearchEngineTest, NothingOnTheFrontIsBeaten) {
  auto asked = request(kJob, "hardware: [h100-sxm, l40s]\n");
  asked.gpus = {8, 32};
  const auto answer = search(asked);
  ASSERT_GT(answer.front.size(), 1U);
  for (const auto& a : answer.front)
    for (const auto& b : answer.front) {
      const bool beaten = b.train.duration->value() < a.train.duration->value() &&
                          b.train.cost->value() < a.train.cost->value() &&
                          b.train.layout.gpus < a.train.layout.gpus && b.power < a.power &&
                          b.memory_share < a.memory_share;
      EXPECT_FALSE(beaten);
    }
}

TEST_F(SearchEngineTest, ScalingSaysWhatBindsAndNeverGainsEfficiencyForFree) {
  ScaleInputs scale;
  scale.search = request(kJob, "hardware: [h100-sxm]\n");
  scale.search.gpus = {8, 32, 128};
  scale.day_value = Dollars::from_base(5000.0);
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  ASSERT_EQ(answer->curves.size(), 1U);
  const auto& points = answer->curves[0].points;
  ASSERT_EQ(points.size(), 3U);
  EXPECT_DOUBLE_EQ(points[0].efficiency, 1.0);
  EXPECT_LT(points[2].efficiency, points[1].efficiency);
  // 128 sequences on 128 GPUs: one each.
  EXPECT_LT(points[2].efficiency, points[2].weak_efficiency);
  EXPECT_NE(points[2].binding, ScaleLimit::kNothing);
  EXPECT_TRUE(points[1].day_break_even.has_value());
  EXPECT_TRUE(points[1].marginal.has_value());
  EXPECT_EQ(answer->curves[0].fastest, 128);
  EXPECT_FALSE(answer->next_dollar.empty());
  EXPECT_TRUE(answer->taller_domain.has_value());
  EXPECT_TRUE(answer->without_links.has_value());
}

TEST_F(SearchEngineTest, AMixtureThatRanksMayShareIsSearchedWhole) {
  SearchInputs asked = request("  model: mixtral-8x7b\n  sequence: 4096\n  global_batch: 1024\n",
                               "hardware: [h100-sxm]\n");
  asked.gpus = {8};
  const auto answer = search(asked);
  ASSERT_FALSE(answer.plans.empty());
  EXPECT_LT(answer.plans[0].train.mfu.value(), 0.6);
}

TEST_F(SearchEngineTest, WhatTrainChoosesByItselfNeverBeatsTheSearch) {
  const std::string job =
      "  model: mixtral-8x7b\n  sequence: 4096\n  global_batch: 1024\n"
      "  stack: {framework: megatron-core-2026}\n";
  for (const std::string tp : {"", ", tp: 1, pp: 1, ep: 8, micro_batch: 4, zero: 1"}) {
    const auto asked = request(job + "  layout: {gpus: 64" + tp + "}\n", "hardware: [h100-sxm]\n");
    Diagnostics diagnostics;
    const auto own = engine_->train(asked.train, diagnostics);
    ASSERT_TRUE(own.has_value()) << render(diagnostics);
    const auto best = search(asked);
    ASSERT_FALSE(best.plans.empty());
    EXPECT_GE(own->step_time.value(), (1 - 1e-9) * best.plans[0].train.step_time.value());
  }
}

TEST_F(SearchEngineTest, WhereNothingGrewNothingThatIsNotThereBinds) {
  ScaleInputs scale;
  std::string job = kJob;
  scale.search = request(job + "  layout: {pp: 1}\n", "hardware: [h100-sxm]\n");
  scale.search.gpus = {16, 32, 64};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  for (const auto& point : answer->curves.at(0).points)
    EXPECT_NE(point.binding, ScaleLimit::kBubble);
}

TEST_F(SearchEngineTest, MachinesOfOtherSizesAreComparedByTheTimeOfAllTheirGpus) {
  SearchInputs asked = request(kJob, "hardware: [h100-sxm]\n");
  asked.gpus = {4, 8};
  asked.objective = Objective::kCost;
  const auto answer = search(asked);
  const int best = answer.plans.at(0).train.layout.gpus;
  bool seen = false;
  for (const auto& plan : answer.plans) {
    const int gpus = plan.train.layout.gpus;
    if (gpus == best) continue;
    seen = true;
    EXPECT_EQ(plan.why.gpus, gpus);
    EXPECT_EQ(plan.why.best_gpus, best);
    // No part takes half of the time more.
    for (const auto& loss : plan.why.losses) EXPECT_LT(loss.more, 0.5) << loss.part;
  }
  EXPECT_TRUE(seen);
}

// 128 sequences cannot be dealt to a million GPUs: no degree of dp beyond 128 divides them.
TEST_F(SearchEngineTest, SizesThatNoLayoutDividesAreNamed) {
  SearchInputs many = request(kJob, "hardware: [h100-sxm]\n");
  many.gpus = {1000000};
  const auto none = search(many);
  EXPECT_TRUE(none.plans.empty());
  ASSERT_EQ(none.excluded.size(), 1U);
  EXPECT_EQ(none.excluded[0].why.kind, MachineObjection::Kind::kUndivided);
  EXPECT_EQ(none.excluded[0].gpus, 1000000);
  ScaleInputs scale;
  scale.search = request(kJob, "hardware: [h100-sxm]\n");
  scale.search.gpus = {8, 1000000};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  const auto& curve = answer->curves.at(0);
  EXPECT_EQ(curve.points.size(), 1U);
  EXPECT_TRUE(curve.too_small.empty());
  ASSERT_EQ(curve.excluded.size(), 1U);
  EXPECT_EQ(curve.excluded[0].gpus, 1000000);
}

TEST_F(SearchEngineTest, StrongScalingKeepsTheBatchOfTheSmallestSize) {
  ScaleInputs scale;
  scale.search = request("  model: llama-3.1-8b\n  sequence: 4096\n", "hardware: [h100-sxm]\n");
  scale.search.gpus = {64, 8, 2048};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  ASSERT_EQ(answer->curves.at(0).points.size(), 3U);
  // 4 M tokens of 4,096 each.
  for (const auto& point : answer->curves[0].points) EXPECT_EQ(point.train.global_batch, 1024);
  EXPECT_LT(answer->curves[0].points[2].efficiency, answer->curves[0].points[1].efficiency);
}

TEST_F(SearchEngineTest, WhatIsAddedPaysUpToTheRentOfWhatItBrings) {
  ScaleInputs scale;
  scale.search = request(kJob, "hardware: [h100-sxm]\nlimits: {gpus: 64}\n");
  scale.search.gpus = {32};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_EQ(answer->next_of, "32 × NVIDIA H100 SXM 80GB");
  ASSERT_EQ(answer->next_dollar.size(), 3U);
  const auto& first = answer->next_dollar[0];
  EXPECT_EQ(first.what, MachineChange::kTwiceTheGpus);
  for (const auto& option : answer->next_dollar)
    EXPECT_NEAR(option.worth->base() * first.gain, first.worth->base() * option.gain, 1e-9);
  // 64 are the limit: nothing to double.
  scale.search.gpus = {64};
  const auto full = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->next_dollar.size(), 2U);
}

TEST_F(SearchEngineTest, SizesThatMissTheDeadlineAreMarkedAndAreNotTheCheapest) {
  ScaleInputs scale;
  scale.search = request(std::string(kJob) + "  deadline: 60 days\n", "hardware: [h100-sxm]\n");
  scale.search.gpus = {8, 128};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  const auto& curve = answer->curves.at(0);
  EXPECT_FALSE(curve.points.at(0).in_time);
  EXPECT_TRUE(curve.points.at(1).in_time);
  EXPECT_EQ(curve.cheapest, 128);
}

TEST_F(SearchEngineTest, ARunOfYearsThatNobodyBoundedIsSaid) {
  const auto cautioned = [&](const std::string& tokens) {
    SearchInputs asked = request(
        "  model: llama-3.1-8b\n  sequence: 4096\n  global_batch: 128\n"
        "  tokens: " +
            tokens + "\n",
        "hardware: [h100-sxm]\n");
    asked.gpus = {8};
    const auto answer = search(asked);
    return std::any_of(answer.notices.begin(), answer.notices.end(),
                       [](const auto& notice) { return notice.id == "no-deadline"; });
  };
  EXPECT_TRUE(cautioned("15 T"));
  EXPECT_FALSE(cautioned("15 B"));
}

TEST_F(SearchEngineTest, ForTheCostFewerGpusThanTheLimitAreSearchedAndMoreAreLeftOut) {
  auto asked = request(kJob, "hardware: [h100-sxm]\nlimits: {gpus: 64}\n");
  asked.objective = Objective::kCost;
  const auto cheap = search(asked);
  EXPECT_EQ(cheap.machines, 7);  // 64, 32, 16, 8, 4, 2, 1: one holds the weights.
  asked.gpus = {64, 64, 128};
  const auto full = search(asked);
  EXPECT_EQ(full.machines, 1);
  EXPECT_LE(cheap.plans.at(0).train.cost->value(), full.plans.at(0).train.cost->value());
  ASSERT_EQ(full.excluded.size(), 1U);
  EXPECT_EQ(full.excluded[0].why.kind, MachineObjection::Kind::kGpuLimit);
  EXPECT_EQ(full.excluded[0].why.limit, 64);
}

TEST_F(SearchEngineTest, WithoutANumberOfGpusAllAcceleratorsAreSearchedOnTheSame) {
  const auto answer =
      search(request("  model: llama-3.1-8b\n  sequence: 4096\n", "hardware: [h100-sxm, b200]\n"));
  EXPECT_EQ(answer.machines, 2);
  std::set<int> sizes;
  for (const auto& plan : answer.plans) sizes.insert(plan.train.layout.gpus);
  EXPECT_EQ(sizes.size(), 1U);
}

TEST_F(SearchEngineTest, ARentOfAnotherTermStandsForOneThatNobodyOffersAndIsNamed) {
  auto asked = request(kJob, "hardware: [mi355x]\n");
  asked.gpus = {8};
  const auto answer = search(asked);
  ASSERT_FALSE(answer.plans.empty());
  EXPECT_TRUE(answer.plans[0].train.cost.has_value());
  EXPECT_TRUE(std::any_of(answer.notices.begin(), answer.notices.end(),
                          [](const Notice& n) { return n.id == "rent-of-another-term"; }));
}

TEST_F(SearchEngineTest, ABudgetDecidesBetweenOneLargeGpuAndSeveral) {
  ScaleInputs scale;
  scale.search = request(
      "  model: llama-3.1-8b\n  sequence: 4096\n  global_batch: 64\n  tokens: 1 B\n"
      "  stack: {framework: fsdp}\n",
      "hardware: [mi300x, l40s]\nlimits: {gpus: 8, budget: 5000 USD}\n");
  scale.search.gpus = {1, 8};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  const auto is_affordable = [](const ScaleAnswer& of) {
    return of.curves[of.bought->size.curve].points[of.bought->size.point].affordable;
  };
  EXPECT_TRUE(is_affordable(*answer));
  EXPECT_EQ(answer->budget_decisions.at(0).between,
            BudgetDecision::Between::kOneLargeAndSeveralSmaller);
  scale.search.train.scenario =
      scale.search.train.scenario.with({"limits.budget", any(Dollars::from_base(10))});
  const auto poor = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(poor.has_value());
  EXPECT_FALSE(is_affordable(*poor));
}

TEST_F(SearchEngineTest, PowerBindsTheLargestSizeThatTheSiteCanFeed) {
  ScaleInputs scale;
  scale.search = request(kJob, "hardware: [h100-sxm]\nlimits: {site_power: 100 kW}\n");
  scale.search.gpus = {8, 32, 512};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->curves.at(0).points.size(), 2U);
  EXPECT_EQ(answer->curves[0].points[1].binding, ScaleLimit::kPower);
}

TEST_F(SearchEngineTest, WhatIsWrittenTwiceIsSearchedOnce) {
  auto asked = request(kJob, "hardware: [h100-sxm]\n");
  asked.gpus = {8, 8};
  asked.precisions = {"bf16", "bf16"};
  asked.keep = 1;
  Diagnostics diagnostics;
  const auto answer = engine_->search(asked, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_EQ(answer->machines, 1);
}

TEST_F(SearchEngineTest, OnlyLimitsThatWereWrittenAreSaidToBeLifted) {
  const auto unmet = [](const std::string& train, const std::string& limits) {
    auto asked = request(kJob + train, "hardware: [h100-sxm]\nlimits: {" + limits + "}\n");
    asked.gpus = {8};
    asked.keep = 1;
    asked.objective = Objective::kCost;
    Diagnostics diagnostics;
    const auto answer = engine_->search(asked, diagnostics);
    EXPECT_TRUE(answer && answer->unmet) << render(diagnostics);
    return answer && answer->unmet ? *answer->unmet : UnmetLimits{};
  };
  const auto late = unmet("  deadline: 1 min\n", "gpus: 8");
  EXPECT_TRUE(late.has_deadline && !late.has_budget);
  const auto poor = unmet("", "budget: 1 USD");
  EXPECT_TRUE(poor.has_budget && !poor.has_deadline);
}

TEST_F(SearchEngineTest, MoreGpusOfAsLongLinksAreNoSurprise) {
  ScaleInputs scale;
  scale.search = request("  model: llama-3.1-70b\n  sequence: 4096\n  global_batch: 512\n",
                         "hardware: [h100-sxm, mi300x]\n");
  scale.search.gpus = {7, 13};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_FALSE(answer->surprise && answer->surprise->larger_wins);
}

TEST_F(SearchEngineTest, WhereMoreGpusWinAllTheSameTheFirstLineSaysWhy) {
  ScaleInputs scale;
  scale.search = request(
      "  model: llama-3.1-8b\n  sequence: 4096\n  global_batch: 64\n  precision: bf16\n"
      "  stack: {framework: fsdp}\n",
      "hardware: [l40s, a100-80gb-sxm]\n");
  scale.search.gpus = {4, 8};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  ASSERT_TRUE(answer->surprise.has_value());
  EXPECT_TRUE(answer->surprise->larger_wins);
  EXPECT_EQ(answer->curves[answer->surprise->larger.curve].accelerator, "l40s");
}

TEST_F(SearchEngineTest, FourWellLinkedGpusBeatEightBadlyLinkedOnes) {
  ScaleInputs scale;
  scale.search = request(
      "  model: llama-3.1-70b\n  sequence: 4096\n  global_batch: 64\n  precision: bf16\n"
      "  stack: {framework: fsdp}\n",
      "hardware: [a100-80gb-pcie-unbridged, h200-sxm]\n");
  scale.search.gpus = {4, 8};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  ASSERT_TRUE(answer->surprise.has_value());
  EXPECT_FALSE(answer->surprise->larger_wins);
  EXPECT_EQ(answer->curves[answer->surprise->smaller.curve].accelerator, "h200-sxm");
}

TEST_F(SearchEngineTest, WhereTheBudgetBuysNothingTheCheapestIsNamed) {
  const std::string rest = "hardware: [h100-sxm, a100-80gb-sxm]\n";
  const auto poor = search(request(kJob, rest + "limits: {gpus: 32, budget: 10 USD}\n"));
  EXPECT_TRUE(poor.plans.empty());
  const auto rich = search(request(kJob, rest + "limits: {gpus: 32}\n"));
  const auto& best = rich.plans.at(0).train;
  ASSERT_TRUE(poor.unmet.has_value());
  EXPECT_NEAR(poor.unmet->soonest.time / best.duration->value(), 1, 1e-9);
  EXPECT_NE(poor.unmet->soonest.machine.find(best.accelerator_title), std::string::npos);
}

TEST_F(SearchEngineTest, TheDegreesMultiplyToTheGpus) {
  const std::string job =
      "  model: llama-3.1-8b\n  sequence: 4096\n  global_batch: 128\n  layout: {cp: 2, pp: 2}\n";
  const auto answer = search(request(job, "hardware: [h100-sxm]\nlimits: {gpus: 32}\n"));
  const auto& layout = answer.plans.at(0).train.layout;
  EXPECT_EQ(layout.tp * layout.pp * layout.cp * layout.dp, 32);
}

}  // namespace
}  // namespace loadfactor
