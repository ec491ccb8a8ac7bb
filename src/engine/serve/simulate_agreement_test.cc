// The closed form and the simulator are two ways to the same figure of one deployment.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/testing/planned.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

using config::testing::sound;
using engine::testing::shipped;

std::string text_of(const std::string& deployment, const std::string& rate = "10",
                    const std::string& model = "llama-3.1-8b") {
  return "loadfactor: 1\nname: both\nserve:\n  model: " + model +
         "\n  demand: {requests_per_second: " + rate +
         ", tokens_in: 1000, tokens_out: 200}\n  deployment: {gpu: h100-sxm, tp: 1, " + deployment +
         "}\n";
}

template <typename Answer>
bool has_notice(const Answer& answer, const std::string& id) {
  return std::any_of(answer.notices.begin(), answer.notices.end(),
                     [&](const Notice& notice) { return notice.id == id; });
}

ServeAnswer served(const std::string& text) {
  Diagnostics diagnostics;
  auto answer = shipped().serve({.scenario = sound(text)}, diagnostics);
  EXPECT_TRUE(answer.has_value()) << render(diagnostics);
  return answer.value_or(ServeAnswer{});
}

SimulateAnswer simulated(const std::string& text, std::int64_t requests = 300) {
  Diagnostics diagnostics;
  SimulateInputs request;
  request.scenario = sound(text);
  request.requests = requests;
  auto answer = shipped().simulate(request, diagnostics);
  EXPECT_TRUE(answer.has_value()) << render(diagnostics);
  return answer ? *std::move(answer) : SimulateAnswer{};
}

TEST(AgreementTest, TheSaturatedRateIsTheSameWithinATenth) {
  constexpr double kTolerance = 0.1;
  for (const char* deployment :
       {"engine: vllm", "engine: vllm, prefix_hits: 50 %", "engine: vllm, prefix_hits: 99 %",
        "engine: vllm, speculation: {tokens: 4, acceptance: 0.7}",
        "engine: vllm, speculation: {tokens: 30, acceptance: 0.7}", "engine: vllm, chunk: 100",
        "engine: vllm, chunk: 512", "engine: vllm, dp: 2", "engine: vllm-v0", "engine: sglang",
        "engine: sglang, chunk: 100", "engine: tensorrt-llm"}) {
    const std::string text = text_of(std::string("replicas: 1, ") + deployment);
    const double formula = served(text).saturated_requests.value().base();
    const double queue = simulated(text, 30).saturated_rate.value().base();
    EXPECT_NEAR(queue / formula, 1, kTolerance) << deployment << ": " << formula;
  }
}

// A step of a mixture with twice the prompts takes less than twice as long, so that it matters how
// many of the steps have any.
TEST(AgreementTest, TheSaturatedRateOfMixturesIsTheSameWithinATenth) {
  for (const char* model : {"qwen3-30b-a3b", "gpt-oss-20b", "mixtral-8x7b"}) {
    for (const char* split : {"tp: 4", "tp: 8"}) {
      std::string text = text_of("engine: vllm, replicas: 1", "10", model);
      text.replace(text.find("tp: 1"), 5, split);
      text.replace(text.find("h100-sxm"), 8, "a100-80gb-sxm");
      text.replace(text.find("tokens_out: 200"), 15, "tokens_out: 250");
      const double formula = served(text).saturated_requests.value().base();
      const double queue = simulated(text, 30).saturated_rate.value().base();
      EXPECT_NEAR(queue / formula, 1, 0.1) << model << ", " << split << ": " << formula;
    }
  }
}

// Half of its layers keep the last 128 tokens alone: as many more sequences run.
TEST(AgreementTest, WindowsLeaveRoomForAsManySequencesInBoth) {
  const std::string text = text_of("engine: vllm, replicas: 1", "300", "gpt-oss-120b");
  const ServeAnswer formula = served(text);
  EXPECT_GT(formula.sequences, 1.5 * formula.kv_tokens.value().base() / 1100);
  const double queue = simulated(text, 30).saturated_rate.value().base();
  EXPECT_NEAR(queue / formula.saturated_requests.value().base(), 1, 0.15);
}

// Answers grow into a cache that their prompts filled: some are sent back and computed again.
TEST(AgreementTest, ACrowdedCacheCostsAsMuchInBoth) {
  for (const char* lengths :
       {"tokens_in: 1000, tokens_out: 1000", "tokens_in: 500, tokens_out: 1000",
        "tokens_in: 2000, tokens_out: 500"}) {
    std::string text = text_of("engine: vllm, replicas: 1", "300", "llama-3.3-70b");
    text.replace(text.find("tp: 1"), 5, "tp: 4");
    text.replace(text.find("tokens_in: 1000, tokens_out: 200"), 32, lengths);
    const double formula = served(text).saturated_requests.value().base();
    const double queue = simulated(text, 30).saturated_rate.value().base();
    EXPECT_NEAR(queue / formula, 1, 0.1) << lengths << ": " << formula;
  }
}

