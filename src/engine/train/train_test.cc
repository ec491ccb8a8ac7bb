#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

class TrainTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = engine::Core::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }

  // A scenario of `train` lines, on `hardware`.
  static std::string scenario(const std::string& train, const std::string& hardware = "h100-sxm") {
    return "loadfactor: 1\nname: t\ntrain:\n" + train + "hardware: [" + hardware + "]\n";
  }
  static std::string job(const std::string& layout, const std::string& model = "llama-3.1-8b",
                         int batch = 64) {
    return "  model: " + model + "\n  sequence: 4096\n  global_batch: " + std::to_string(batch) +
           "\n  layout: {" + layout + "}\n";
  }
  static TrainAnswer train(const std::string& text, bool trace = false) {
    Diagnostics diagnostics;
    auto answer = engine_->train(
        {.scenario = config::testing::sound(text), .model_files = {}, .trace = trace}, diagnostics);
    EXPECT_TRUE(answer.has_value()) << text << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  }
  static Error error_of(const std::string& text) {
    Diagnostics diagnostics;
    const auto read = config::parse_scenario("t.yaml", text, {}, diagnostics);
    EXPECT_FALSE(read && engine_->train({.scenario = *read}, diagnostics)) << text;
    return diagnostics.empty() ? Error{} : diagnostics.errors().front();
  }
  static bool has_notice(const TrainAnswer& answer, const std::string& id) {
    return std::any_of(answer.notices.begin(), answer.notices.end(),
                       [&](const Notice& notice) { return notice.id == id; });
  }

  static engine::Core* engine_;
};
engine::Core* TrainTest::engine_ = nullptr;

TEST_F(TrainTest, ThePartsSumToTheStepAndTheLinesToTheMemory) {
  for (const char* layout : {"gpus: 8, tp: 1, pp: 1", "gpus: 8, tp: 2, pp: 2, vp: 2",
                             "gpus: 16, tp: 8, pp: 2", "gpus: 64, zero: 3, pp: 1"}) {
    const auto answer = train(scenario(job(layout)));
    Seconds sum;
    double shares = 0;
    for (const auto& part : answer.parts) {
      sum += part.time.value();
      shares += part.share;
    }
    EXPECT_NEAR(sum / answer.step_time.value(), 1.0, 1e-12) << layout;
    EXPECT_NEAR(shares, 1.0, 1e-12) << layout;
    Bytes memory;
    for (const auto& line : answer.lines) {
      if (line.use != MemoryUse::kFree) memory += line.bytes.value();
    }
    EXPECT_NEAR(memory / answer.memory.value(), 1.0, 1e-12) << layout;
  }
}

TEST_F(TrainTest, UtilisationIsAtMostOneAndHardwareDoesNoLessThanTheModel) {
  for (const char* chip : {"a100-80gb-sxm", "h100-sxm", "h200-sxm", "b200", "tpu-v5p", "mi300x"}) {
    const auto answer = train(scenario(job("gpus: 16"), chip));
    EXPECT_GT(answer.mfu.low(), 0.0) << chip;
    EXPECT_LE(answer.mfu.high(), 1.0) << chip;
    EXPECT_LE(answer.mfu.value(), answer.hfu.value()) << chip;
    EXPECT_LE(answer.hfu.value(), 1.0) << chip;
  }
}

TEST_F(TrainTest, AFasterChipIsNotSlower) {
  const auto a100 = train(scenario(job("gpus: 16, tp: 2, pp: 1"), "a100-80gb-sxm"));
  const auto h100 = train(scenario(job("gpus: 16, tp: 2, pp: 1"), "h100-sxm"));
  const auto b200 = train(scenario(job("gpus: 16, tp: 2, pp: 1"), "b200"));
  EXPECT_LT(h100.step_time.value(), a100.step_time.value());
  EXPECT_LT(b200.step_time.value(), h100.step_time.value());
}

TEST_F(TrainTest, OneGpuPaysForNoNeighbour) {
  const auto answer = train(scenario(job("gpus: 1, tp: 1, pp: 1, dp: 1", "llama-3.2-1b", 8)));
  for (const auto& part : answer.parts) {
    for (const char* key : {"tp", "dp", "bubble", "p2p", "fsdp", "straggler"})
      EXPECT_NE(part.key, key);
  }
  EXPECT_EQ(answer.layout.sharding, "none");
}

TEST_F(TrainTest, TheIntervalSurroundsTheAnswerAndIsCalibrated) {
  const auto answer = train(scenario(job("gpus: 16")));
  EXPECT_LT(answer.step_time.low(), answer.step_time.value());
  EXPECT_GT(answer.step_time.high(), answer.step_time.value());
  EXPECT_EQ(answer.step_time.basis(), Basis::kCalibrated);
}

