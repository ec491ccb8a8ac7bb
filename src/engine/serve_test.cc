#include "loadfactor/serve.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/fill.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const Engine& engine() {
  static Diagnostics diagnostics;
  static const auto instance = Engine::create({}, diagnostics);
  return *instance;
}

ServeRequest ask(const std::string& serve, const std::string& rest = "hardware: [h100-sxm]\n") {
  return {.file = "chat.yaml", .text = "loadfactor: 1\nname: chat\nserve:\n" + serve + rest};
}

constexpr const char* kDemand =
    "  demand: {requests_per_second: 2, tokens_in: 500, tokens_out: 100}\n";

ServeAnswer answer_of(const ServeRequest& request) {
  Diagnostics diagnostics;
  auto answer = engine().serve(request, diagnostics);
  EXPECT_TRUE(answer.has_value()) << render(diagnostics);
  return answer.value_or(ServeAnswer{});
}

int code_of(const ServeRequest& request) {
  Diagnostics diagnostics;
  const auto answer = engine().serve(request, diagnostics);
  EXPECT_FALSE(answer.has_value());
  return diagnostics.empty() ? 0 : diagnostics.errors().front().code;
}

TEST(ServeTest, AnAnswerHasCapacitySpeedAndALimit) {
  const auto answer = answer_of(ask(std::string("  model: llama-3.1-8b\n") + kDemand));
  EXPECT_GT(answer.kv_tokens.value(), Tokens::from_base(200e3));
  EXPECT_GT(answer.saturated.value(), answer.output_rate.value());
  EXPECT_LT(answer.tpot.low(), answer.tpot.value());
  EXPECT_FALSE(answer.limit.empty());
  EXPECT_TRUE(answer.feasible);
  EXPECT_EQ(answer.tpot.basis(), Basis::kCalibrated);
}

TEST(ServeTest, AModelThatDoesNotFitIsSaidSo) {
  EXPECT_EQ(code_of(ask("  model: llama-3.1-405b\n  deployment: {gpu: l4, tp: 1}\n", "")),
            lf::kDoesNotFit);
}

TEST(ServeTest, AnObjectiveNoLoadCanMeetIsSaidSo) {
  EXPECT_EQ(
      code_of(ask(std::string("  model: llama-3.1-70b\n  slo: {tpot_p95: 2 ms}\n") + kDemand)),
      lf::kSloOutOfReach);
}

TEST(ServeTest, RequestsLongerThanTheModelsContextAreRefused) {
  EXPECT_EQ(code_of(ask("  model: llama-2-7b\n"
                        "  demand: {requests_per_second: 1, tokens_in: 8000, tokens_out: 100}\n")),
            lf::kContextTooLong);
}

TEST(ServeTest, ATensorParallelDegreeMustSplitTheHeads) {
  EXPECT_EQ(code_of(ask("  model: llama-3.1-8b\n  deployment: {gpu: h100-sxm, tp: 3}\n", "")),
            lf::kNotDivisible);
}

TEST(ServeTest, AnOverloadNamesTheReplicasItNeeds) {
  const auto answer =
      answer_of(ask("  model: llama-3.1-70b\n"
                    "  demand: {requests_per_second: 100, tokens_in: 1000, tokens_out: 300}\n"
                    "  deployment: {gpu: h100-sxm, tp: 4, replicas: 1}\n",
                    ""));
  EXPECT_FALSE(answer.feasible);
  EXPECT_GT(answer.replicas_needed, 1);
}

TEST(ServeTest, AnAnchorTakesThePredictionMostOfTheWay) {
  auto request = ask(std::string("  model: llama-3.1-8b\n") + kDemand);
  request.concurrency = 16;
  const double before = answer_of(request).tpot.value().base();
  request.anchor =
      ServeAnchor{.metric = "tpot_ms", .value = 2e3 * before, .concurrency = 16, .source = "a run"};
  const double after = answer_of(request).tpot.value().base();
  EXPECT_GT(after, 1.6 * before);
  EXPECT_LT(after, 2.0 * before);
}

TEST(ServeTest, ModelsThatAreLeftOutAreSaidToBe) {
  const auto has = [](const ServeAnswer& answer, const std::string& id) {
    return std::any_of(answer.notices.begin(), answer.notices.end(),
                       [&](const Notice& notice) { return notice.id == id; });
  };
  const std::string one = std::string("  model: llama-3.1-8b\n") + kDemand;
  EXPECT_FALSE(has(answer_of(ask(one)), "other-models"));
  EXPECT_TRUE(
      has(answer_of(ask(one + "  others:\n  - model: llama-3.1-8b\n    demand: "
                              "{requests_per_second: 1, tokens_in: 500, tokens_out: 100}\n")),
          "other-models"));
}

TEST(ServeTest, ATpThatIsLeftOpenIsTheOneThatTheOtherVerbsTake) {
  // 70B in 16 bits: 141 GB of weights do not fit two H100, whose cache then holds nothing.
  for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "qwen2.5-32b"}) {
    const ServeRequest request =
        ask(std::string("  model: ") + model + "\n  slo: {tpot_p95: 100 ms}\n" + kDemand);
    Diagnostics diagnostics;
    engine::FillQuestion asked;
    asked.serving.file = request.file;
    asked.serving.text = request.text;
    asked.simulating = engine::Simulating::kNever;
    const auto filled = engine::fill_fleet(asked, engine().catalog(), diagnostics);
    ASSERT_TRUE(filled) << render(diagnostics);
    EXPECT_EQ(answer_of(request).tp, filled->layout.tp) << model;
  }
}

TEST(ServeTest, TheEnginesOwnCountOfTokensWins) {
  auto request = ask(std::string("  model: llama-3.1-8b\n") + kDemand);
  request.kv_tokens = 41408;
  EXPECT_EQ(answer_of(request).kv_tokens.value(), Tokens::from_base(41408));
}

}  // namespace
}  // namespace loadfactor
