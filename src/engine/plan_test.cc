#include "engine/plan.h"

#include <fstream>
#include <sstream>
#include <string>

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
  question.confirm = 1;
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

TEST(Plan, LessDemandNeverAsksForMoreGpus) {
  const std::string text = scenario("chatbot-spiky.yaml");
  int before = 1 << 30;
  for (const char* rate : {"24 M", "12 M", "3 M"}) {
    const auto answer =
        plan(text, {std::string("serve.demand.requests_per_month=") + rate, "hardware=[l40s]"});
    ASSERT_TRUE(answer.machine);
    EXPECT_LE(answer.machine->gpus, before) << rate;
    before = answer.machine->gpus;
  }
}

TEST(Plan, CheaperHardwareNeverCostsMore) {
  const std::string text = scenario("chatbot-spiky.yaml");
  Dollars before = Dollars::from_base(0);
  for (const char* rent : {"0.5", "1", "2"}) {
    const auto answer = plan(
        text, {std::string("money.rent.on_demand=") + rent + " USD/GPU-hour", "hardware=[l40s]"});
    ASSERT_FALSE(answer.options.empty());
    EXPECT_GE(answer.options[0].amount, before) << rent;
    before = answer.options[0].amount;
  }
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

TEST(Gate, ComparesFiguresAndNumbers) {
  PlanAnswer answer;
  answer.load_factor = EstimateOf<double>::exact(0.22, Basis::kModelled, "");
  answer.break_even = EstimateOf<double>::exact(0.27, Basis::kModelled, "");
  EXPECT_FALSE(*holds("load_factor >= break_even", answer));
  EXPECT_TRUE(*holds("load_factor < break_even", answer));
  EXPECT_TRUE(*holds("load_factor >= 22 %", answer));
  EXPECT_FALSE(*holds("cost <= 5", answer));  // There is no cost to compare.
  EXPECT_FALSE(holds("load >= 5", answer));
  EXPECT_FALSE(holds("load_factor", answer));
}

}  // namespace
}  // namespace loadfactor::engine
