#include "engine/plan.h"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::has;
using testing::lever;
using testing::notice;
using testing::plan;
using testing::scenario;

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
  const std::string name = "train in idle serving hours";
  EXPECT_TRUE(has(lever(large, name), "keep them apart")) << lever(large, name);
  EXPECT_FALSE(lever(small, name).empty());
}

TEST(Plan, APromiseNobodyCanKeepIsAnAnswer) {
  const auto answer = plan(scenario("chatbot-spiky.yaml"), {"serve.slo={tpot_p95: 0.01 ms}"});
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible);
  EXPECT_NE(answer.verdict.find("Not feasible"), std::string::npos);
}

// `3 replicas = 2 for the mean rate + 1 for the busiest ten minutes + 0 for the SLO + no spare`.
TEST(Plan, TheStepsToItsReplicasAddUpToTheFleetItRecommends) {
  for (const char* name : {"chatbot-spiky", "coding-assistant", "batch-inference"}) {
    const auto answer = plan(scenario(name));
    const std::string words = notice(answer, "fleet");
    const std::regex number("(^|[=+-] )([0-9]+) ");
    int first = -1;
    int sum = 0;
    for (auto it = std::sregex_iterator(words.begin(), words.end(), number);
         it != std::sregex_iterator(); ++it) {
      const int value = std::stoi((*it)[2]);
      if (first < 0)
        first = value;
      else
        sum += (*it)[1].str().starts_with("-") ? -value : value;
    }
    EXPECT_EQ(first, answer.machine->replicas) << name << ": " << words;
    EXPECT_EQ(sum, first) << name << ": " << words;
  }
}

TEST(Plan, NoticesSpeakOfTheFleetThatIsRecommended) {
  const auto answer = plan(scenario("coding-assistant"));
  EXPECT_EQ(notice(answer, "closed-form-rows"), "");
  const std::string weeks = notice(answer, "weeks");
  ASSERT_FALSE(weeks.empty());
  const bool names_another = has(weeks, " × ") && !has(weeks, answer.machine->accelerator);
  EXPECT_FALSE(names_another) << weeks;
}

TEST(Plan, ADeadlineNobodyCanMeetNamesTheNearest) {
  const auto answer = plan(scenario("finetune-8b.yaml"), {"train.deadline=60 s"});
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible);
  ASSERT_TRUE(answer.machine);
  EXPECT_EQ(answer.deadline_met, false);
}

}  // namespace
}  // namespace loadfactor::engine
