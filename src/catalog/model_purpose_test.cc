#include "catalog/index/model_purpose.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "catalog/testing/shipped_catalog.h"

namespace loadfactor::catalog {
namespace {

TEST(ModelPurposeTest, WordsOfANameSayWhatItIsFor) {
  EXPECT_EQ(named_purpose("Qwen/Qwen3-Embedding-4B").task, ModelTask::kEmbed);
  EXPECT_EQ(named_purpose("bge-reranker-v2-m3").task, ModelTask::kRerank);
  EXPECT_EQ(named_purpose("qwen2.5-vl-72b").reads, Modality::kVision);
  EXPECT_EQ(named_purpose("openai/whisper-tiny").reads, Modality::kAudio);
  EXPECT_TRUE(named_purpose("stable-diffusion-xl-base-1.0").makes_images);
  EXPECT_TRUE(named_purpose("FLUX.1-dev").makes_images);
  EXPECT_EQ(named_purpose("llama-3.1-8b"), NamedPurpose{});
}

std::string hint_for(const std::string& name) {
  const auto found = testing::shipped().find_model(name);
  EXPECT_FALSE(found.has_value()) << name;
  return found ? std::string() : found.error().hint;
}

TEST(ModelPurposeTest, ANameIsNeverOfferedAModelOfAnotherKind) {
  EXPECT_NE(hint_for("qwen2.5-vl-72b").find("qwen2.5-vl-7b"), std::string::npos);
  EXPECT_EQ(hint_for("qwen2.5-vl-72b").find("'qwen2.5-7b'"), std::string::npos);
  EXPECT_EQ(hint_for("qwen3-embeding-9b").find("qwen3-8b'"), std::string::npos);
  EXPECT_EQ(hint_for("whisper-huge").find("did you mean 'llama"), std::string::npos);
  EXPECT_EQ(hint_for("llama-3.1-9b").find("embedding"), std::string::npos);
}

TEST(ModelPurposeTest, DiffusionIsRefusedByName) {
  for (const char* name : {"stable-diffusion-3", "flux.1-dev", "sdxl-turbo"}) {
    const auto found = testing::shipped().find_model(name);
    ASSERT_FALSE(found.has_value()) << name;
    EXPECT_EQ(found.error().code, lf::kUnsupportedModelType) << name;
  }
}

}  // namespace
}  // namespace loadfactor::catalog
