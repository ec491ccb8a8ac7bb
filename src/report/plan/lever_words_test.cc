#include <gtest/gtest.h>

#include "report/plan/plan_words.h"
#include "report/serve/fill_words.h"

namespace loadfactor::report {
namespace {

engine::PlanLever twice_the_traffic(std::string seller) {
  engine::ServiceOutcome then{.decision = engine::PlanDecision::kUseApi};
  then.api = Dollars::from_base(378);
  then.seller = std::move(seller);
  return {engine::TrafficLever{.factor = 2, .then = std::move(then)}};
}

TEST(LeverWords, AnotherSellerOfTheApiIsNamed) {
  EXPECT_EQ(lever_words(twice_the_traffic("deepinfra/llama")).effect,
            "the API of deepinfra/llama, $378 a month");
}

TEST(LeverWords, TheSameSellerIsNotNamedAgain) {
  EXPECT_EQ(lever_words(twice_the_traffic("")).effect, "the API, $378 a month");
}

TEST(LeverWords, ARunForAnotherAimSaysWhatMakesItDiffer) {
  engine::PlannedRun run{
      .gpus = 32, .accelerator = "h100-sxm", .layout = {}, .time = {}, .cost = {}};
  run.layout.dp = 32;
  run.layout.micro_batch = 2;
  run.cost = Dollars::from_base(56'719);
  const std::string effect =
      lever_words({engine::ObjectiveLever{{FrontFigure::kDollars}, run}}).effect;
  for (const char* part : {"$56,719", "micro-batch 2"})
    EXPECT_NE(effect.find(part), std::string::npos) << effect;
}

TEST(LeverWords, WhatARunCostsSaysHowItIsPaidFor) {
  engine::PlannedRun run{
      .gpus = 32, .accelerator = "h100-sxm", .layout = {}, .time = {}, .cost = {}};
  run.cost = Dollars::from_base(56'719);
  run.option = OptionKind::kReserved1y;
  const std::string words = run_words(run);
  EXPECT_NE(words.find("$56,719 (" + std::string(way_words(OptionKind::kReserved1y)) + ")"),
            std::string::npos)
      << words;
}

TEST(LeverWords, WhatSavesNothingIsSaidWithoutOurWords) {
  EXPECT_EQ(
      lever_words({engine::RelaxedLever{engine::Relaxation::kFirstToken, std::nullopt}}).effect,
      "saves nothing (computed, not simulated)");
}

}  // namespace
}  // namespace loadfactor::report
