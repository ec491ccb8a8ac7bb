#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "catalog/catalog.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

class FitTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = engine::Core::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }

  static FitAnswer fit(const FitInputs& request) {
    const auto answer = engine_->fit(request);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : render(answer.error()));
    return answer ? *answer : FitAnswer{};
  }
  static int code_of(const FitInputs& request) {
    const auto answer = engine_->fit(request);
    return answer ? 0 : answer.error().code;
  }

  static engine::Core* engine_;
};
engine::Core* FitTest::engine_ = nullptr;

TEST_F(FitTest, SaysWhatOfATowerIsCounted) {
  const auto said = [](const FitAnswer& answer, std::string_view id) {
    return std::any_of(answer.notices.begin(), answer.notices.end(),
                       [id](const Notice& notice) { return notice.id == id; });
  };
  EXPECT_TRUE(said(fit({.model = "qwen2.5-vl-7b"}), "counted-tower"));
  EXPECT_FALSE(said(fit({.model = "llama-3.1-8b"}), "counted-tower"));
  FitInputs request{.model = "config.json"};
  request.model_files.push_back(
      {"config.json",
       "config.json",
       R"({"model_type":"qwen2_5_omni","audio_config":{"d_model":64},"text_config":{
           "model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
           "num_key_value_heads":4,"vocab_size":1000,"intermediate_size":128}})",
       {}});
  const auto unknown = fit(request);
  EXPECT_TRUE(said(unknown, "uncounted-tower"));
  EXPECT_FALSE(said(unknown, "counted-tower"));
}