TEST_F(TrainTest, WhatIsLeftBlankIsChosenAndSaid) {
  const auto answer = train(scenario("  model: llama-3.1-70b\n", "h100-sxm"));
  EXPECT_TRUE(answer.fits);
  const auto& l = answer.layout;
  EXPECT_EQ(l.gpus, l.tp * l.pp * l.cp * l.dp);
  for (const char* id :
       {"chosen-layout", "default-batch", "default-sequence", "default-stack", "default-precision"})
    EXPECT_TRUE(has_notice(answer, id)) << id;
  // 141 GB of weights alone need two GPUs.
  EXPECT_GT(l.gpus, 2);
}

TEST_F(TrainTest, AChosenLayoutIsNoSlowerThanAWrittenOne) {
  const auto chosen = train(scenario(job("gpus: 32")));
  for (const char* layout : {"gpus: 32, tp: 8, pp: 1", "gpus: 32, tp: 1, pp: 4",
                             "gpus: 32, tp: 2, pp: 2, micro_batch: 1"}) {
    const auto written = train(scenario(job(layout)));
    // A tight layout may be 5 % faster and yet not be chosen.
    EXPECT_LE(chosen.step_time.value() / written.step_time.value(), 1.05) << layout;
  }
}

// As many as a search tries: `plan`, which searches, and `train` then agree.
TEST_F(TrainTest, StagesLeftOpenInterleaveAsFarAsInASearch) {
  const auto run = [](const char* layout) {
    return train(scenario(job(layout, "llama-3.1-70b", 1024)));
  };
  const auto chosen = run("gpus: 512, tp: 4, pp: 4");
  const auto written = run("gpus: 512, tp: 4, pp: 4, vp: 10");
  ASSERT_TRUE(written.fits);
  EXPECT_LE(chosen.step_time.value().base(), written.step_time.value().base() * (1 + 1e-9));
}

TEST_F(TrainTest, DaysAreTokensOverTheRate) {
  const auto answer = train(scenario("  tokens: 1 T\n  deadline: 1 day\n" + job("gpus: 64")));
  ASSERT_TRUE(answer.duration.has_value());
  ASSERT_TRUE(answer.goodput && answer.whole);
  EXPECT_NEAR(answer.duration->value().base() * answer.tokens_per_s.value().base() *
                  answer.whole->share.value(),
              1e12, 1e3);
  EXPECT_LT(answer.whole->share.value(), answer.goodput->value.value());
  EXPECT_TRUE(has_notice(answer, "goodput-counted"));
  ASSERT_TRUE(answer.cost.has_value());
  EXPECT_GT(answer.cost->value(), Dollars());
  EXPECT_TRUE(has_notice(answer, "deadline-missed"));
}

TEST_F(TrainTest, WhatDoesNotDivideIsRefusedWithTheNearestThatDoes) {
  struct Row {
    std::string train;
    int code;
    int line;
    std::string hint;
  };
  const Row rows[] = {
      {job("tp: 3"), lf::kNotDivisible, 7, "tp: "},
      {job("gpus: 64, tp: 3"), lf::kNotDivisible, 7, "nearest that do: tp: 2 and 4"},
      {job("gpus: 24, tp: 5"), lf::kNotDivisible, 7, "nearest that do: tp: 4 and 8"},
      {job("gpus: 61, tp: 2"), lf::kNotDivisible, 7, "nearest that does: tp: 1"},
      {job("gpus: 24, pp: 5"), lf::kNotDivisible, 7, "nearest that do: pp: 4 and 6"},
      {job("gpus: 8, tp: 8, pp: 2"), lf::kNotDivisible, 7, "nearest that is: gpus: 16"},
      {job("pp: 64, tp: 1"), lf::kNotDivisible, 7, "pp: 32"},
      {job("pp: 4, vp: 3, tp: 1"), lf::kNotDivisible, 7, "pp: 4, vp: "},
      {job("gpus: 96, tp: 1, pp: 1"), lf::kNotDivisible, 6, "96"},
      {job("ep: 3, tp: 1", "mixtral-8x7b"), lf::kNotDivisible, 7, "ep: "},
      {job("ep: 2"), lf::kContradictoryKeys, 7, "leave it out"},
      {job("gpus: 8, tp: 2, pp: 2, cp: 1, dp: 4"), lf::kInconsistentFigures, 7, "dp"},
      {job("zero: 3, pp: 2, tp: 1"), lf::kContradictoryKeys, 7, "zero: 1"},
      {job("pp: 1, vp: 2"), lf::kContradictoryKeys, 7, ""},
      {job("gpus: 6, cp: 3"), lf::kNotDivisible, 7, ""},
      {job("gpus: 8", "lama-3.1-8b"), lf::kUnknownModel, 4, ""},
      {"  precision: fp7\n" + job("gpus: 8"), lf::kUnsupportedDtype, 4, "fp8"},
      {"  stack: {framework: megatrom}\n" + job("gpus: 8"), lf::kUnknownWord, 4, "megatron"},
      {"  stack: {framework: megatron-cor-2026}\n" + job("gpus: 8"), lf::kUnknownWord, 4,
       "did you mean 'megatron-core-2026'"},
      {"  stack: {framework: deepspeed}\n" + job("gpus: 8, pp: 2"), lf::kContradictoryKeys, 8,
       "pp: 1"},
      {"  stack: {framework: fsdp}\n" + job("gpus: 8, tp: 2"), lf::kContradictoryKeys, 8, "tp: 1"},
      {"  stack: {framework: neuron}\n" + job("gpus: 8"), lf::kContradictoryKeys, 4, "megatron"},
      {job("gpus: 8, recompute: [norms, heads]"), lf::kUnknownWord, 7, "norms"},
      {job("gpus: 8, recompute: {layer: 2}"), lf::kMissingKey, 7, "layers"},
  };
  for (const auto& row : rows) {
    const auto error = error_of(scenario(row.train));
    EXPECT_EQ(error.code, row.code) << row.train << error.message;
    EXPECT_EQ(error.where.line, static_cast<std::uint32_t>(row.line)) << row.train;
    EXPECT_NE(error.hint.find(row.hint), std::string::npos) << row.train << error.hint;
  }
  EXPECT_EQ(error_of(scenario(job("gpus: 8"), "h100-smx-90")).code, lf::kUnknownAccelerator);
  EXPECT_EQ(error_of("loadfactor: 1\nname: x\nserve: {model: gpt2}\n").code, lf::kMissingKey);
}

