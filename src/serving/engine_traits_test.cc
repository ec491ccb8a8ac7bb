#include "serving/engine_traits.h"

#include <gtest/gtest.h>

#include "serving/calibration_file.h"
#include "serving/serving_fixture.h"

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

TEST(EngineTraitsTest, ANameMaySayItsRelease) {
  EXPECT_EQ(find_era("vllm-0.7", "", 0), EngineEra::kVllmV0);
  EXPECT_EQ(find_era("vllm-0.7", "0.19", 0), EngineEra::kVllmAsync);
  EXPECT_EQ(find_era("vllm-v0", "", 0), EngineEra::kVllmV0);
  EXPECT_EQ(find_era("vllm", "", 0), EngineEra::kVllmAsync);
}

}  // namespace
}  // namespace loadfactor::serving