TEST_F(FitTest, CountsTheParametersExactly) {
  const auto answer = fit({.model = "llama-3.1-8b"});
  EXPECT_EQ(answer.parameters_total, 8'030'261'248);
  EXPECT_EQ(answer.parameters_active, 8'030'261'248);
}

TEST_F(FitTest, KeepsMultiTokenPredictionApart) {
  const auto answer = fit({.model = "deepseek-v3"});
  EXPECT_EQ(answer.parameters_total, 671'026'419'200);
  EXPECT_GT(answer.parameters_mtp, 0);
  EXPECT_LT(answer.parameters_active, answer.parameters_total / 10);
}

TEST_F(FitTest, KeyValueBytesPerTokenFollowTheHeads) {
  // 80 layers × 2 × 8 heads × 128 × 2 bytes.
  EXPECT_DOUBLE_EQ(fit({.model = "llama-3.3-70b", .tp = 4}).kv_per_token.base(), 327'680);
  // The same in one byte.
  EXPECT_DOUBLE_EQ(fit({.model = "llama-3.3-70b", .tp = 4, .kv_dtype = "fp8"}).kv_per_token.base(),
                   163'840);
  // 16 ranks hold 8 heads twice.
  EXPECT_DOUBLE_EQ(
      fit({.model = "llama-3.3-70b", .accelerator = "gb200-nvl72", .tp = 16}).kv_per_token.base(),
      655'360);
}

TEST_F(FitTest, ACompressedCacheIsCountedOnceHoweverManyRanksHoldIt) {
  // 61 layers × (512 + 64) × 2 bytes.
  for (const int tp : {1, 8})
    EXPECT_DOUBLE_EQ(
        fit({.model = "deepseek-v3", .accelerator = "b300", .tp = tp}).kv_per_token.base(), 70'272);
}

TEST_F(FitTest, Fp8IsNotOneBytePerParameter) {
  const auto answer = fit({.model = "llama-3.3-70b", .tp = 4, .quantisation = "fp8"});
  // Embedding and head, 128,256 × 8,192 each, keep two bytes: 2.1 GB more than a byte each.
  const double parameters = static_cast<double>(answer.parameters_total);
  EXPECT_GT(answer.weights.value().base(), parameters + 2.0e9);
  EXPECT_LT(answer.weights.value().base(), parameters + 2.3e9);
}

TEST_F(FitTest, TheLinesOfAGpuSumToItsMemory) {
  for (const char* engine : {"vllm", "sglang", "tensorrt-llm", "pytorch"}) {
    const auto answer = fit({.model = "llama-3.1-8b", .accelerator = "h100-sxm", .engine = engine});
    Bytes sum;
    for (const auto& line : answer.lines) sum += line.bytes.value();
    EXPECT_NEAR(sum.base(), answer.memory_per_gpu.base(), 1.0) << engine;
  }
}

TEST_F(FitTest, AnIntervalSurroundsEveryLine) {
  const auto answer = fit({.model = "mixtral-8x7b", .accelerator = "h100-sxm"});
  for (const auto& line : answer.lines) {
    EXPECT_LE(line.bytes.low(), line.bytes.value()) << name_of(line.use);
    EXPECT_GE(line.bytes.high(), line.bytes.value()) << name_of(line.use);
  }
  EXPECT_LT(answer.kv_tokens.low(), answer.kv_tokens.value());
  EXPECT_GT(answer.kv_tokens.high(), answer.kv_tokens.value());
}

TEST_F(FitTest, ChoosesTheFewestGpusThatHoldASequence) {
  const auto answer = fit({.model = "llama-3.3-70b", .accelerator = "h100-sxm"});
  EXPECT_TRUE(answer.fits);
  EXPECT_EQ(answer.layout.tp * answer.layout.pp, answer.min_gpus);
  // 141 GB of weights need more than one 80 GB GPU.
  EXPECT_GE(answer.min_gpus, 2);
  const auto fewer = fit({.model = "llama-3.3-70b", .accelerator = "h100-sxm", .tp = 1});
  EXPECT_FALSE(fewer.fits);
  EXPECT_EQ(fewer.min_gpus, answer.min_gpus);
  ASSERT_TRUE(fewer.closest.has_value());
  EXPECT_EQ(fewer.closest->gpus, answer.min_gpus);
  EXPECT_LE(fewer.fullest.kv, Bytes());
}

TEST_F(FitTest, MoreGpusNeverHoldFewerSequences) {
  for (const char* model : {"llama-3.1-8b", "qwen3-30b-a3b", "gpt-oss-20b", "gemma-2-9b"}) {
    std::int64_t before = 0;
    for (const int tp : {1, 2, 4, 8}) {
      const auto answer = fit({.model = model, .accelerator = "h100-sxm", .tp = tp});
      EXPECT_GE(answer.sequences, before) << model << " tp " << tp;
      before = answer.sequences;
    }
  }
}

TEST_F(FitTest, LongerSequencesAreNeverMore) {
  const auto answer = fit({.model = "gpt-oss-20b", .accelerator = "h100-sxm"});
  for (std::size_t i = 1; i < answer.by_length.size(); ++i)
    EXPECT_LE(answer.by_length[i].sequences, answer.by_length[i - 1].sequences);
}

TEST_F(FitTest, NarrowerWeightsLeaveMoreRoom) {
  const auto wide = fit({.model = "llama-3.1-8b", .accelerator = "l40s"});
  const auto narrow = fit({.model = "llama-3.1-8b", .accelerator = "l40s", .quantisation = "int4"});
  EXPECT_LT(narrow.weights.value(), wide.weights.value());
  EXPECT_GT(narrow.sequences, wide.sequences);
}

TEST_F(FitTest, EveryModelOfTheCatalogueGetsAnAnswer) {
  for (const auto& name : engine_->catalog().model_names()) {
    const auto answer = fit({.model = name, .accelerator = "b300"});
    EXPECT_GT(answer.parameters_total, 0) << name;
    EXPECT_GT(answer.min_gpus, 0) << name;
  }
}

TEST_F(FitTest, ReadsAConfigInsteadOfAName) {
  const std::string config = R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,
    "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,
    "vocab_size":128256,"tie_word_embeddings":false,"dtype":"bfloat16"})";
  FitInputs request{.model = "config.json"};
  request.model_files.push_back({"config.json", "config.json", config, {}});
  EXPECT_EQ(fit(request).parameters_total, 8'030'261'248);
}

TEST_F(FitTest, ExpertsSpreadInsideTensorParallelismAsEnginesDo) {
  const auto plain = fit({.model = "deepseek-v3", .accelerator = "h200-sxm", .tp = 8});
  const auto spread = fit({.model = "deepseek-v3", .accelerator = "h200-sxm", .tp = 8, .ep = 8});
  EXPECT_EQ(spread.layout.dp, 1);
  // A whole expert on one GPU or an eighth of every expert on each: the same bytes, but for scales.
  EXPECT_NEAR(spread.weights.value() / plain.weights.value(), 1.0, 0.01);
}

TEST_F(FitTest, ExpertsSpreadFurtherTakeCopiesOfTheAttention) {
  const auto answer = fit({.model = "deepseek-v3", .accelerator = "h200-sxm", .tp = 1, .ep = 16});
  EXPECT_EQ(answer.layout.dp, 16);
  // Over sixteen GPUs the routed experts are held once, the rest sixteen times.
  EXPECT_GT(answer.weights.value().base(), static_cast<double>(answer.parameters_total));
  EXPECT_EQ(code_of({.model = "deepseek-v3", .accelerator = "h200-sxm", .tp = 4, .ep = 6}),
            lf::kNotDivisible);
}

TEST_F(FitTest, ACheckpointNamedByItsPrecisionIsTakenAtItsWord) {
  EXPECT_EQ(fit({.model = "meta-llama/Llama-3.1-405B-Instruct-FP8"}).quantisation, "fp8");
  EXPECT_EQ(fit({.model = "llama-2-70b-AWQ"}).quantisation, "int4-awq");
  EXPECT_EQ(fit({.model = "llama-2-70b-AWQ", .quantisation = "FP8"}).quantisation, "fp8");
}

TEST_F(FitTest, TheIntervalSurroundsTheSequences) {
  const auto answer = fit({.model = "llama-3.1-70b", .accelerator = "h100-sxm", .tp = 2});
  EXPECT_LE(answer.sequences_low, answer.sequences);
  EXPECT_GE(answer.sequences_high, answer.sequences);
}

TEST_F(FitTest, RefusesWhatCannotBeAnswered) {
  EXPECT_EQ(code_of({.model = "no-such-model"}), lf::kUnknownModel);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .accelerator = "h100-smx-90"}),
            lf::kUnknownAccelerator);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .engine = "vlm"}), lf::kUnknownEngine);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .quantisation = "fp7"}), lf::kUnsupportedDtype);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .kv_dtype = "fp7"}), lf::kUnsupportedDtype);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .context = 1'000'000}), lf::kContextTooLong);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .tp = 7}), lf::kNotDivisible);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .tp = -1}), lf::kOutOfRange);
  EXPECT_EQ(code_of({.model = "llama-3.1-8b", .memory_fraction = 1.5}), lf::kOutOfRange);
}

