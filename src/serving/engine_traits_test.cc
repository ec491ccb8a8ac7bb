#include "serving/engine_traits.h"

#include <gtest/gtest.h>

#include "serving/calibration_file.h"
#include "serving/generation.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

TEST(EngineTraitsTest, AReleaseNamesItsGeneration) {
  EXPECT_EQ(find_era("TensorRT-LLM", "0.8.0", 2024), EngineEra::kTensorRtStatic);
  EXPECT_EQ(find_era("TensorRT-LLM", "0.17", 2025), EngineEra::kTensorRtCpp);
  EXPECT_EQ(find_era("TensorRT-LLM", "1.0.0rc3", 2026), EngineEra::kTensorRtPython);
  EXPECT_EQ(find_era("vLLM", "~0.6.0", 2024), EngineEra::kVllmV0);
  EXPECT_EQ(find_era("vLLM", "0.12.0", 2026), EngineEra::kVllmV1);
  EXPECT_EQ(find_era("vLLM", "", 2024), EngineEra::kVllmV0);
  EXPECT_EQ(find_era("vllm", "0.13.0", 2025), EngineEra::kVllmV1);
  EXPECT_EQ(find_era("vllm", "0.14.0", 2026), EngineEra::kVllmAsync);
  EXPECT_EQ(find_era("vllm", "", 2025), EngineEra::kVllmV1);
  EXPECT_EQ(find_era("vllm", "", 0), EngineEra::kVllmAsync);
  EXPECT_EQ(find_era("vLLM-ROCm", "0.9.1", 2025), EngineEra::kVllmRocm);
  EXPECT_EQ(find_era("SGLang", "latest", 2025), EngineEra::kSglang);
}

TEST(EngineTraitsTest, SmallCardsGetSmallerDefaults) {
  const auto& traits = shipped().calibration.engines[static_cast<std::size_t>(EngineEra::kVllmV1)];
  const auto chunk = [&](const char* chip) {
    return traits.chunk_on(**shipped().catalog.find_accelerator(chip));
  };
  EXPECT_LT(chunk("rtx-4090"), chunk("h100-sxm"));
  EXPECT_EQ(chunk("a100-80gb-sxm"), chunk("rtx-4090"));
}

TEST(CalibrationFileTest, WhatIsWrittenIsReadBack) {
  const auto& before = shipped().calibration;
  Diagnostics diagnostics;
  const catalog::DataFile file{"calibration/serving.yaml", "serving.yaml",
                               write_serving_calibration(before), catalog::Origin::kBuiltin};
  const auto after = load_serving_calibration(file, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  for (std::size_t i = 0; i < Constants::kSize; ++i) {
    EXPECT_NEAR(after.constants[i].value, before.constants[i].value,
                1e-4 * before.constants[i].value)
        << constant_name(i);
  }
  EXPECT_EQ(after.intervals.size(), before.intervals.size());
  EXPECT_EQ(after.engines[0].engine, before.engines[0].engine);
}

TEST(CalibrationFileTest, TheNarrowestGroupGivesTheInterval) {
  ServingCalibration calibration;
  calibration.intervals = {{Metric::kThroughput, "", -0.5, 0.5},
                           {Metric::kThroughput, "dense", -0.2, 0.2}};
  EXPECT_EQ(calibration.interval(Metric::kThroughput, {"offline, dense", "dense"}).high, 0.2);
  EXPECT_EQ(calibration.interval(Metric::kThroughput, {"moe"}).high, 0.5);
}

TEST(CalibrationFileTest, AChipThatBorrowsItsTablesIsKnownLess) {
  const auto half = [](const char* chip) {
    const auto step = shipped().step("llama-3.1-8b", chip, "bf16");
    const auto groups = interval_groups(step.deployment());
    return shipped().calibration.interval(Metric::kThroughput, groups).high;
  };
  EXPECT_EQ(half("h100-sxm"), half("a100-80gb-sxm"));
  EXPECT_EQ(half("mi300x"), half("h100-pcie"));
  EXPECT_GT(half("mi300x"), 1.5 * half("h100-sxm"));
}

TEST(CalibrationFileTest, IntervalsReachAsFarToBothSides) {
  for (const auto& width : shipped().calibration.intervals) {
    if (width.group == "host-bound step") continue;
    EXPECT_EQ(width.low, -width.high) << width.group;
  }
}

TEST(GenerationTest, AReleaseGoesBeforeTheCatalogueAndTheCatalogueBeforeTheLatest) {
  const auto era = [](const char* engine, const char* release, const char* chip) {
    const auto& catalog = shipped().catalog;
    return generation_of(**catalog.find_engine(engine), release, **catalog.find_accelerator(chip));
  };
  EXPECT_EQ(era("vllm", "", "h100-sxm"), EngineEra::kVllmAsync);
  EXPECT_EQ(era("vllm", "0.11", "h100-sxm"), EngineEra::kVllmV1);
  EXPECT_EQ(era("vllm-0.7", "", "h100-sxm"), EngineEra::kVllmV1);
  EXPECT_EQ(era("vllm-0.7", "0.19", "h100-sxm"), EngineEra::kVllmAsync);
  EXPECT_EQ(era("vllm-v0", "", "h100-sxm"), EngineEra::kVllmV0);
  EXPECT_EQ(era("vllm", "", "mi300x"), EngineEra::kVllmRocm);
  EXPECT_EQ(era("sglang", "", "mi300x"), EngineEra::kSglang);
}

TEST(GenerationTest, DefaultsAreTheCataloguesAndLessOnSmallCards) {
  const auto& catalog = shipped().catalog;
  const auto& engine = **catalog.find_engine("vllm");
  const auto& traits =
      shipped().calibration.engines[static_cast<std::size_t>(EngineEra::kVllmAsync)];
  const auto on = [&](const char* chip) {
    return engine_defaults(engine, traits, **catalog.find_accelerator(chip));
  };
  EXPECT_EQ(on("h100-sxm").chunk, engine.batching.batched_tokens);
  EXPECT_EQ(on("h100-sxm").max_sequences, engine.batching.max_sequences);
  EXPECT_LT(on("rtx-4090").chunk, engine.batching.batched_tokens);
}

}  // namespace
}  // namespace loadfactor::serving
