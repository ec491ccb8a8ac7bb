#include "serving/generation.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

using catalog::AboveChunk;

TEST(BatchLimitsTest, NoMoreSequencesRunThanAStepHasTokens) {
  const EngineDefaults defaults{.chunk = 8192, .max_sequences = 1024};
  const auto alone = batch_limits(defaults, AboveChunk::kRefuse, 100, std::nullopt);
  EXPECT_EQ(alone.max_sequences, 100);
  EXPECT_EQ(alone.unbounded_sequences, 1024);
  EXPECT_FALSE(alone.is_refused);
  EXPECT_TRUE(batch_limits(defaults, AboveChunk::kRefuse, 100, 256).is_refused);
  EXPECT_TRUE(batch_limits(defaults, AboveChunk::kRefuse, std::nullopt, 9000).is_refused);
  EXPECT_EQ(batch_limits(defaults, AboveChunk::kLower, 100, 256).max_sequences, 100);
  EXPECT_EQ(batch_limits(defaults, AboveChunk::kAllow, 100, 256).max_sequences, 256);
}

TEST(BatchLimitsTest, TokensProposedAheadTakeRoomToo) {
  const EngineDefaults defaults{.chunk = 8192, .max_sequences = 1024};
  const auto limits = batch_limits(defaults, AboveChunk::kRefuse, std::nullopt, std::nullopt, 31);
  EXPECT_EQ(limits.max_sequences, 264);  // 264 × 31 = 8184.
  EXPECT_FALSE(batch_limits(defaults, AboveChunk::kRefuse, std::nullopt, 512, 31).is_refused);
  EXPECT_EQ(batch_limits(defaults, AboveChunk::kRefuse, 8, std::nullopt, 31).max_sequences, 1);
}

TEST(BatchLimitsTest, EnginesDifferInWhatTheyDoAboveTheChunk) {
  EXPECT_EQ(shipped().traits("vllm-async").above_chunk, AboveChunk::kRefuse);
  EXPECT_EQ(shipped().traits("neuron").above_chunk, AboveChunk::kRefuse);
  EXPECT_EQ(shipped().traits("tensorrt-python").above_chunk, AboveChunk::kLower);
  EXPECT_EQ(shipped().traits("sglang").above_chunk, AboveChunk::kAllow);
}

TEST(GenerationTest, AMisspeltGenerationIsAnErrorWithTheNearest) {
  catalog::EngineSpec engine;
  engine.name = "mine";
  engine.generation = "vllm-asinc";
  const auto& chip = **shipped().catalog.find_accelerator("h100-sxm");
  const auto found = generation_of(shipped().catalog, engine, "", chip);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, lf::kUnknownWord);
  EXPECT_NE(found.error().hint.find("did you mean 'vllm-async'?"), std::string::npos)
      << found.error().hint;
}

TEST(GenerationTest, AReleaseBeyondTheNewestKnownIsRemarkedOn) {
  catalog::EngineSpec engine;
  engine.title = "vLLM";
  engine.newest_release = "0.23";
  EXPECT_EQ(doubt_of_release(engine, ""), std::nullopt);
  EXPECT_EQ(doubt_of_release(engine, "0.23.1"), std::nullopt);
  EXPECT_EQ(doubt_of_release(engine, "v0.9"), std::nullopt);
  EXPECT_EQ(doubt_of_release(engine, "0.24"), ReleaseDoubt::kNewerThanKnown);
  EXPECT_EQ(doubt_of_release(engine, "1.2"), ReleaseDoubt::kNewerThanKnown);
  EXPECT_EQ(doubt_of_release(engine, "nightly"), ReleaseDoubt::kNoNumber);
}

TEST(GenerationTest, AReleaseGoesBeforeTheCatalogueAndTheCatalogueBeforeTheLatest) {
  const auto taken = [](const char* engine, const char* release, const char* chip) {
    const auto& catalog = shipped().catalog;
    return (*generation_of(catalog, **catalog.find_engine(engine), release,
                           **catalog.find_accelerator(chip)))
        ->name;
  };
  EXPECT_EQ(taken("vllm", "", "h100-sxm"), "vllm-async");
  EXPECT_EQ(taken("vllm", "0.11", "h100-sxm"), "vllm-v1");
  EXPECT_EQ(taken("vllm", "0.7", "h100-sxm"), "vllm-v0");
  EXPECT_EQ(taken("vllm", "0.2", "h100-sxm"), "vllm-eager");
  EXPECT_EQ(taken("vllm-0.7", "", "h100-sxm"), "vllm-v1");
  EXPECT_EQ(taken("vllm-0.7", "0.19", "h100-sxm"), "vllm-async");
  EXPECT_EQ(taken("vllm-v0", "", "h100-sxm"), "vllm-v0");
  EXPECT_EQ(taken("vllm-v0", "0.19", "h100-sxm"), "vllm-v0");
  EXPECT_EQ(taken("vllm", "", "mi300x"), "vllm-rocm");
  EXPECT_EQ(taken("vllm", "0.7", "mi300x"), "vllm-v0");
  EXPECT_EQ(taken("vllm", "", "trainium2"), "neuron");
  EXPECT_EQ(taken("sglang", "", "mi300x"), "sglang");
  EXPECT_EQ(taken("tensorrt-llm", "", "h100-sxm"), "tensorrt-python");
}

TEST(GenerationTest, DefaultsAreTheCataloguesAndLessOnSmallCards) {
  const auto& catalog = shipped().catalog;
  const auto& engine = **catalog.find_engine("vllm");
  const auto on = [&](const char* chip) {
    return engine_defaults(engine, shipped().traits("vllm-async"),
                           **catalog.find_accelerator(chip));
  };
  EXPECT_EQ(on("h100-sxm").chunk, engine.batching.batched_tokens);
  EXPECT_EQ(on("h100-sxm").max_sequences, engine.batching.max_sequences);
  EXPECT_LT(on("rtx-4090").chunk, engine.batching.batched_tokens);
  EXPECT_EQ(on("a100-80gb-sxm").chunk, on("rtx-4090").chunk);
}

}  // namespace
}  // namespace loadfactor::serving