TEST_F(FitTest, SaysWhatItAssumed) {
  const auto answer = fit({.model = "llama-3.1-8b"});
  bool default_chip = false;
  for (const auto& notice : answer.notices) default_chip |= notice.id == "default-accelerator";
  EXPECT_TRUE(default_chip);
  EXPECT_FALSE(answer.facts.empty());
}

TEST_F(FitTest, TwoEnginesInOneProcessAgree) {
  Diagnostics diagnostics;
  const auto other = engine::Core::create({}, diagnostics);
  ASSERT_NE(other, nullptr);
  const auto a = fit({.model = "deepseek-v3", .accelerator = "h200-sxm"});
  const auto b = other->fit({.model = "deepseek-v3", .accelerator = "h200-sxm"});
  ASSERT_TRUE(b.has_value());
  EXPECT_EQ(a.sequences, b->sequences);
}

TEST_F(FitTest, AnOverlayReplacesAFactAndIsNamed) {
  const std::string chip =
      "schema: engine/1\nname: vllm\ntitle: ours\n"
      "memory: {fraction: 0.5, of: total, block: 16, kind: measured, source: vllm-docs, date: "
      "2026}\n"
      "batching: {batched_tokens: 8192, max_sequences: 256, kind: assumed, "
      "source: general-knowledge, date: 2026}\n"
      "overhead: {driver: 0.5 GiB, context: 1 GiB, communicator: 0 GiB, graphs: 0 GiB, "
      "graphs_in_fraction: false, activation_copies: 4, logit_bytes: 8, kind: assumed, "
      "source: general-knowledge, date: 2026}\n"
      "generations:\n  - {name: ours, like: sglang, kind: assumed, source: general-knowledge, "
      "date: 2026}\n";
  Diagnostics diagnostics;
  const auto ours =
      engine::Core::create({{"engines/vllm.yaml", "site/engines/vllm.yaml", chip}}, diagnostics);
  ASSERT_NE(ours, nullptr) << render(diagnostics);
  const auto answer = ours->fit({.model = "llama-3.1-8b", .accelerator = "h100-sxm"});
  ASSERT_TRUE(answer.has_value());
  EXPECT_LT(answer->sequences, fit({.model = "llama-3.1-8b", .accelerator = "h100-sxm"}).sequences);
  bool named = false;
  for (const auto& fact : answer->facts)
    named |= fact.where.find("site/engines/vllm.yaml") != std::string::npos;
  EXPECT_TRUE(named);
}

}  // namespace
}  // namespace loadfactor