TEST_F(TrainTest, WhatIsLegalButUnwiseIsACaution) {
  const struct {
    std::string train;
    std::string chip;
    std::string id;
  } rows[] = {
      {"  precision: fp8\n" + job("gpus: 8"), "a100-80gb-sxm", "no-arithmetic"},
      {"  precision: bf16\n" + job("gpus: 16"), "v100-32gb-sxm", "no-arithmetic"},
      {"  precision: nvfp4\n" + job("gpus: 8"), "h100-sxm", "no-arithmetic"},
      {job("gpus: 8, tp: 8, zero: 3"), "h100-sxm", "nothing-to-shard"},
      {"  precision: mxfp8\n" + job("gpus: 8"), "h100-sxm", "no-arithmetic"},
      {"  precision: mxfp8\n" + job("gpus: 8"), "mi300x", "no-arithmetic"},
      {"  model: llama-3.1-8b\n  sequence: 4095\n  layout: {gpus: 8, tp: 2}\n", "h100-sxm",
       "no-sequence-parallelism"},
  };
  for (const auto& row : rows)
    EXPECT_TRUE(has_notice(train(scenario(row.train, row.chip)), row.id)) << row.train;
  EXPECT_FALSE(has_notice(train(scenario("  precision: fp8\n" + job("gpus: 8"))), "no-arithmetic"));
}

TEST_F(TrainTest, UnevenStagesAreACautionWithTheNearestThatDivide) {
  const auto answer = train(scenario(job("gpus: 10, pp: 5, tp: 1", "llama-3.1-8b", 64)));
  EXPECT_TRUE(has_notice(answer, "uneven-stages"));
}

TEST_F(TrainTest, EveryMistakeIsReportedAtOnce) {
  Diagnostics diagnostics;
  const auto text = scenario("  precision: fp7\n" + job("gpus: 8", "lama-3.1-8b"), "h100-smx-90");
  EXPECT_FALSE(engine_->train({.scenario = config::testing::sound(text)}, diagnostics));
  EXPECT_GE(diagnostics.size(), 3U);
}

TEST_F(TrainTest, TensorParallelismBeyondTheDomainIsACaution) {
  const auto far = train(scenario(job("gpus: 16, tp: 16, pp: 1")));
  EXPECT_TRUE(has_notice(far, "tp-beyond-domain"));
  const auto near = train(scenario(job("gpus: 16, tp: 8, pp: 1")));
  EXPECT_GT(far.step_time.value(), near.step_time.value());
}

