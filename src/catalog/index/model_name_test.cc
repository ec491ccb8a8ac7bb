#include "catalog/index/model_name.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/index/name_rule.h"

namespace loadfactor::catalog {
namespace {

std::vector<std::string> keys(std::string_view written) {
  std::vector<std::string> found;
  for (const auto& spelling : model_spellings(written)) found.push_back(plain_key(spelling));
  return found;
}

bool reaches(std::string_view written, std::string_view name) {
  const auto all = keys(written);
  return std::find(all.begin(), all.end(), plain_key(name)) != all.end();
}

TEST(ModelNameTest, TheWholeNameIsTriedFirst) {
  EXPECT_EQ(keys("DeepSeek-V3/R1").front(), "deepseekv3r1");
  EXPECT_EQ(keys("GPT-175B(MegaScale)").front(), "gpt175bmegascale");
  EXPECT_EQ(keys("GPT-175B(MegaScale)").back(), "gpt175b");
}

TEST(ModelNameTest, OrganisationTuningQuantisationAndDateFallAway) {
  EXPECT_TRUE(reaches("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"));
  EXPECT_TRUE(reaches("nvidia/Llama-3.1-405B-Instruct-FP4", "llama-3.1-405b"));
  EXPECT_TRUE(reaches("google/gemma-2-9b-it", "gemma-2-9b"));
  EXPECT_TRUE(reaches("codellama/CodeLlama-34b-Instruct-hf", "codellama-34b"));
  EXPECT_TRUE(reaches("Qwen/Qwen2.5-32B-Instruct-GPTQ-Int4", "qwen2.5-32b"));
  EXPECT_TRUE(reaches("mistralai/Mistral-Small-24B-Instruct-2501", "mistral-small-24b"));
  EXPECT_TRUE(reaches("microsoft/Phi-3-mini-128k-instruct", "phi-3-mini"));
}

TEST(ModelNameTest, APointReleaseIsTriedBeforeItFallsAway) {
  const auto all = keys("Mistral-7B-Instruct-v0.3");
  const auto with = std::find(all.begin(), all.end(), plain_key("mistral-7b-v0.3"));
  const auto without = std::find(all.begin(), all.end(), plain_key("mistral-7b"));
  ASSERT_NE(with, all.end());
  ASSERT_NE(without, all.end());
  EXPECT_LT(with, without);
}

TEST(ModelNameTest, AVersionIsNoPointRelease) {
  EXPECT_FALSE(reaches("DeepSeek-V9", "deepseek"));
  EXPECT_FALSE(reaches("Qwen2.5-7B", "qwen-7b"));
}

TEST(ModelNameTest, SizesAreKnownByTheirForm) {
  const auto name = split_sizes("qwen3-30b-a3b");
  EXPECT_EQ(name.family, "qwen3");
  EXPECT_EQ(name.sizes, (std::vector<std::string>{"30b", "a3b"}));
  EXPECT_EQ(split_sizes("mixtral-8x7b").sizes, (std::vector<std::string>{"8x7b"}));
  EXPECT_EQ(split_sizes("gpt-1.7b").sizes, (std::vector<std::string>{"1.7b"}));
  EXPECT_TRUE(split_sizes("phi-4").sizes.empty());
  EXPECT_TRUE(split_sizes("deepseek-v3").sizes.empty());
}

TEST(ModelNameTest, SizesMayBeLeftOutButNotContradicted) {
  const auto agree = [](std::string_view a, std::string_view b) {
    return agree_but_for_sizes(split_sizes(a), split_sizes(b));
  };
  EXPECT_TRUE(agree("gopher", "gopher-280b"));
  EXPECT_TRUE(agree("qwen3-30b", "qwen3-30b-a3b"));
  EXPECT_TRUE(agree("llama4-maverick-17b-128e", "llama-4-maverick"));
  EXPECT_FALSE(agree("llama-3-405b", "llama-3-8b"));
  EXPECT_FALSE(agree("gopher", "phi"));
  EXPECT_FALSE(agree("70b", "8b"));
}

TEST(ModelNameTest, SizesWrittenMustBeTheModels) {
  ModelSpec model;
  model.published_parameters = 400e9;
  model.published_active = 17e9;
  model.kinds.resize(1);
  model.kinds[0].moe.experts = 128;
  const auto name = split_sizes("llama-4-maverick");
  EXPECT_TRUE(sizes_fit(split_sizes("llama-4-maverick-17b-128e"), name, model));
  EXPECT_TRUE(sizes_fit(split_sizes("llama-4-maverick-400b"), name, model));
  EXPECT_FALSE(sizes_fit(split_sizes("llama-4-maverick-1t"), name, model));
  EXPECT_FALSE(sizes_fit(split_sizes("llama-4-maverick-17b-16e"), name, model));
}

}  // namespace
}  // namespace loadfactor::catalog
