#include "validation/inference/published_engine.h"

#include <string>

#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"

namespace loadfactor::validation {
namespace {

PublishedEngine find(const char* engine, const char* version, int year, const char* notes = "") {
  InferenceRow row;
  row.engine = engine;
  row.engine_version = version;
  row.notes = notes;
  if (year > 0) row.year = year;
  const auto found = find_published(serving::shipped().catalog, row);
  EXPECT_TRUE(found) << engine;
  return found ? *found : PublishedEngine{};
}

std::string published(const char* engine, const char* version, int year, const char* notes = "") {
  return find(engine, version, year, notes).traits->name;
}

TEST(PublishedEngineTest, AReleaseNamesItsGeneration) {
  EXPECT_EQ(published("TensorRT-LLM", "0.8.0", 2024), "tensorrt-static");
  EXPECT_EQ(published("TensorRT-LLM", "0.17", 2025), "tensorrt-cpp");
  EXPECT_EQ(published("TensorRT-LLM", "1.0.0rc3", 2026), "tensorrt-python");
  EXPECT_EQ(published("vLLM", "0.2", 2023), "vllm-eager");
  EXPECT_EQ(published("vLLM", "0.3.3", 2024), "vllm-v0");
  EXPECT_EQ(published("vLLM", "~0.6.0", 2024), "vllm-v0");
  EXPECT_EQ(published("vLLM", "0.12.0", 2026), "vllm-v1");
  EXPECT_EQ(published("vllm", "0.13.0", 2025), "vllm-v1");
  EXPECT_EQ(published("vllm", "0.14.0", 2026), "vllm-async");
  EXPECT_EQ(published("vLLM-ROCm", "0.9.1", 2025), "vllm-rocm");
  EXPECT_EQ(published("vLLM", "0.9.1.dev2+rocm650", 2025), "vllm-rocm");
  EXPECT_EQ(published("vLLM-TPU", "2026-04", 2026), "vllm-v1");
  EXPECT_EQ(published("Transformers NeuronX", "Neuron 2.18", 2024), "neuron");
}

TEST(PublishedEngineTest, WithoutAReleaseTheYearDoes) {
  EXPECT_EQ(published("vLLM", "", 2024), "vllm-v0");
  EXPECT_EQ(published("vllm", "", 2025), "vllm-v1");
  EXPECT_EQ(published("vllm", "", 0), "vllm-async");
  EXPECT_EQ(published("vllm-0.7", "", 0), "vllm-v1");
  EXPECT_EQ(published("TensorRT-LLM", "", 2023), "tensorrt-static");
  EXPECT_EQ(published("TensorRT-LLM", "", 2024), "tensorrt-cpp");
  EXPECT_EQ(published("TensorRT-LLM", "TensorRT 10.2, CUDA 12.4", 2024, "MLPerf 4.1"),
            "tensorrt-cpp");
}

TEST(PublishedEngineTest, AVersionOlderThanItsYearIsThatOfAContainer) {
  EXPECT_EQ(published("TensorRT-LLM", "0.8.1.post2", 2026), "tensorrt-python");
}

TEST(PublishedEngineTest, AnEngineNobodyKnowsIsTakenForAnother) {
  const auto found = find("DeepSeek internal", "", 2025);
  EXPECT_FALSE(found.is_known);
  EXPECT_EQ(found.engine->name, "sglang");
  EXPECT_TRUE(find("SGLang", "latest", 2025).is_known);
}

TEST(PublishedEngineTest, ItsWordsSayWhereTheCacheIsNarrow) {
  using catalog::NarrowCache;
  EXPECT_EQ(find("TensorRT-LLM", "1.0", 2025).narrow_cache, NarrowCache::kAlways);
  EXPECT_EQ(find("vLLM", "0.14", 2026).narrow_cache, NarrowCache::kNever);
  EXPECT_EQ(find("vLLM", "0.14", 2026, "InferenceX v2").narrow_cache, NarrowCache::kDense);
  EXPECT_EQ(find("vLLM-ROCm", "0.14", 2026, "InferenceX v2").narrow_cache, NarrowCache::kNever);
}

}  // namespace
}  // namespace loadfactor::validation
