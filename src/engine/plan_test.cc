#include "engine/plan.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/document_text.h"

namespace loadfactor::engine {
namespace {

const Engine& shipped() {
  static const auto kEngine = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *kEngine;
}

std::string scenario(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(LF_SOURCE_DIR) + "/data/scenarios/" + name).rdbuf();
  return text.str();
}

PlanAnswer plan(const std::string& text, std::vector<std::string> set = {}) {
  PlanQuestion question;
  question.serving.file = "a.yaml";
  question.serving.text = *config::replaced_text("a.yaml", text, set);
  question.today = "2026-11-15";
  question.draws = 256;
  question.confirm = 0;
  Diagnostics diagnostics;
  auto answer = make_plan(shipped(), question, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer.value_or(PlanAnswer());
}

TEST(Plan, SaysOneThingAboutEveryShippedFamily) {
  for (const char* name : {"chatbot-spiky.yaml", "coding-assistant.yaml", "batch-inference.yaml",
                           "finetune-8b.yaml", "pretrain-70b-512.yaml"}) {
    const auto answer = plan(scenario(name));
    EXPECT_FALSE(answer.verdict.empty()) << name;
    EXPECT_FALSE(answer.options.empty()) << name;
    ASSERT_TRUE(answer.load_factor) << name;
    EXPECT_GT(answer.load_factor->value(), 0) << name;
    EXPECT_LE(answer.load_factor->value(), 1) << name;
    for (std::size_t i = 1; i < answer.options.size(); ++i)
      EXPECT_GE(answer.options[i].amount, answer.options[0].amount) << name;
  }
}

TEST(Plan, TheFleetIsAboveItsBreakEvenExactlyWhereMachinesAreCheaperThanTheApi) {
  for (const char* name : {"chatbot-spiky.yaml", "coding-assistant.yaml", "support-chat.yaml"}) {
    const auto answer = plan(scenario(name));
    ASSERT_TRUE(answer.load_factor && answer.break_even) << name;
    const bool api = answer.options[0].cost.kind == "api";
    EXPECT_EQ(answer.load_factor->value() < answer.break_even->value(), api) << answer.verdict;
    for (const auto& option : answer.options) {
      if (option.cost.kind == "api") continue;
      const double ratio = option.cost.gpus / answer.machine->gpus;  // Of the GPUs it pays for.
      EXPECT_NEAR(option.cost.break_even->value() * std::min(1.0, ratio),
                  answer.break_even->value(), 1e-9)
          << name << ": " << option.cost.name;
      break;
    }
  }
}

TEST(Plan, ATrainingRunConfessesTheAgeOfItsPricesAndShowsHostMemory) {
  const auto answer = plan(scenario("pretrain-70b-512.yaml"));
  EXPECT_TRUE(std::any_of(answer.facts.begin(), answer.facts.end(), [](const UsedFact& fact) {
    return fact.what.starts_with("rent of h100-sxm");
  }));
  EXPECT_TRUE(std::any_of(answer.levers.begin(), answer.levers.end(), [](const auto& lever) {
    return lever.name == "optimizer in host memory";
  }));
  EXPECT_GT(answer.knee, 0);
}

TEST(Plan, AFleetThatIsThereIsHeldUnlessASmallerOneSurelyCostsLess) {
  const std::string text = scenario("finetune-8b.yaml");
  const std::vector<std::string> set{"train.layout.gpus=8", "hardware=[h100-sxm]",
                                     "train.tokens=50 B", "train.deadline=90 days",
                                     "limits.budget="};
  const auto held = plan(text, set);
  EXPECT_EQ(held.decision, PlanDecision::kHold) << held.verdict;
  EXPECT_FALSE(held.levers.empty());
}

TEST(Plan, TrainingFillsIdleServingHoursOrIsKeptApart) {
  const std::string text = scenario("finetune-8b.yaml");
  const std::vector<std::string> set{
      "serve={model: llama-3.1-8b, precision: fp8, demand: {requests_per_month: 60 M, tokens_in: "
      "1200, tokens_out: 300, shape: global-chat}, slo: {ttft_p95: 2 s, tpot_p95: 60 ms}}",
      "hardware=[h100-sxm]", "money={options: [on-demand]}", "limits={gpus: 64}"};
  const auto small = plan(text, set);
  std::vector<std::string> more = set;
  more.emplace_back("train.tokens=500 B");
  more.emplace_back("train.deadline=30 days");
  const auto large = plan(text, more);
  EXPECT_EQ(large.decision, PlanDecision::kSplit) << large.verdict;
  const auto lever = [](const PlanAnswer& answer) {
    for (const auto& each : answer.levers)
      if (each.name == "train in idle serving hours") return each.effect;
    return std::string();
  };
  EXPECT_NE(lever(large).find("keep them apart"), std::string::npos) << lever(large);
  EXPECT_NE(lever(small).find("taken back"), std::string::npos) << lever(small);
}

TEST(Plan, APromiseNobodyCanKeepIsAnAnswer) {
  const auto answer = plan(scenario("chatbot-spiky.yaml"), {"serve.slo={tpot_p95: 0.01 ms}"});
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible);
  EXPECT_NE(answer.verdict.find("Not feasible"), std::string::npos);
}

TEST(Plan, ADeadlineNobodyCanMeetNamesTheNearest) {
  const auto answer = plan(scenario("finetune-8b.yaml"), {"train.deadline=60 s"});
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible);
  ASSERT_TRUE(answer.machine);
  EXPECT_EQ(answer.deadline_met, false);
}

}  // namespace
}  // namespace loadfactor::engine