TEST(AgreementTest, WhatAReplicaServesDoesNotDependOnWhatIsAskedOfIt) {
  const std::string deployment = "engine: vllm, replicas: 1";
  const double calm = simulated(text_of(deployment, "5")).saturated_rate.value().base();
  const SimulateAnswer crowded = simulated(text_of(deployment, "100"), 3000);
  EXPECT_EQ(crowded.saturated_rate.value().base(), calm);
  EXPECT_FALSE(has_notice(crowded, "saturated-witness"));
}

TEST(AgreementTest, AReplicaIsAllItsRanks) {
  const std::string text = text_of("engine: vllm, dp: 2, replicas: 2", "2");
  const ServeAnswer formula = served(text);
  const SimulateAnswer answer = simulated(text);
  EXPECT_EQ(answer.kv_tokens.value(), formula.kv_tokens.value());
  const double one =
      simulated(text_of("engine: vllm, replicas: 1", "2")).saturated_rate.value().base();
  EXPECT_NEAR(answer.saturated_rate.value().base(), 2 * one, 0.04 * one);
  EXPECT_NEAR(answer.losses.demand.value(), 0.5, 1e-9);  // One of two replicas is not needed.
  EXPECT_EQ(answer.replica_names.front(), "replica 1 rank 1");
  EXPECT_EQ(answer.replica_names.back(), "replica 2 rank 2");
  for (const LoadPoint& point : answer.series) EXPECT_EQ(point.replicas, 2);
  EXPECT_NEAR(answer.paid_replica_time / answer.duration, 2, 1e-9);
}

TEST(AgreementTest, AModelIsComputedAsItIsReleased) {
  // Its experts are 4 bits wide; with 16 they would take more than twice as long to read.
  const std::string text = text_of("engine: vllm, replicas: 1", "0.01", "gpt-oss-20b");
  const double formula = served(text).tpot.value().base();
  EXPECT_NEAR(simulated(text, 1).tpot.p50.value().base() / formula, 1, 0.15);
}

TEST(AgreementTest, ARequestFindsTheMeanOfTheOthersBesideItself) {
  // How many run decides how many experts are read: at a mean of one, a request is one of two.
  const std::string text = text_of("engine: vllm, replicas: 1", "2", "qwen3-30b-a3b");
  const double formula = served(text).tpot.value().base();
  EXPECT_NEAR(simulated(text, 2000).tpot.mean.value().base() / formula, 1, 0.06);
}

TEST(AgreementTest, UtilisationMeansTheSameInBoth) {
  for (const char* deployment :
       {"engine: vllm", "engine: vllm, pp: 2", "engine: vllm, prefix_hits: 80 %",
        "engine: vllm, speculation: {tokens: 3, acceptance: 0.7}"}) {
    const std::string text = text_of(std::string("replicas: 1, ") + deployment, "8");
    const ServeAnswer formula = served(text);
    const SimulateAnswer queue = simulated(text, 3000);
    EXPECT_NEAR(queue.mfu.value() / formula.mfu.value(), 1, 0.1) << deployment;
    EXPECT_NEAR(queue.mbu.value() / formula.mbu.value(), 1, 0.15) << deployment;
  }
}

TEST(AgreementTest, NoMoreTokensLeaveThanRequestsBring) {
  const auto calm = served(text_of("engine: vllm, replicas: 1", "1")).output_rate;
  EXPECT_NEAR(calm.value().base(), 200, 1e-6);
  EXPECT_EQ(calm.low(), calm.value());  // Even a slow one keeps up.
  EXPECT_EQ(calm.high(), calm.value());
  const auto quiet = simulated(text_of("engine: vllm, replicas: 1", "1")).request_rate;
  EXPECT_EQ(quiet.low(), quiet.value());
  EXPECT_EQ(quiet.high(), quiet.value());
  const auto busy = served(text_of("engine: vllm, replicas: 1", "20")).output_rate;
  EXPECT_LT(busy.low(), busy.value());
  EXPECT_EQ(busy.high(), busy.value());
}

