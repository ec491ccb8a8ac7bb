// Trees of runs whose steps have phases say what `train` and `plan` say of them.
#include "engine/explain/explain_method.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/method/method.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

constexpr double kSame = 1e-12;

struct Case {
  std::string name;
  std::string text;
};

std::string ppo() {
  return "loadfactor: 1\nname: valued\ntrain:\n  model: llama-3.2-1b\n"
         "  method: {kind: ppo, prompts: 16, prompt_tokens: 100, answer_tokens: 200, steps: 50, "
         "epochs: 2}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\nmoney: {options: [on-demand]}\n";
}

std::string ahead() {
  return "loadfactor: 1\nname: ahead\ntrain:\n  model: llama-3.2-1b\n"
         "  method: {kind: grpo, prompts: 16, prompt_tokens: 100, answer_tokens: 200, steps: 50, "
         "off_policy: 1}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\nmoney: {options: [on-demand]}\n";
}

std::vector<Case> cases() {
  return {{"grpo", testing::scenario("grpo-8b")},
          {"dpo", testing::scenario("dpo-8b")},
          {"distillation", testing::scenario("distillation-8b")},
          {"ppo", ppo()},
          {"one step off-policy", ahead()}};
}

double value_of(const PlanInputs& question, const std::string& quantity) {
  const auto tree = explain_run(testing::shipped(), question, quantity);
  EXPECT_TRUE(tree) << quantity;
  return tree ? tree->value.value : 0;
}

TEST(ExplainMethodTest, TreesOfARunWithPhasesSayWhatTrainSays) {
  for (const Case& each : cases()) {
    const PlanInputs question = testing::asked(each.text);
    Diagnostics diagnostics;
    const auto run = train_by_method(testing::shipped(),
                                     {.train = {.scenario = question.scenario()}}, diagnostics);
    ASSERT_TRUE(run && run->method) << each.name << render(diagnostics);
    const MethodAnswer& method = *run->method;
    const double step = method.step.value().base();
    EXPECT_NEAR(value_of(question, "step_time"), step, kSame * step) << each.name;
    const double rate = method.step_tokens.base() / step;
    EXPECT_NEAR(value_of(question, "tokens_per_s"), rate, kSame * rate) << each.name;
    ASSERT_TRUE(method.duration && method.cost) << each.name;
    const double time = method.duration->value().base();
    EXPECT_NEAR(value_of(question, "duration"), time, 1e3 * kSame * time) << each.name;
    const double cost = method.cost->value().base();
    EXPECT_NEAR(value_of(question, "run_cost"), cost, 1e3 * kSame * cost) << each.name;
  }
}

TEST(ExplainMethodTest, TheCostOfThePlanIsExplainedWithEveryPhase) {
  for (const Case& each : cases()) {
    const PlanInputs question = testing::asked(each.text);
    const PlanAnswer answer = testing::planned(question);
    const auto tree = explain_quantity(testing::shipped(), question, answer, "cost");
    ASSERT_TRUE(tree) << each.name;
    const double amount = answer.options[0].amount.base();
    EXPECT_NEAR(tree->value.value, amount, 1e3 * kSame * amount) << each.name;
  }
}

TEST(ExplainMethodTest, AStepHasOneChildForEachPhaseThatItWaitsFor) {
  const PlanInputs question = testing::asked(testing::scenario("grpo-8b"));
  const auto tree = explain_run(testing::shipped(), question, "step_time");
  ASSERT_TRUE(tree);
  std::vector<std::string> phases;
  for (const ExplainNode& child : tree->children) phases.push_back(child.of);
  const std::vector<std::string> expected{"rollout",  "reference", "log_probs",
                                          "training", "transfer",  "swap"};
  EXPECT_EQ(phases, expected);
}

// Tokens of answers and of texts stand at the user's own lines.
TEST(ExplainMethodTest, WhatIsWrittenAndReadEndsAtThePromptsAndAnswersOfTheScenario) {
  const PlanInputs question = testing::asked(ppo());
  const auto tree = explain_run(testing::shipped(), question, "step_time");
  ASSERT_TRUE(tree);
  const ExplainNode& rollout = tree->children.front();
  ASSERT_EQ(rollout.of, "rollout");
  ASSERT_EQ(rollout.children.size(), 2U);
  ASSERT_EQ(rollout.children[0].children.size(), 3U);
  const ExplainNode& prompts = rollout.children[0].children[0];
  EXPECT_EQ(prompts.value.value, 16);
  EXPECT_NE(prompts.source.find(":5"), std::string::npos) << prompts.source;
  for (const ExplainNode& phase : tree->children) {
    const bool reads = phase.of == "values" || phase.of == "log_probs";
    EXPECT_TRUE(!reads || phase.children.size() == 2U) << phase.of;
  }
}

TEST(ExplainMethodTest, ProductsOfTheTrainerAloneAreNoUtilisationOfTheRun) {
  const PlanInputs question = testing::asked(ppo());
  EXPECT_FALSE(explain_run(testing::shipped(), question, "mfu"));
}

}  // namespace
}  // namespace loadfactor::engine
