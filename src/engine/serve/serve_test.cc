#include "loadfactor/serve.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/testing/planned.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

using engine::testing::shipped;

ServeInputs ask(const std::string& serve, const std::string& rest = "hardware: [h100-sxm]\n") {
  return {.scenario = config::testing::sound("loadfactor: 1\nname: chat\nserve:\n" + serve + rest)};
}

constexpr const char* kDemand =
    "  demand: {requests_per_second: 2, tokens_in: 500, tokens_out: 100}\n";

ServeAnswer answer_of(const ServeInputs& request) {
  Diagnostics diagnostics;
  auto answer = shipped().serve(request, diagnostics);
  EXPECT_TRUE(answer.has_value()) << render(diagnostics);
  return answer.value_or(ServeAnswer{});
}

int code_of(const ServeInputs& request) {
  Diagnostics diagnostics;
  const auto answer = shipped().serve(request, diagnostics);
  EXPECT_FALSE(answer.has_value());
  return diagnostics.empty() ? 0 : diagnostics.errors().front().code;
}

TEST(ServeTest, AnAnswerHasCapacitySpeedAndALimit) {
  const auto answer = answer_of(ask(std::string("  model: llama-3.1-8b\n") + kDemand));
  EXPECT_GT(answer.kv_tokens.value(), Tokens::from_base(200e3));
  EXPECT_GT(answer.saturated.value(), answer.output_rate.value());
  EXPECT_LT(answer.tpot.low(), answer.tpot.value());
  EXPECT_GT(answer.limit.sequences, 0);
  EXPECT_GT(answer.limit.tokens_each, 0);
  EXPECT_EQ(answer.load.kind, ServeLoad::Kind::kArriving);
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

TEST(ServeTest, AnAnchorThatAnySpeedWouldGiveIsRefused) {
  auto request = ask(std::string("  model: llama-3.1-8b\n") + kDemand);
  request.anchor = ServeAnchor{.metric = "req_s", .value = 2, .rate = 2, .source = "a run"};
  EXPECT_EQ(code_of(request), lf::kBadAnchor);
}

TEST(ServeTest, PoolsApartAreAnsweredForBoth) {
  const std::string pools =
      "  model: llama-3.1-8b\n"
      "  demand: {requests_per_second: 20, tokens_in: 2000, tokens_out: 200}\n"
      "  deployment: {prefill: {gpu: PROMPTS, tp: 1, replicas: 2}, "
      "decode: {gpu: h100-sxm, tp: 1, replicas: 3}}\n";
  const auto with = [&](const std::string& chip) {
    std::string text = pools;
    return ask(text.replace(text.find("PROMPTS"), 7, chip), "");
  };
  const auto answer = answer_of(with("h100-sxm"));
  EXPECT_EQ(answer.layout.gpus, 5);
  EXPECT_EQ(answer.prompt_gpus, 2);
  EXPECT_GT(answer_of(with("a100-80gb-sxm")).ttft.value(), answer.ttft.value());
  EXPECT_EQ(code_of(with("no-such-chip")), lf::kUnknownAccelerator);
}

TEST(ServeTest, ALayoutTheModelCannotTakeIsRefused) {
  const std::string demand = "  demand: {requests_per_second: 1, tokens_in: 100, tokens_out: 10}\n";
  const auto code = [&](const std::string& model, const std::string& deployment) {
    return code_of(ask(
        "  model: " + model + "\n" + demand + "  deployment: {gpu: h200-sxm, " + deployment + "}\n",
        ""));
  };
  EXPECT_EQ(code("llama-3.1-8b", "tp: 1, pp: 33"), lf::kNotDivisible);  // 32 layers.
  EXPECT_EQ(code("llama-3.1-8b", "tp: 1, ep: 2"), lf::kNotDivisible);   // No experts.
  EXPECT_EQ(code("deepseek-v3", "tp: 8, ep: 3"), lf::kNotDivisible);    // 3 of 8 ranks.
}

TEST(ServeTest, ACacheThatHoldsNoRequestIsRefused) {
  auto request = ask(std::string("  model: llama-3.1-8b\n") + kDemand);
  request.kv_tokens = 10;
  EXPECT_EQ(code_of(request), lf::kNothingServed);
}

TEST(ServeTest, BatchesBeyondMemoryRunInWaves) {
  auto request = ask(std::string("  model: llama-3.1-8b\n") + kDemand);
  request.batches = {1, 1000000};
  const auto answer = answer_of(request);
  ASSERT_EQ(answer.batches.size(), 2U);
  EXPECT_LE(answer.batches[1].mbu, 1);
  EXPECT_TRUE(std::any_of(answer.notices.begin(), answer.notices.end(),
                          [](const Notice& notice) { return notice.id == "waves"; }));
}

TEST(ServeTest, TheEnginesOwnCountOfTokensWins) {
  auto request = ask(std::string("  model: llama-3.1-8b\n") + kDemand);
  request.kv_tokens = 41408;
  EXPECT_EQ(answer_of(request).kv_tokens.value(), Tokens::from_base(41408));
}

}  // namespace
}  // namespace loadfactor
