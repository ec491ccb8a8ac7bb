// Models that embed, score, see or hear, as services: one pass for each request, or an encoder
// first.
#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "engine/serve/serve_figures.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor {
namespace {

const engine::Core& shipped() {
  static const auto kCore = [] {
    Diagnostics diagnostics;
    return engine::Core::create({}, diagnostics);
  }();
  return *kCore;
}

config::Scenario service(const std::string& model, const std::string& demand,
                         const std::string& deployment = "gpu: h100-sxm, tp: 1, replicas: 1") {
  return config::testing::sound("loadfactor: 1\nname: encoders\nserve:\n  model: " + model +
                                "\n  demand: {requests_per_second: 20, " + demand +
                                "}\n  deployment: {" + deployment + "}\n");
}

ServeAnswer served(const config::Scenario& asked) {
  Diagnostics diagnostics;
  const auto answer = shipped().serve({.scenario = asked}, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer ? *answer : ServeAnswer{};
}

SimulateAnswer simulated(const config::Scenario& asked) {
  Diagnostics diagnostics;
  SimulateInputs request{.scenario = asked};
  request.requests = 2000;
  const auto answer = shipped().simulate(request, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer ? *answer : SimulateAnswer{};
}

int refusal(const config::Scenario& asked) {
  Diagnostics diagnostics;
  EXPECT_FALSE(shipped().serve({.scenario = asked}, diagnostics));
  return diagnostics.empty() ? 0 : diagnostics.errors().front().code;
}

TEST(EncoderServiceTest, AnEmbeddingIsThereAfterOnePass) {
  const auto answer = simulated(service("bge-m3", "tokens_in: 400, tokens_out: 0"));
  EXPECT_EQ(answer.ttft.p95.value(), answer.e2e.p95.value());
  EXPECT_EQ(answer.tpot.count, 0);
}

TEST(EncoderServiceTest, ClosedFormAndSimulationAgreeOnWhatAReplicaReads) {
  const auto asked = service("bge-m3", "tokens_in: 400, tokens_out: 0");
  const double closed = served(asked).saturated_requests.value().base();
  const double rate = simulated(asked).saturated_rate.value().base();
  EXPECT_NEAR(closed / rate, 1.0, 0.25);
}

// From a replica that is next to idle to one that is next to full.
TEST(EncoderServiceTest, TheMeanTimeOfATextIsWithinItsIntervalOfTheSimulator) {
  for (const char* model : {"bge-reranker-v2-m3", "bge-m3", "qwen3-embedding-8b"}) {
    const auto asked =
        service(model, "tokens_in: 350, tokens_out: 0", "gpu: l40s, tp: 1, replicas: 1");
    const double full = served(asked).saturated_requests.value().base();
    for (const double utilisation : {0.02, 0.2, 0.4, 0.6, 0.75, 0.9}) {
      const auto busy = asked.with({{"serve.demand.requests_per_second", utilisation * full}});
      const auto closed = served(busy);
      const double mean = simulated(busy).e2e.mean.value().base();
      EXPECT_GE(mean, closed.latency.low().base()) << model << " at " << utilisation;
      EXPECT_LE(mean, closed.latency.high().base()) << model << " at " << utilisation;
      // Two thousand texts are too few for the mean of the queue of a replica that is next to full.
      if (utilisation > 0.8) continue;
      EXPECT_NEAR(closed.latency.value().base() / mean, 1.0, 0.25)
          << model << " at " << utilisation;
    }
  }
}

TEST(EncoderServiceTest, MoreTextsThanAReplicaReadsAreSaidToBeTooMany) {
  const auto asked = service("bge-reranker-v2-m3", "tokens_in: 350, tokens_out: 0",
                             "gpu: l40s, tp: 1, replicas: 1");
  const double full = served(asked).saturated_requests.value().base();
  const auto answer = served(asked.with({{"serve.demand.requests_per_second", 1.2 * full}}));
  EXPECT_FALSE(answer.feasible);
  EXPECT_EQ(answer.replicas_needed, 2);
}

// Arithmetic of 24 layers of 12.6 M weights, twice for each token.
TEST(EncoderServiceTest, NoEncoderBeatsThePeak) {
  const auto answer = served(service("bge-m3", "tokens_in: 400, tokens_out: 0"));
  const double flops = 2.0 * 302e6 * 400 * answer.saturated_requests.value().base();
  EXPECT_LT(flops, 989e12);
  EXPECT_GT(flops, 0.05 * 989e12);
}

TEST(EncoderServiceTest, AnImageCostsMoreThanAsManyTokensOfText) {
  const auto text = served(service("qwen2.5-vl-7b", "tokens_in: 1496, tokens_out: 100"));
  const auto image = served(service("qwen2.5-vl-7b", "tokens_in: 200, tokens_out: 100, images: 1"));
  EXPECT_EQ(image.tokens_in, 1496);
  EXPECT_GT(image.ttft.value(), text.ttft.value());
  EXPECT_LT(image.saturated_requests.value(), text.saturated_requests.value());
}

// Twice the room for keys and values would add a few percent: it is the encoder that works.
TEST(EncoderServiceTest, RoomThatAddsLittleIsNotTheLimit) {
  const auto image = served(service("qwen2.5-vl-7b", "tokens_in: 200, tokens_out: 250, images: 1"));
  EXPECT_EQ(image.limit.kind, ServeLimit::Kind::kPrompts);
}

TEST(EncoderServiceTest, AModelWithoutImagesIsNotChargedForItsTower) {
  const auto seeing = served(service("qwen2.5-vl-7b", "tokens_in: 500, tokens_out: 100"));
  const auto blind = served(service("qwen2.5-7b", "tokens_in: 500, tokens_out: 100"));
  EXPECT_NEAR(seeing.tpot.value() / blind.tpot.value(), 1.0, 0.02);
}

TEST(EncoderServiceTest, SpeechIsReadByTheEncoderAndWrittenByTheDecoder) {
  const auto answer = served(service("whisper-large-v3", "tokens_in: 1500, tokens_out: 100"));
  EXPECT_GT(answer.ttft.value(), answer.tpot.value());
  const auto simulation =
      simulated(service("whisper-large-v3", "tokens_in: 1500, tokens_out: 100"));
  EXPECT_GT(simulation.e2e.p50.value(), simulation.ttft.p50.value());
}

// Engines fill sound up to a window before the encoder reads it.
TEST(EncoderServiceTest, ShortSoundTakesAsLongAsAWholeWindow) {
  const auto whole = service("whisper-large-v3", "tokens_in: 1500, tokens_out: 100");
  const auto part = service("whisper-large-v3", "tokens_in: 200, tokens_out: 100");
  const auto answer = served(part);
  EXPECT_EQ(answer.tokens_in, 1500);
  EXPECT_EQ(answer.ttft.value(), served(whole).ttft.value());
  EXPECT_EQ(answer.saturated_requests.value(), served(whole).saturated_requests.value());
  EXPECT_EQ(simulated(part).ttft.p95.value(), simulated(whole).ttft.p95.value());
  const auto is_filled = [](const Notice& notice) { return notice.id == "filled-window"; };
  EXPECT_TRUE(std::any_of(answer.notices.begin(), answer.notices.end(), is_filled));
  EXPECT_EQ(refusal(service("whisper-large-v3", "tokens_in: 1600, tokens_out: 100")),
            lf::kContextTooLong);
}

// Lengths of the texts come from the trace; what it says of answers is not asked.
TEST(EncoderServiceTest, TextsOfATraceAreReadAndNothingIsWritten) {
  for (const std::string model : {"bge-m3", "bge-reranker-v2-m3"}) {
    const auto asked = config::testing::sound(
        "loadfactor: 1\nname: texts\nserve:\n  model: " + model +
        "\n  demand: {trace: texts.csv}\n  deployment: {gpu: h100-sxm, tp: 1, replicas: 1}\n");
    const auto replayed = [&](const std::string& text) {
      Diagnostics diagnostics;
      const auto answer = shipped().simulate({.scenario = asked, .files = {{}, text}}, diagnostics);
      EXPECT_TRUE(answer) << render(diagnostics);
      return answer ? *answer : SimulateAnswer{};
    };
    const auto plain = replayed("arrival_s,input_tokens\n0,100\n1,700\n2,400\n");
    const auto with = replayed("arrival_s,input_tokens,output_tokens\n0,100,5\n1,700,9\n2,400,0\n");
    EXPECT_EQ(plain.ttft.p95.value(), with.ttft.p95.value());
    EXPECT_EQ(plain.tpot.count, 0);
    EXPECT_EQ(plain.ttft.p95.value(), plain.e2e.p95.value());
    Diagnostics diagnostics;
    const auto closed = shipped().serve(
        {.scenario = asked, .trace_bytes = "arrival_s,input_tokens\n0,100\n1,700\n2,400\n"},
        diagnostics);
    ASSERT_TRUE(closed) << render(diagnostics);
    EXPECT_EQ(closed->tokens_in, 400);
    EXPECT_EQ(closed->tokens_out, 0);
  }
}

// What every token sees cannot be cut into chunks.
TEST(EncoderServiceTest, TheLargestStepOfAnEncoderHoldsAWholeText) {
  const auto step = [](std::int64_t context) {
    const auto answer =
        shipped().fit({.model = "bge-m3", .accelerator = "rtx-4090", .context = context});
    EXPECT_TRUE(answer);
    return answer ? answer->fullest.step_tokens : 0;
  };
  EXPECT_EQ(step(8192), 8192);
  EXPECT_EQ(step(512), 2048);
  const auto cut = shipped().fit(
      {.model = "bge-m3", .accelerator = "rtx-4090", .context = 8192, .batched_tokens = 1024});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, lf::kContextTooLong);
}

TEST(EncoderServiceTest, SoundOfATraceIsFilledUpRowByRow) {
  const auto asked = config::testing::sound(
      "loadfactor: 1\nname: calls\nserve:\n  model: whisper-large-v3\n"
      "  demand: {trace: calls.csv}\n  deployment: {gpu: h100-sxm, tp: 1, replicas: 1}\n");
  const auto rate = [&](const std::string& rows) {
    Diagnostics diagnostics;
    const auto answer = shipped().simulate(
        {.scenario = asked, .files = {{}, "arrival_s,input_tokens,output_tokens\n" + rows}},
        diagnostics);
    EXPECT_EQ(answer.has_value(), diagnostics.empty());
    return answer ? answer->rate_in.all.value() : TokensPerSecond();
  };
  EXPECT_EQ(rate("0,100,50\n1,700,50\n2,1500,50\n"), rate("0,1500,50\n1,1500,50\n2,1500,50\n"));
  EXPECT_EQ(rate("0,100,50\n1,1501,50\n"), TokensPerSecond());
}

// What is in the cache before the first word does not depend on how much was said.
TEST(EncoderServiceTest, FitKeepsRoomForAWholeWindow) {
  const auto kept = [](int context) {
    const auto answer =
        shipped().fit({.model = "whisper-large-v3", .accelerator = "l40s", .context = context});
    EXPECT_TRUE(answer);
    return answer ? answer->context : 0;
  };
  EXPECT_EQ(kept(200), kept(1000));
  EXPECT_GT(kept(200), 1500);
  EXPECT_EQ(kept(1800), 1800);
}

TEST(EncoderServiceTest, AModelThatWritesNothingHasNoTokensOut) {
  for (const char* model : {"bge-m3", "qwen3-embedding-8b", "bge-reranker-v2-m3"}) {
    const auto asked = service(model, "tokens_in: 400, tokens_out: 0");
    EXPECT_EQ(served(asked).tokens_out, 0) << model;
    const auto answer = simulated(asked);
    EXPECT_EQ(answer.rate_out.all.value(), TokensPerSecond()) << model;
    EXPECT_EQ(answer.rate_total.all.value(), answer.rate_in.all.value()) << model;
  }
}

TEST(EncoderServiceTest, WhatAModelCannotBeAskedIsRefusedByName) {
  EXPECT_EQ(refusal(service("bge-m3", "tokens_in: 400, tokens_out: 100")), lf::kContradictoryKeys);
  EXPECT_EQ(refusal(service("llama-3.1-8b", "tokens_in: 400, tokens_out: 0")), lf::kOutOfRange);
  EXPECT_EQ(refusal(service("llama-3.1-8b", "tokens_in: 400, tokens_out: 100, images: 1")),
            lf::kContradictoryKeys);
  EXPECT_EQ(refusal(service("bge-m3", "tokens_in: 9000, tokens_out: 0")), lf::kContextTooLong);
  EXPECT_EQ(refusal(service("bge-m3", "tokens_in: 400, tokens_out: 0",
                            "gpu: h100-sxm, prefill: {tp: 1}, decode: {tp: 1}")),
            lf::kContradictoryKeys);
  const auto paced = config::testing::sound(
      "loadfactor: 1\nname: encoders\nserve:\n  model: bge-m3\n  demand: {requests_per_second: 20, "
      "tokens_in: 400, tokens_out: 0}\n  slo: {tpot_p95: 50 ms}\nhardware: [h100-sxm]\n");
  EXPECT_EQ(refusal(paced), lf::kContradictoryKeys);
}

// Every verb resolves a service in one place.
TEST(EncoderServiceTest, AModelThatKeepsNothingOfWhatItReadsIsRefusedPrefixHits) {
  for (const auto& [model, lengths] :
       {std::pair("bge-m3", "tokens_in: 400, tokens_out: 0"),
        std::pair("whisper-large-v3", "tokens_in: 1500, tokens_out: 100")}) {
    const auto asked = service(model, lengths, "gpu: h100-sxm, prefix_hits: 0.5");
    EXPECT_EQ(refusal(asked), lf::kContradictoryKeys) << model;
    Diagnostics faults;
    EXPECT_FALSE(shipped().simulate({.scenario = asked}, faults)) << model;
    ASSERT_FALSE(faults.empty()) << model;
    EXPECT_EQ(faults.errors().front().code, lf::kContradictoryKeys) << model;
  }
}

// Its tokens look back alone: what two texts begin with has the same keys and values.
TEST(EncoderServiceTest, ADecoderThatEmbedsSharesTheBeginningsOfTexts) {
  const auto read = [](const std::string& more) {
    return served(service("qwen3-embedding-8b", "tokens_in: 2000, tokens_out: 0",
                          "gpu: h100-sxm, tp: 1, replicas: 1" + more))
        .saturated_requests.value();
  };
  EXPECT_GT(read(", prefix_hits: 0.5") / read(""), 1.5);
}

TEST(EncoderServiceTest, ADecoderThatEmbedsKeepsItsKeysInTheFormatThatIsAskedFor) {
  const auto kept = [](const std::string& kv) {
    return served(service("qwen3-embedding-8b", "tokens_in: 4000, tokens_out: 0",
                          "gpu: h100-sxm, tp: 1, replicas: 1, kv: " + kv));
  };
  const auto wide = kept("bf16");
  const auto narrow = kept("fp8");
  EXPECT_EQ(narrow.kv_format, "fp8");
  EXPECT_NEAR(narrow.kv_tokens.value() / wide.kv_tokens.value(), 2, 0.02);
  EXPECT_EQ(refusal(service("bge-m3", "tokens_in: 400, tokens_out: 0",
                            "gpu: h100-sxm, tp: 1, replicas: 1, kv: fp8")),
            lf::kContradictoryKeys);
}

// `fit` says of keys and values what the other verbs say.
TEST(EncoderServiceTest, FitRefusesAFormatOfKeysOfAModelThatKeepsNone) {
  const auto fitted = [](const std::string& model, const std::string& kv) {
    return shipped().fit({.model = model, .accelerator = "l40s", .kv_dtype = kv});
  };
  const auto refused = fitted("bert-base", "fp8");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, lf::kContradictoryKeys);
  EXPECT_TRUE(fitted("bert-base", "auto"));
  const auto wide = fitted("qwen3-embedding-8b", "bf16");
  const auto narrow = fitted("qwen3-embedding-8b", "fp8");
  ASSERT_TRUE(wide && narrow);
  EXPECT_NEAR(wide->kv_per_token / narrow->kv_per_token, 2, 1e-9);
}

TEST(EncoderServiceTest, BeginningsThatATraceSharesAreReadAnewByAModelThatKeepsNothing) {
  const auto asked = config::testing::sound(
      "loadfactor: 1\nname: texts\nserve:\n  model: bge-m3\n"
      "  demand: {trace: texts.jsonl}\n  deployment: {gpu: h100-sxm, tp: 1, replicas: 1}\n");
  const auto replayed = [&](const std::string& hashes) {
    std::string rows;
    for (int i = 0; i < 20; ++i)
      rows += "{\"timestamp\": " + std::to_string(1000 * i) +
              ", \"input_length\": 1024, \"output_length\": 1" + hashes + "}\n";
    Diagnostics diagnostics;
    const auto answer = shipped().simulate({.scenario = asked, .files = {{}, rows}}, diagnostics);
    EXPECT_TRUE(answer) << render(diagnostics);
    return answer ? *answer : SimulateAnswer{};
  };
  const auto alike = replayed(", \"hash_ids\": [1, 2]");
  EXPECT_EQ(alike.ttft.p95.value(), replayed("").ttft.p95.value());
  const auto says = [](const Notice& notice) { return notice.id == "prefixes-not-kept"; };
  EXPECT_TRUE(std::any_of(alike.notices.begin(), alike.notices.end(), says));
}

// The decoder has 448 positions of its own.
TEST(EncoderServiceTest, MoreWordsThanTheDecoderOfSpeechWritesAreRefusedWhereTheyAreAsked) {
  for (const char* frames : {"500", "1500"}) {
    const auto asked =
        service("whisper-large-v3", std::string("tokens_in: ") + frames + ", tokens_out: 600");
    Diagnostics diagnostics;
    EXPECT_FALSE(shipped().serve({.scenario = asked}, diagnostics));
    ASSERT_FALSE(diagnostics.empty());
    const Error& fault = diagnostics.errors().front();
    EXPECT_EQ(fault.code, lf::kContextTooLong);
    EXPECT_EQ(fault.where.line, asked.serve->demand->tokens_out->position.line);
    EXPECT_EQ(fault.where.column, asked.serve->demand->tokens_out->position.column);
    EXPECT_NE(fault.message.find("448"), std::string::npos) << fault.message;
    EXPECT_NE(fault.message.find("600"), std::string::npos) << fault.message;
    EXPECT_EQ(fault.message.find("1500"), std::string::npos) << fault.message;
  }
  EXPECT_GT(served(service("whisper-large-v3", "tokens_in: 1500, tokens_out: 448"))
                .saturated_requests.value(),
            Hertz());
}

// What the tower does of the arithmetic is counted: a window of sound, not so many tokens of text.
TEST(EncoderServiceTest, TheTowersArithmeticIsPartOfWhatTheGpuIsUsedFor) {
  const auto sound = served(service("whisper-large-v3", "tokens_in: 1500, tokens_out: 10"));
  // A frame meets 32 layers of 4 · 1280² + 2 · 1280 · 5120 weights and 1280 · 81920 for the
  // decoder's keys and values; ten tokens are next to nothing beside it.
  const double frame = 2.0 * (32 * (4.0 * 1280 * 1280 + 2.0 * 1280 * 5120) + 1280.0 * 81920);
  const double rate = 20.0 * 1500 * frame / 989e12;
  const double most = sound.saturated_requests.value().base() * 1500 * frame / 989e12;
  EXPECT_GT(sound.mfu.value(), 0.9 * rate);
  EXPECT_LT(most, 1.0);
  // At a rate that both keep up with: 6.5 TFLOP of the tower beside 19.5 of the layers.
  const auto used = [](const std::string& lengths) {
    const auto asked = service("qwen2.5-vl-7b", lengths + ", tokens_out: 100");
    return served(asked.with({{"serve.demand.requests_per_second", 5.0}})).mfu.value();
  };
  const double more = used("tokens_in: 200, images: 1") / used("tokens_in: 1496");
  EXPECT_GT(more, 1.2);
  EXPECT_LT(more, 1.4);
}

// Nothing is written, so that texts may be as long as the context.
TEST(EncoderServiceTest, TextsOfAShapeAreCutAtTheWholeContext) {
  const auto answer =
      simulated(service("bge-m3", "tokens_in: 2000, tokens_out: 0, shape: global-chat"));
  const auto cut = std::find_if(answer.notices.begin(), answer.notices.end(),
                                [](const Notice& notice) { return notice.id == "cut-lengths"; });
  ASSERT_NE(cut, answer.notices.end());
  const auto most = std::find_if(cut->arguments.begin(), cut->arguments.end(),
                                 [](const auto& argument) { return argument.name == "most"; });
  ASSERT_NE(most, cut->arguments.end());
  EXPECT_EQ(most->text, "8,192");
}

// The tower of a window: 1,500 frames through 32 layers of 4 · 1280² + 2 · 1280 · 5120 weights, and
// of each the keys and values of the decoder's 32 layers.
TEST(EncoderServiceTest, SoundIsCountedInTheTowerAndWordsInTheDecoder) {
  const auto model = serving::shipped().step("whisper-large-v3", "h100-sxm", "bf16");
  const double layers = 32 * (4.0 * 1280 * 1280 + 2.0 * 1280 * 5120);
  const double features = 1280.0 * 2 * 1280 * 32;
  const double window = 2 * 1500 * (layers + features);
  EXPECT_NEAR(engine::model_work(model, 1500, 0).base() / window, 1, 1e-12);
  EXPECT_NEAR(engine::model_work(model, 0, 7) / model.flops_per_token(), 7, 1e-12);
  EXPECT_NEAR(
      (engine::model_work(model, 3000, 7) - engine::model_work(model, 0, 7)).base() / window, 2,
      1e-12);
}

// All tokens of an image, 2 × 2 patches each, go through the tower and through the layers.
TEST(EncoderServiceTest, AnImageIsCountedInTheTowerAndInTheLayers) {
  const auto* spec = *serving::shipped().catalog.find_model("qwen2.5-vl-7b");
  ASSERT_TRUE(spec->tower);
  const auto text = serving::shipped().step("qwen2.5-vl-7b", "h100-sxm", "bf16");
  serving::ServingDeployment seeing = text.deployment();
  seeing.seen = 0.5;
  const serving::StepModel model(seeing);
  const catalog::TowerSpec& tower = *spec->tower;
  const double width = tower.hidden;
  const double layers = tower.layers * (4 * width * width + 3 * width * tower.width);
  const double features = width * static_cast<double>(tower.output * tower.tokens);
  const double image = 2 * (static_cast<double>(tower.patches) * layers + features);
  const double tokens = 2.0 * static_cast<double>(tower.tokens);  // One image, and as much of text.
  const Flops seen = engine::model_work(model, tokens, 0) - engine::model_work(text, tokens, 0);
  EXPECT_NEAR(seen.base() / image, 1, 1e-12);
  EXPECT_NEAR(engine::model_work(text, tokens, 0) / text.flops_per_token(), tokens, 1e-6);
}

}  // namespace
}  // namespace loadfactor
