#include "catalog/import/prices/name_resolvers.h"

#include <gtest/gtest.h>

#include "catalog/load/data_file.h"

namespace loadfactor::catalog {
namespace {

class NameResolversTest : public testing::Test {
 protected:
  Diagnostics diagnostics_;
  Catalog catalog_ = Catalog::open(builtin_files(), diagnostics_);
};

TEST_F(NameResolversTest, SaysWhenAChipComesInMoreThanOneForm) {
  const auto find = accelerator_resolver(catalog_);
  ASSERT_TRUE(find("H100").has_value());
  EXPECT_EQ(find("H100")->name, "h100-sxm");
  EXPECT_TRUE(find("H100")->ambiguous);
  EXPECT_FALSE(find("H100-SXM")->ambiguous);
  EXPECT_TRUE(find("A100")->ambiguous);
  EXPECT_TRUE(find("A100-80GB")->ambiguous);
  EXPECT_FALSE(find("A100-SXM4-80GB")->ambiguous);
  EXPECT_FALSE(find("tpu-v5p")->ambiguous);
  EXPECT_FALSE(find("Flux9000").has_value());
}

TEST_F(NameResolversTest, FindsTheOpenModelBehindAnApi) {
  const auto find = model_resolver(catalog_);
  EXPECT_EQ(find("deepinfra/meta-llama/Meta-Llama-3.1-8B-Instruct"), "llama-3.1-8b");
  EXPECT_EQ(find("openrouter/qwen/qwen3-32b"), "qwen3-32b");
  EXPECT_EQ(find("gpt-4o"), "");
}

// The catalogue has their layers under the name of another model.
TEST_F(NameResolversTest, AVariantIsNotSoldAsTheModelWhoseLayersItHas) {
  const auto find = model_resolver(catalog_);
  EXPECT_EQ(find("nebius/Qwen/Qwen2.5-Coder-7B"), "");
  EXPECT_EQ(find("deepinfra/Qwen/Qwen3-235B-A22B-Thinking-2507"), "");
  EXPECT_EQ(find("novita/deepseek/deepseek-r1-0528-qwen3-8b"), "");
  EXPECT_EQ(find("novita/qwen/qwen3-coder-480b-a35b-instruct"), "qwen3-coder-480b-a35b");
  EXPECT_EQ(find("moonshot/kimi-k2-thinking"), "kimi-k2-thinking");
}

}  // namespace
}  // namespace loadfactor::catalog
