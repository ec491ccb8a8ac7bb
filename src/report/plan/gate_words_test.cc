// Gates with the figures that they were judged by.
#include <string>

#include <gtest/gtest.h>

#include "engine/plan/plan_gate.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

engine::PlanAnswer service() {
  engine::PlanAnswer answer;
  answer.load_factor = EstimateOf<double>::exact(0.22, Basis::kModelled, "");
  answer.break_even = EstimateOf<double>::exact(0.27, Basis::kModelled, "");
  engine::PlanOption option;
  option.amount = Dollars::from_base(7300);  // $10 an hour.
  answer.options.push_back(option);
  return answer;
}

std::string words(const std::string& text, const engine::PlanAnswer& answer = service()) {
  const auto gate = engine::Gate::parse(text)->judge(answer);
  return gate ? gate_words(*gate, answer) : std::string();
}

TEST(GateWords, SaysTheFiguresItCompared) {
  EXPECT_EQ(words("load_factor >= break_even"), "load_factor 22 % >= break_even 27 %");
  EXPECT_EQ(words("0.3 >= load_factor"), "0.3 >= load_factor 0.22");
  EXPECT_EQ(words("cost<=5000"), "cost $7300 a month <= 5000");
}

TEST(GateWords, SpeaksInTheUnitItWasAskedIn) {
  EXPECT_EQ(words("cost <= 9.99 $/h"), "cost 10 $/h <= 9.99 $/h");
  EXPECT_EQ(words("cost <= $5000/month"), "cost $7300/month <= $5000/month");
  EXPECT_EQ(words("cost <= 200 USD/day"), "cost 240 USD/day <= 200 USD/day");
  EXPECT_EQ(words("load_factor >= 30 %"), "load_factor 22 % >= 30 %");
}

TEST(GateWords, ShowsAsManyDigitsAsItTakesToReadAsItWasJudged) {
  engine::PlanAnswer answer = service();
  answer.load_factor = EstimateOf<double>::exact(0.012941, Basis::kModelled, "");
  EXPECT_EQ(words("load_factor >= 0.013", answer), "load_factor 0.0129 >= 0.013");
  EXPECT_EQ(words("load_factor >= 1.2939 %", answer), "load_factor 1.294 % >= 1.2939 %");
  answer.break_even = EstimateOf<double>::exact(0.012942, Basis::kModelled, "");
  EXPECT_EQ(words("load_factor >= break_even", answer),
            "load_factor 1.2941 % >= break_even 1.2942 %");
}

TEST(GateWords, WhatIsNotFeasibleSaysSo) {
  engine::PlanAnswer answer = service();
  answer.decision = engine::PlanDecision::kNotFeasible;
  EXPECT_EQ(words("load_factor < break_even", answer),
            "load_factor < break_even (the plan is not feasible)");
}

}  // namespace
}  // namespace loadfactor::report