TEST(AgreementTest, MoreSequencesThanTokensOfAStepAreRefusedOrLowered) {
  Diagnostics diagnostics;
  const std::string both = text_of("engine: vllm, replicas: 1, chunk: 100, max_seqs: 256");
  EXPECT_FALSE(shipped().serve({.scenario = sound(both)}, diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kContradictoryKeys);
  const std::string lowered = text_of("engine: vllm, replicas: 1, chunk: 100");
  EXPECT_EQ(served(lowered).max_sequences, 100);
  const SimulateAnswer answer = simulated(lowered);
  EXPECT_EQ(answer.max_seqs, 100);
  EXPECT_EQ(answer.chunk, 100);
  EXPECT_TRUE(has_notice(answer, "lowered-max-seqs"));
  const SimulateAnswer apart =
      simulated(text_of("engine: sglang, replicas: 1, chunk: 100, max_seqs: 256"));
  EXPECT_EQ(apart.max_seqs, 256);  // Its chunk bounds prompts alone.
  EXPECT_EQ(apart.chunk, 100);
}

TEST(AgreementTest, TimeThatAReplicaWasDownIsALossOfItsOwn) {
  const SimulateAnswer answer = simulated(
      text_of("engine: vllm, replicas: 2, failures: [{at: 10 s, repair: 1 h, replica: 2}]", "4"),
      400);
  const double down = 0.5 * (1 - 10 / answer.duration.base());
  EXPECT_NEAR(answer.losses.downtime.value(), down, 1e-9);
  const LoadLosses& l = answer.losses;
  EXPECT_NEAR(answer.load_factor.value() + l.demand.value() + l.shape.value() + l.headroom.value() +
                  l.slo.value() + l.rounding.value() + l.downtime.value(),
              1, 1e-9);
}

TEST(AgreementTest, AReleaseThatNobodyKnowsIsSaid) {
  const std::string text = text_of("engine: vllm, release: \"1.2\", replicas: 1");
  EXPECT_TRUE(has_notice(served(text), "unknown-release"));
  EXPECT_TRUE(has_notice(simulated(text), "unknown-release"));
  EXPECT_FALSE(has_notice(served(text_of("engine: vllm, release: \"0.11\", replicas: 1")),
                          "unknown-release"));
}

TEST(AgreementTest, AFormatWithoutUnitsSavesBytesAndNoArithmetic) {
  const auto on_a100 = [](const std::string& precision) {
    std::string text = text_of("engine: vllm, replicas: 1", "0.1");
    text.replace(text.find("h100-sxm"), 8, "a100-80gb-sxm");
    return text + "  precision: " + precision + "\n";
  };
  const ServeAnswer wide = served(on_a100("bf16"));
  for (const char* precision : {"fp8", "nvfp4"}) {
    const ServeAnswer narrow = served(on_a100(precision));
    EXPECT_TRUE(has_notice(narrow, "no-arithmetic")) << precision;
    EXPECT_LT(narrow.weights_per_gpu.value(), 0.7 * wide.weights_per_gpu.value());
    EXPECT_LT(narrow.decode_step, wide.decode_step);         // Reads less,
    EXPECT_GT(narrow.prompt_step, 0.95 * wide.prompt_step);  // multiplies as before.
  }
  EXPECT_FALSE(has_notice(wide, "no-arithmetic"));
}

TEST(AgreementTest, AnAnchorSaysOneThingOfAFullBatchWhateverIsAsked) {
  ServeInputs request{.scenario = sound(text_of("engine: vllm, replicas: 1"))};
  request.anchor = ServeAnchor{.metric = "tpot_ms", .value = 9, .concurrency = 16, .source = "run"};
  const auto saturated = [&](double concurrency) {
    Diagnostics diagnostics;
    request.concurrency = concurrency;
    const auto answer = shipped().serve(request, diagnostics);
    return answer ? answer->saturated.value().base() : 0.0;
  };
  EXPECT_GT(saturated(1), 0);
  EXPECT_EQ(saturated(1), saturated(16));
  EXPECT_EQ(saturated(1), saturated(200));
}

TEST(AgreementTest, AnAnchorOfAnotherModelOrOtherLengthsIsSaid) {
  ServeInputs request{.scenario = sound(text_of("engine: vllm, replicas: 1"))};
  ServeAnchor run{.metric = "tpot_ms",
                  .value = 9,
                  .concurrency = 16,
                  .tokens_in = 1000,
                  .tokens_out = 200,
                  .model = "meta-llama/Llama-3.1-8B",
                  .source = "run.json"};
  const auto is_said = [&] {
    Diagnostics diagnostics;
    request.anchor = run;
    const auto answer = shipped().serve(request, diagnostics);
    return answer && has_notice(*answer, "other-run");
  };
  EXPECT_FALSE(is_said());
  run.model = "meta-llama/Llama-3.1-70B";
  EXPECT_TRUE(is_said());
  run.model.clear();
  run.tokens_in = 300;
  EXPECT_TRUE(is_said());
}

}  // namespace
}  // namespace loadfactor
