#include "engine/plan/plan_gate.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::engine {
namespace {

PlanAnswer service() {
  PlanAnswer answer;
  answer.load_factor = EstimateOf<double>::exact(0.22, Basis::kModelled, "");
  answer.break_even = EstimateOf<double>::exact(0.27, Basis::kModelled, "");
  PlanOption option;
  option.amount = Dollars::from_base(7300);  // $10 an hour.
  answer.options.push_back(option);
  return answer;
}

bool holds(const std::string& text, const PlanAnswer& answer = service()) {
  const auto gate = Gate::parse(text);
  EXPECT_TRUE(gate) << text;
  const auto outcome = gate->judge(answer);
  EXPECT_TRUE(outcome) << text;
  return outcome && outcome->holds;
}

TEST(Gate, ComparesFiguresAndNumbers) {
  EXPECT_FALSE(holds("load_factor >= break_even"));
  EXPECT_TRUE(holds("load_factor < break_even"));
  EXPECT_TRUE(holds("load_factor>=22 %"));
  EXPECT_TRUE(holds("0.27 == break_even"));
  EXPECT_TRUE(holds("break_even != 0.5"));
}

TEST(Gate, AFigureThatTheAnswerLacksIsAWrongQuestion) {
  for (const char* text : {"days <= 5", "days > 5", "gpus < 3"}) {
    const auto outcome = Gate::parse(text)->judge(service());
    ASSERT_FALSE(outcome) << text;
    EXPECT_EQ(exit_status(outcome.error().code), 2);
    EXPECT_NE(outcome.error().hint.find("load_factor, break_even, cost"), std::string::npos)
        << outcome.error().hint;
  }
}

TEST(Gate, NoGpusAreNeededWhereTheApiDoesTheWork) {
  PlanAnswer answer = service();
  answer.machine = PlanMachine{.layout = {.gpus = 64}};
  EXPECT_TRUE(holds("gpus == 64", answer));
  answer.options[0].cost.kind = OptionKind::kApi;
  EXPECT_TRUE(holds("gpus == 0", answer));
}

TEST(Gate, WhatIsNotFeasibleKeepsNoPromise) {
  PlanAnswer answer = service();
  EXPECT_TRUE(holds("load_factor < break_even", answer));
  answer.decision = PlanDecision::kNotFeasible;
  EXPECT_FALSE(holds("load_factor < break_even", answer));
}

TEST(Gate, MoneyIsByTheMonthOrByTheHour) {
  for (const char* kept :
       {"cost <= 7300", "cost <= $7300", "cost <= 7300 USD", "cost <= 7.3 K USD",
        "cost <= 7300 $/month", "cost <= 10 $/h", "cost <= $10/h", "cost <= 240 USD/day"})
    EXPECT_TRUE(holds(kept)) << kept;
  for (const char* broken : {"cost < 7300", "cost <= 9.99 $/h", "cost <= 7299 USD/month"})
    EXPECT_FALSE(holds(broken)) << broken;
}

TEST(Gate, ARunThatTakesTenHoursCostsATenthOfItsMoneyByTheHour) {
  PlanAnswer run = service();
  run.options[0].amount = Dollars::from_base(50);
  run.duration = EstimateOf<Seconds>::exact(Seconds::from_base(36000), Basis::kModelled, "");
  EXPECT_TRUE(holds("cost <= 5 $/h", run));
  EXPECT_TRUE(holds("cost <= $50", run));
  EXPECT_TRUE(holds("days <= 10 h", run));
  EXPECT_TRUE(holds("days < 0.5", run));
  EXPECT_FALSE(holds("cost <= 4.9 $/h", run));
}

TEST(Gate, GpusAndTokensHaveTheirUnits) {
  PlanAnswer answer = service();
  answer.machine = PlanMachine{.layout = {.gpus = 64}};
  answer.options[0].cost.per_mtoken =
      EstimateOf<Dollars>::exact(Dollars::from_base(0.4), Basis::kModelled, "");
  for (const char* kept : {"gpus <= 64", "gpus == 64 GPUs", "per_mtoken <= 0.4",
                           "per_mtoken <= 0.4 $/Mtok", "per_mtoken <= 0.4 USD/M tokens"})
    EXPECT_TRUE(holds(kept, answer)) << kept;
  EXPECT_FALSE(holds("gpus < 64 GPUs", answer));
  EXPECT_FALSE(holds("per_mtoken <= 0.39 $/Mtok", answer));
}

struct Slip {
  const char* text;
  std::uint32_t column;
  std::uint32_t length;
  const char* message;
};

TEST(Gate, WhatIsWrongIsPointedAtBeforeAnythingIsComputed) {
  for (const Slip& slip : {Slip{"lod_factor >= 3", 1, 10, "no figure 'lod_factor'"},
                           Slip{"load_factor", 1, 11, "there is no comparison"},
                           Slip{"load_factor >=", 15, 1, "nothing to compare with"},
                           Slip{"load_factor >= $5", 16, 2, "'$5' is not a share"},
                           Slip{"cost <= 5 %", 9, 3, "'5 %' is not money"},
                           Slip{"cost <= gpus", 9, 4, "cost is money, gpus is a number of GPUs"},
                           Slip{"5 >= 3", 1, 1, "no figure '5'"},
                           Slip{"3 apples < cost", 1, 8, "'3 apples' is not money"}}) {
    const auto gate = Gate::parse(slip.text);
    ASSERT_FALSE(gate) << slip.text;
    EXPECT_EQ(gate.error().where.column, slip.column) << slip.text;
    EXPECT_EQ(gate.error().where.length, slip.length) << slip.text;
    EXPECT_NE(gate.error().message.find(slip.message), std::string::npos) << gate.error().message;
    EXPECT_FALSE(gate.error().hint.empty());
  }
}

}  // namespace
}  // namespace loadfactor::engine
