// One scenario asked of every verb: what one of them reads, the others read, refuse or name.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/text/json_text.h"
#include "loadfactor/cost.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const Engine& engine() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

constexpr const char* kService = R"(loadfactor: 1
name: service
serve:
  model: llama-3.1-8b
  precision: fp8
  {}
  slo: {{ttft_p95: 5 s, tpot_p95: 100 ms}}
  deployment: {{gpu: h100-sxm, tp: 1}}
hardware: [h100-sxm]
money: {{options: [on-demand]{}}}
)";
constexpr const char* kDemand = "demand: {requests_per_hour: 100, tokens_in: 500, tokens_out: 100}";

std::string service(const std::string& demand, const std::string& money = {}) {
  return fmt::format(kService, demand, money);
}

// Sixty requests, one a minute.
std::string trace() {
  std::string text = "timestamp,input_tokens,output_tokens\n";
  for (int i = 0; i <= 60; ++i)
    text += fmt::format("{},{},{}\n", 60 * i, i % 2 == 0 ? 400 : 600, i % 2 == 0 ? 80 : 120);
  return text;
}

struct Reply {
  std::optional<Answer> answer;
  Diagnostics problems;

  int code() const { return problems.empty() ? 0 : problems.errors().front().code; }
  std::string place() const {
    const SourceSpan& at = problems.errors().front().where;
    return fmt::format("{}:{}", at.line, at.column);
  }
  bool names(std::string_view id, std::string_view key) const {
    for (const Notice& notice : answer->notices())
      if (notice.id == id && notice.text.find(key) != std::string::npos) return true;
    return false;
  }
};

Reply ask(const std::string& verb, const std::string& scenario, bool has_trace = false) {
  const std::string files =
      has_trace ? fmt::format(R"("trace.csv": {})", json_string(trace())) : std::string();
  const std::string text = fmt::format(R"({{"verb": "{}", "scenario": {}, "files": {{{}}}}})", verb,
                                       json_string(scenario), files);
  Reply reply;
  const auto asked = question_from_json(text, {.today = "2026-11-15"}, reply.problems);
  if (asked) reply.answer = engine().ask(asked->question, reply.problems);
  return reply;
}

TEST(VerbsAgreeTest, ATraceThatIsNotThereIsRefusedWhereItIsNamed) {
  const std::string scenario = service("demand: {trace: trace.csv}");
  for (const char* verb : {"serve", "simulate", "size", "fill", "cost", "plan"}) {
    const Reply reply = ask(verb, scenario);
    EXPECT_EQ(reply.code(), lf::kCannotRead) << verb;
    EXPECT_EQ(reply.place(), "6:19") << verb;
  }
}

TEST(VerbsAgreeTest, AModelThatIsNotThereIsRefusedWhereItIsNamed) {
  std::string scenario = service(kDemand);
  const std::string name = "llama-3.1-8b";
  scenario.replace(scenario.find(name), name.size(), "{config: absent.json}");
  for (const char* verb : {"serve", "simulate", "size", "fill", "cost", "plan"}) {
    const Reply reply = ask(verb, scenario);
    EXPECT_EQ(reply.code(), lf::kCannotRead) << verb;
    EXPECT_EQ(reply.place(), "4:19") << verb;
  }
}

TEST(VerbsAgreeTest, ADemandThatIsMissingIsRefusedAlike) {
  for (const char* verb : {"simulate", "size", "fill", "cost", "plan"}) {
    const Reply reply = ask(verb, service(""));
    EXPECT_EQ(reply.code(), lf::kNothingToFill) << verb;
    EXPECT_EQ(reply.place(), "4:3") << verb;
  }
}

TEST(VerbsAgreeTest, ARegionThatNobodyKnowsIsRefusedByWhoeverPrices) {
  const std::string scenario = service(kDemand, ", region: atlantis");
  for (const char* verb : {"size", "fill", "cost", "plan"}) {
    const Reply reply = ask(verb, scenario);
    EXPECT_EQ(reply.code(), lf::kUnknownRegion) << verb;
    EXPECT_EQ(reply.place(), "10:39") << verb;
  }
}

TEST(VerbsAgreeTest, ATraceIsServedAtItsMeansAndPricedSo) {
  const std::string scenario = service("demand: {trace: trace.csv}");
  const Reply served = ask("serve", scenario, true);
  ASSERT_TRUE(served.answer) << render(served.problems);
  const auto* serve = served.answer->as<ServeAnswer>();
  EXPECT_NEAR(serve->tokens_in, 500, 2);
  EXPECT_NEAR(serve->tokens_out, 100, 1);
  EXPECT_NEAR(serve->demand_rate->base(), 1.0 / 60, 1e-3);
  EXPECT_TRUE(served.names("trace-means", "trace.csv"));

  const Reply priced = ask("cost", scenario, true);
  ASSERT_TRUE(priced.answer) << render(priced.problems);
  const auto* cost = priced.answer->as<CostAnswer>();
  EXPECT_EQ(cost->gpus, serve->layout.gpus);
  EXPECT_DOUBLE_EQ(cost->load_factor, *serve->utilisation);
  EXPECT_NEAR(cost->full_plane->base(),
              serve->saturated_requests.value().base() * (serve->tokens_in + serve->tokens_out),
              1e-6 * cost->full_plane->base());
}

TEST(VerbsAgreeTest, ElectricityIsBilledWhereNobodyOwns) {
  const auto bill = [](const char* price) {
    const Reply reply = ask("cost", service(kDemand, fmt::format(", electricity: {}", price)));
    const auto* cost = reply.answer ? reply.answer->as<CostAnswer>() : nullptr;
    return cost != nullptr && cost->facility ? cost->facility->energy_cost_per_month.base() : 0.0;
  };
  const double once = bill("0.1 USD/kWh");
  EXPECT_GT(once, 0);
  EXPECT_NEAR(bill("0.2 USD/kWh"), 2 * once, 1e-9 * once);
}

TEST(VerbsAgreeTest, WhatAVerbDoesNotReadItNames) {
  const std::string scenario =
      service(kDemand, ", electricity: 0.1 USD/kWh, own: {price: 30000 USD}");
  const Reply served = ask("serve", scenario);
  ASSERT_TRUE(served.answer) << render(served.problems);
  EXPECT_TRUE(served.names("unread-keys", "money"));
  const Reply filled = ask("fill", scenario);
  ASSERT_TRUE(filled.answer) << render(filled.problems);
  EXPECT_TRUE(filled.names("unasked-terms", "money.own"));
  EXPECT_TRUE(filled.names("unasked-terms", "money.electricity"));
  const Reply priced = ask("cost", scenario);
  ASSERT_TRUE(priced.answer) << render(priced.problems);
  EXPECT_TRUE(priced.names("unasked-terms", "money.own"));
  EXPECT_FALSE(priced.names("unasked-terms", "money.electricity"));
  EXPECT_FALSE(ask("cost", service(kDemand)).names("unasked-terms", "money"));
}

// A run that writes its own texts has them as its method says.
TEST(VerbsAgreeTest, LengthsThatAMethodDoesNotReadAreNamed) {
  const Reply trained =
      ask("train",
          "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n  sequence: 4096\n"
          "  method: {kind: grpo, prompts: 8, group: 4, prompt_tokens: 100, answer_tokens: 200}\n"
          "hardware: [h100-sxm]\nlimits: {gpus: 2}\n");
  ASSERT_TRUE(trained.answer) << render(trained.problems);
  EXPECT_TRUE(trained.names("unread-keys", "train.sequence"));
}

}  // namespace
}  // namespace loadfactor
