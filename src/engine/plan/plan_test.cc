#include "engine/plan/plan.h"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::has;
using testing::lever;
using testing::notice;
using testing::plan;
using testing::scenario;
using testing::verdict;

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

// The option that is recommended, or weighed against the API.
const PlanOption& weighed(const PlanAnswer& answer) {
  return *std::find_if(answer.options.begin(), answer.options.end(),
                       [](const PlanOption& option) { return option.cost.kind != "api"; });
}

// With 9 M requests machines are rented by the hour, with 30 M some are owned and some rented: such
// ways pay for fewer GPUs than the plan has.
TEST(Plan, LoadFactorAndBreakEvenAreThoseOfTheOptionInTheTable) {
  const std::string chat = scenario("chatbot-spiky.yaml");
  for (const auto& answer : {verdict(chat), verdict(chat, {"serve.demand.requests_per_month=9 M"}),
                             verdict(chat, {"serve.demand.requests_per_month=30 M"}),
                             verdict(scenario("coding-assistant"))}) {
    ASSERT_TRUE(answer.load_factor && answer.break_even) << answer.verdict;
    const PlanOption& option = weighed(answer);
    EXPECT_NEAR(answer.load_factor->value(), option.cost.load_factor->value(), 1e-9);
    EXPECT_NEAR(answer.break_even->value(), option.cost.break_even->value(), 1e-9);
    EXPECT_TRUE(has(answer.verdict, percent_text(option.cost.load_factor->value()) +
                                        " full, breaks even at " +
                                        percent_text(option.cost.break_even->value())))
        << answer.verdict;
    EXPECT_TRUE(has(answer.verdict, option.cost.name)) << answer.verdict;
    const bool api = answer.options[0].cost.kind == "api";
    EXPECT_EQ(answer.load_factor->value() < answer.break_even->value(), api) << answer.verdict;
  }
}

// Numbers in front of `×`, `on demand` and `on spot`; "own 2 × h100-sxm, up to 1 on demand" has 3.
int gpus_in(const std::string& procurement) {
  const std::regex number("(own|reserve|up to|^) ?([0-9]+)");
  int sum = 0;
  for (auto it = std::sregex_iterator(procurement.begin(), procurement.end(), number);
       it != std::sregex_iterator(); ++it)
    sum += std::stoi((*it)[2]);
  return sum;
}

TEST(Plan, WholeGpusOfEveryWayToPayAddUpToItsMachines) {
  for (const char* requests : {"3 M", "9 M", "30 M"}) {
    const auto answer = verdict(scenario("chatbot-spiky.yaml"),
                                {fmt::format("serve.demand.requests_per_month={}", requests)});
    for (const auto& option : answer.options) {
      if (option.accelerator != answer.machine->accelerator) continue;
      EXPECT_EQ(gpus_in(option.cost.name), answer.machine->layout.gpus) << option.cost.name;
      EXPECT_FALSE(has(option.cost.name, " 0 ")) << option.cost.name;
    }
    EXPECT_EQ(gpus_in(answer.machine->procurement), answer.machine->layout.gpus);
  }
}

bool buys(const PlanAnswer& answer) {
  return answer.decision == PlanDecision::kScaleUp ||
         answer.decision == PlanDecision::kOneBiggerGpu;
}

// Planned anew on either side of it, each with the fleet it needs.
TEST(Plan, TheTrafficAtWhichItFlipsIsWhereAnotherPlanSaysOtherwise) {
  const std::string chat = scenario("chatbot-spiky.yaml");
  const auto at = [&](double millions) {
    return verdict(chat, {fmt::format("serve.demand.requests_per_month={:.6g} M", millions)});
  };
  const auto few = plan(chat);
  ASSERT_EQ(few.decision, PlanDecision::kUseApi);
  ASSERT_EQ(few.flips.size(), 1U) << few.verdict;
  const double up = few.flips[0].traffic;
  EXPECT_TRUE(has(few.verdict, "times the traffic")) << few.verdict;
  EXPECT_EQ(at(3 * up * 0.99).decision, PlanDecision::kUseApi) << few.verdict;
  EXPECT_EQ(at(3 * up * 1.01).decision, few.flips[0].decision) << few.verdict;
  const auto many = plan(chat, {"serve.demand.requests_per_month=30 M"});
  ASSERT_TRUE(buys(many)) << many.verdict;
  ASSERT_EQ(many.flips.size(), 1U) << many.verdict;
  const double down = many.flips[0].traffic;
  EXPECT_TRUE(buys(at(30 * down * 1.01))) << many.verdict;
  EXPECT_EQ(at(30 * down * 0.99).decision, PlanDecision::kUseApi) << many.verdict;
}

TEST(Plan, MachinesThatAreThereFlipBothWays) {
  const auto answer = plan(scenario("chatbot-spiky.yaml"),
                           {"serve.demand.requests_per_month=55 M", "money.options=[own]",
                            "serve.deployment={gpu: h100-sxm, tp: 1, replicas: 2}"});
  ASSERT_EQ(answer.decision, PlanDecision::kHold) << answer.verdict;
  ASSERT_EQ(answer.flips.size(), 2U) << answer.verdict;
  EXPECT_GT(answer.flips[0].traffic, 1);
  EXPECT_EQ(answer.flips[0].decision, PlanDecision::kScaleUp) << answer.verdict;
  EXPECT_LT(answer.flips[1].traffic, 1);
  EXPECT_EQ(answer.flips[1].decision, PlanDecision::kShrink) << answer.verdict;
}

TEST(Plan, AnOptionWithoutAPriceIsLeftOutByName) {
  const auto answer = verdict(scenario("chatbot-spiky.yaml"),
                              {"hardware=[l40s]", "money.options=[own, reserved-1y, api]"});
  EXPECT_EQ(answer.decision, PlanDecision::kUseApi);
  EXPECT_TRUE(has(answer.verdict, "No other way in money.options has a price")) << answer.verdict;
  int named = 0;
  for (const auto& each : answer.notices)
    if (each.id == "no-price") named += has(each.text, "own ") || has(each.text, "reserved-1y ");
  EXPECT_EQ(named, 2);
  const auto alone = verdict(scenario("chatbot-spiky.yaml"), {"money.options=[api]"});
  EXPECT_TRUE(has(alone.verdict, "No way to have GPUs is among money.options")) << alone.verdict;
}

// The second GPU of a fleet rented by the hour is hardly ever on; kept, it costs as much as one.
TEST(Plan, OneReplicaMoreIsPricedWithAllItsGpus) {
  const auto answer = plan(scenario("chatbot-spiky.yaml"));
  const std::string more = lever(answer, "one replica more");
  EXPECT_TRUE(has(
      more, fmt::format("({} × {}", 2 * answer.machine->layout.gpus, answer.machine->accelerator)))
      << more;
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
    EXPECT_EQ(first, answer.machine->layout.replicas) << name << ": " << words;
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
