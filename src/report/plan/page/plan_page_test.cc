#include "report/plan/page/plan_page.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "report/plan/page/page_ways.h"

namespace loadfactor::report {
namespace {

using engine::MoneyPart;
using engine::PayingWay;
using engine::PlanAnswer;
using engine::WayStep;

Dollars usd(double amount) {
  return Dollars::from_base(amount);
}

engine::PlanOption option(OptionKind kind, double amount, int gpus) {
  engine::PlanOption made;
  made.cost.kind = kind;
  made.cost.name = {.kind = kind, .of = kind == OptionKind::kApi ? "fireworks/some-model" : "h100"};
  made.cost.per_month = EstimateOf<Dollars>::exact(usd(amount), Basis::kModelled, "test");
  made.cost.wins = 0.75;
  made.amount = usd(amount);
  made.accelerator = kind == OptionKind::kApi ? "" : "h100-sxm";
  made.gpus = gpus;
  return made;
}

WayStep step(double to, int gpus, MoneyPart part, double fixed, double moving) {
  WayStep made{.to = to, .needed = gpus, .gpus = gpus};
  made.accelerator = gpus > 0 ? "h100-sxm" : "";
  made.fixed[static_cast<std::size_t>(part)] = usd(fixed);
  made.moving[static_cast<std::size_t>(part)] = usd(moving);
  return made;
}

// The API costs $1,000 at today's traffic; a server of $1,600 carries up to three times of it.
PlanAnswer api_or_server() {
  PlanAnswer answer;
  answer.scenario = "chat";
  answer.model_title = "Some model";
  answer.rate = Hertz::from_base(1);
  answer.decision = engine::PlanDecision::kUseApi;
  answer.options = {option(OptionKind::kApi, 1000, 0), option(OptionKind::kOwn, 1600, 8)};
  engine::StepTable table{.most = 4};
  table.ways.push_back({.kind = OptionKind::kApi, .steps = {step(4, 0, MoneyPart::kApi, 0, 1000)}});
  table.ways.push_back(
      {.kind = OptionKind::kOwn,
       .machine = 8,
       .steps = {step(3, 8, MoneyPart::kPrice, 1600, 0), step(4, 16, MoneyPart::kPrice, 3200, 0)}});
  answer.steps_to_pay = std::move(table);
  return answer;
}

std::string text_at(const Value& page, std::initializer_list<const char*> keys) {
  const Value* value = &page;
  for (const char* key : keys) value = value->find(key);
  return *value->text();
}

std::string tile(const Value& page, std::size_t index, const char* key) {
  return *(*page.find("tiles")->find("rows")->list())[index].find(key)->text();
}

TEST(PlanPage, DecidesInTwelveWordsAndSaysWhereItChanges) {
  const Value page = plan_page_data(api_or_server(), "chat.yaml");
  EXPECT_EQ(text_at(page, {"decision"}),
            "Use the API until traffic grows ~60\u00a0%, then buy one server.");
  EXPECT_EQ(tile(page, 0, "value"), "$1,000");
  EXPECT_EQ(tile(page, 1, "value"), "$600");
  EXPECT_EQ(tile(page, 1, "note"), "against the next best, owning at $1,600");
  EXPECT_EQ(tile(page, 2, "value"), "75");
  EXPECT_EQ(tile(page, 3, "value"), "1.6\u00a0×");
  EXPECT_EQ(tile(page, 3, "note"), "from ~4.2\u00a0M requests a month buy one server");
}

TEST(PlanPage, TakesTheTurnThatLastsAndNotTheOneBetweenSteps) {
  PlanAnswer answer = api_or_server();
  // A second, dear server is needed a little after the first one pays.
  answer.steps_to_pay->ways[1].steps = {step(1.65, 8, MoneyPart::kPrice, 1600, 0),
                                        step(4, 16, MoneyPart::kPrice, 2500, 0)};
  const PageWays ways(answer);
  const auto flip = ways.flip();
  ASSERT_TRUE(flip);
  EXPECT_NEAR(flip->x, 2.5, 1e-6);
}

TEST(PlanPage, HasNoFlipWhereOneWayStaysTheCheapest) {
  PlanAnswer answer = api_or_server();
  answer.steps_to_pay->ways[1].steps = {step(4, 8, MoneyPart::kPrice, 1e6, 0)};
  answer.options[1] = option(OptionKind::kOwn, 1e6, 8);
  const Value page = plan_page_data(answer, "chat.yaml");
  EXPECT_TRUE(page.find("chart")->find("flip")->is_null());
  EXPECT_EQ(text_at(page, {"decision"}), "Use the API, at any traffic near today’s.");
}

TEST(PlanPage, SaysWhyNothingIsPossibleAndWhatWouldBe) {
  PlanAnswer answer = api_or_server();
  answer.decision = engine::PlanDecision::kNotFeasible;
  answer.broken = {engine::TooSmallBudget{answer.options[0].machines(), usd(1000), usd(400)}};
  answer.nearest = {engine::LargerBudget{usd(1000)}};
  answer.options[0].is_over_budget = true;
  const Value page = plan_page_data(answer, "chat.yaml");
  EXPECT_EQ(text_at(page, {"decision"}), "Not possible as asked: the budget is too tight.");
  EXPECT_TRUE(page.find("tiles")->is_null());
  const Value& limit = (*page.find("limits")->find("rows")->list())[0];
  EXPECT_EQ(*limit.find("needed_text")->text(), "$1,000");
  EXPECT_EQ(*limit.find("ratio_text")->text(), "2.5\u00a0×");
  EXPECT_EQ(*(*page.find("ways_out")->find("rows")->list())[0].find("name")->text(),
            "Raise the budget");
  EXPECT_EQ(*(*page.find("ways_out")->find("rows")->list())[1].find("moved")->text(),
            "with a budget of $1,000");
}

// An error and its hint are for whoever writes the scenario; the page is for whoever pays.
TEST(PlanPage, SaysWhatWouldKeepAPromiseWithoutWordsOfLaunchFiles) {
  PlanAnswer answer = api_or_server();
  answer.decision = engine::PlanDecision::kNotFeasible;
  answer.refusal = Error{.code = lf::kSloOutOfReach,
                         .message = "a first token of 2 ms is out of reach",
                         .hint = "raise it, or use more tp, a narrower precision or a faster GPU"};
  const Value page = plan_page_data(answer, "chat.yaml");
  EXPECT_EQ(text_at(page, {"decision"}), "Not possible as asked: the promise is too tight.");
  const Value& way = (*page.find("ways_out")->find("rows")->list())[0];
  EXPECT_EQ(*way.find("name")->text(), "Promise slower answers, or allow faster GPUs");
  for (const Value& row : *page.find("ways_out")->find("rows")->list())
    EXPECT_EQ(row.find("name")->text()->find("tp,"), std::string::npos)
        << *row.find("name")->text();
}

TEST(PlanPage, ExplainsTheWordsThatStandInItsEngineering) {
  PlanAnswer answer = api_or_server();
  answer.memory = {{MemoryUse::kKvCache, 30}, {MemoryUse::kFree, 10}};
  const Value page =
      plan_page_data(answer, "chat.yaml", {{"KV cache", "Keys and values."}, {"NPV", "Cash."}});
  const auto& words = *page.find("engineering")->find("words")->list();
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(*words[0].find("word")->text(), "KV cache");
  EXPECT_EQ(*words[0].find("meaning")->text(), "Keys and values.");
}

TEST(PlanPage, EscapesWhatAScenarioIsCalled) {
  PlanAnswer answer = api_or_server();
  answer.scenario = "</script><b>chat";
  const std::string page = plan_page(answer, "chat.yaml", {});
  EXPECT_EQ(page.find("</script><b>chat"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;b&gt;chat"), std::string::npos);
}

TEST(PlanPage, AMixThatOwnsNothingIsCalledWhatItIs) {
  PlanAnswer answer;
  answer.scenario = "chat";
  answer.decision = engine::PlanDecision::kScaleUp;
  answer.options = {option(OptionKind::kOwnSpotBurst, 900, 3)};
  EXPECT_EQ(text_at(plan_page_data(answer, "chat.yaml"), {"title"}),
            "chat: Rent three GPUs on spot, at any traffic near today’s.");
  answer.options.front().cost.owned = 2;
  EXPECT_EQ(text_at(plan_page_data(answer, "chat.yaml"), {"title"}),
            "chat: Own the base, peaks on spot, at any traffic near today’s.");
}

}  // namespace
}  // namespace loadfactor::report
