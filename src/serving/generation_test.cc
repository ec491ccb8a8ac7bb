#include "serving/generation.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::serving {
namespace {

TEST(BatchLimitsTest, NoMoreSequencesRunThanAStepHasTokens) {
  const EngineDefaults defaults{.chunk = 8192, .max_sequences = 1024};
  const auto alone = batch_limits(defaults, EngineEra::kVllmV1, 100, std::nullopt);
  EXPECT_EQ(alone.max_sequences, 100);
  EXPECT_EQ(alone.unbounded_sequences, 1024);
  EXPECT_FALSE(alone.is_refused);
  EXPECT_TRUE(batch_limits(defaults, EngineEra::kVllmV1, 100, 256).is_refused);
  EXPECT_TRUE(batch_limits(defaults, EngineEra::kVllmV1, std::nullopt, 9000).is_refused);
  EXPECT_EQ(batch_limits(defaults, EngineEra::kTensorRtPython, 100, 256).max_sequences, 100);
  EXPECT_EQ(batch_limits(defaults, EngineEra::kSglang, 100, 256).max_sequences, 256);
}

TEST(BatchLimitsTest, TokensProposedAheadTakeRoomToo) {
  const EngineDefaults defaults{.chunk = 8192, .max_sequences = 1024};
  const auto limits = batch_limits(defaults, EngineEra::kVllmV1, std::nullopt, std::nullopt, 31);
  EXPECT_EQ(limits.max_sequences, 264);  // 264 × 31 = 8184.
  EXPECT_FALSE(batch_limits(defaults, EngineEra::kVllmV1, std::nullopt, 512, 31).is_refused);
  EXPECT_EQ(batch_limits(defaults, EngineEra::kVllmV1, 8, std::nullopt, 31).max_sequences, 1);
}

TEST(GenerationTest, AMisspeltGenerationIsAnErrorWithTheNearest) {
  catalog::EngineSpec engine;
  engine.name = "mine";
  EXPECT_FALSE(find_generation_fault(engine));
  engine.generation = "vllm-v1";
  EXPECT_FALSE(find_generation_fault(engine));
  engine.generation = "vllm-asinc";
  const auto fault = find_generation_fault(engine);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, lf::kUnknownWord);
  EXPECT_NE(fault->hint.find("did you mean 'vllm-async'?"), std::string::npos) << fault->hint;
}

TEST(GenerationTest, AReleaseBeyondTheNewestKnownIsRemarkedOn) {
  catalog::EngineSpec engine;
  engine.title = "vLLM";
  engine.newest_release = "0.23";
  const auto remark = [&](std::string_view release) {
    return release_remark(engine, release, EngineEra::kVllmAsync).has_value();
  };
  EXPECT_FALSE(remark(""));
  EXPECT_FALSE(remark("0.23.1"));
  EXPECT_FALSE(remark("v0.9"));
  EXPECT_TRUE(remark("0.24"));
  EXPECT_TRUE(remark("1.2"));
  EXPECT_TRUE(remark("nightly"));
}

}  // namespace
}  // namespace loadfactor::serving