TEST_F(TrainTest, WhatDoesNotFitNamesTheClosestThatDoes) {
  const auto answer =
      train(scenario(job("gpus: 8, tp: 8, pp: 1, recompute: none", "llama-3.1-70b", 8)));
  EXPECT_FALSE(answer.fits);
  EXPECT_EQ(answer.verdict, MemoryVerdict::kDoesNotFit);
  EXPECT_GT(answer.memory_needed, answer.memory_per_gpu);
  EXPECT_GT(answer.memory_fill, 1);
  EXPECT_NE(answer.nearest.find("gpus: "), std::string::npos);
  EXPECT_TRUE(answer.parts.empty());
  // What it names does fit.
  const auto close = train(scenario(
      job(answer.nearest.substr(0, answer.nearest.find(", recomp")), "llama-3.1-70b", 512)));
  EXPECT_TRUE(close.fits) << answer.nearest;
}

TEST_F(TrainTest, TheStackHasAnEffect) {
  const auto old = train(scenario("  stack: {framework: llm-foundry}\n" + job("gpus: 8")));
  const auto recent = train(scenario("  stack: {framework: torchtitan-2025}\n" + job("gpus: 8")));
  EXPECT_NE(old.stack, recent.stack);
  EXPECT_GT(old.step_time.value(), recent.step_time.value());
  EXPECT_EQ(recent.layout.sharding, "zero-3");
}

TEST_F(TrainTest, ModelsMayBeDescribed) {
  const auto sized = train(scenario(job("gpus: 512", "{params: 70 B}", 512)));
  EXPECT_TRUE(has_notice(sized, "assumed-shape"));
  EXPECT_NEAR(static_cast<double>(sized.parameters_total), 70e9, 2e9);
  const auto shaped = train(scenario(job("gpus: 8",
                                         "{layers: 32, hidden: 4096, heads: 32, kv_heads: 8, mlp: "
                                         "14336, gated: true, vocab: 128256}")));
  const auto named = train(scenario(job("gpus: 8")));
  EXPECT_DOUBLE_EQ(shaped.step_time.value().base(), named.step_time.value().base());
}

TEST_F(TrainTest, ReadsAConfigInsteadOfAName) {
  const std::string config = R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,
    "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,
    "vocab_size":128256,"tie_word_embeddings":false,"dtype":"bfloat16"})";
  Diagnostics diagnostics;
  TrainInputs request{
      .scenario = config::testing::sound(scenario(job("gpus: 8", "{config: ./config.json}")))};
  request.model_files.push_back({"config.json", "config.json", config, {}});
  const auto answer = engine_->train(request, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_EQ(answer->parameters_total, 8'030'261'248);
}

TEST_F(TrainTest, ReasonsAreThreeAndTheLargestFirst) {
  const auto answer = train(scenario(job("gpus: 64, tp: 2, pp: 8, vp: 1, micro_batch: 1")));
  ASSERT_EQ(answer.reasons.size(), 3U);
  // 64 sequences over four ranks: 16 micro-batches on eight stages idle for 7/23 of the step.
  EXPECT_EQ(answer.reasons[0].part, "bubble");
  EXPECT_EQ(answer.layout.micro_batches, 16);
  EXPECT_GE(answer.reasons[0].share, answer.reasons[1].share);
}

TEST_F(TrainTest, TheTraceEndsWithTheStepAndNoStageDoesTwoThings) {
  for (const char* layout :
       {"gpus: 8, tp: 1, pp: 1", "gpus: 16, tp: 1, pp: 4, vp: 1", "gpus: 16, tp: 2, pp: 4, vp: 2",
        "gpus: 16, tp: 1, pp: 8, schedule: zero-bubble}\n  stack: {framework: megatron-zero-bubble",
        "gpus: 8, tp: 2, pp: 4, schedule: gpipe}\n  stack: {framework: torchtitan-2025"}) {
    const auto answer = train(scenario(job(layout)), true);
    ASSERT_TRUE(answer.fits) << layout;
    ASSERT_FALSE(answer.trace.empty()) << layout;
    std::vector<Seconds> free(static_cast<std::size_t>(answer.layout.pp));
    Seconds end;
    for (const auto& span : answer.trace) {
      auto& mine = free[static_cast<std::size_t>(span.track)];
      EXPECT_GE(span.start.base(), mine.base() - 1e-9) << layout;
      mine = span.start + span.duration;
      end = std::max(end, mine);
    }
    EXPECT_NEAR(end / answer.step_time.value(), 1.0, 1e-9) << layout;
    EXPECT_GT(answer.trace_stretch, 0.7) << layout;
    EXPECT_LT(answer.trace_stretch, 1.5) << layout;
  }
}

TEST_F(TrainTest, SameScenarioSameAnswer) {
  const auto a = train(scenario(job("gpus: 32", "mixtral-8x7b")));
  const auto b = train(scenario(job("gpus: 32", "mixtral-8x7b")));
  EXPECT_EQ(a.step_time.value(), b.step_time.value());
  EXPECT_EQ(a.layout.ep, b.layout.ep);
}

}  // namespace
}  // namespace loadfactor
