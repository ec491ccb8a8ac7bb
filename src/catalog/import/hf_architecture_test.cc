#include "catalog/import/hf_architecture.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "catalog/import/hf_config.h"

namespace loadfactor::catalog {
namespace {

TEST(HfArchitectureTest, EveryModelTypeStandsOnce) {
  std::set<std::string_view> seen;
  for (const auto& row : hf_architectures()) {
    EXPECT_TRUE(seen.insert(row.model_type).second) << row.model_type;
    EXPECT_EQ(find_hf_architecture(row.model_type)->model_type, row.model_type);
  }
  EXPECT_GE(seen.size(), 40U);
}

TEST(HfArchitectureTest, WrappersLeadToTheirTextModel) {
  EXPECT_EQ(find_hf_architecture("gemma3")->model_type, "gemma3_text");
  EXPECT_EQ(find_hf_architecture("kimi_k25")->model_type, "kimi_k2");
  EXPECT_EQ(find_hf_architecture("never-heard-of"), nullptr);
}

TEST(HfArchitectureTest, DefaultsAreWhole) {
  for (const auto& row : hf_architectures()) {
    SCOPED_TRACE(row.model_type);
    EXPECT_FALSE(row.family.empty());
    EXPECT_GT(row.sizes.heads, 0);
    EXPECT_GT(row.sizes.vocab, 0);
    EXPECT_GT(row.sizes.context, 0);
    EXPECT_TRUE(row.sizes.kv_heads == 0 || row.sizes.heads % row.sizes.kv_heads == 0);
    const HfLayout layout = row.attention.layout;
    const bool periodic = layout == HfLayout::kAlternating || layout == HfLayout::kLinear ||
                          layout == HfLayout::kEveryFromFirst;
    EXPECT_EQ(periodic, row.attention.every > 0);
    EXPECT_LE(row.moe.top_k, row.moe.experts);
  }
}

// The smallest config that names a type, its width and its depth is enough for any row.
TEST(HfArchitectureTest, EveryRowMakesAModelFromItsDefaults) {
  for (const auto& row : hf_architectures()) {
    SCOPED_TRACE(row.model_type);
    const std::string extra = row.attention.layout == HfLayout::kLetters
                                  ? R"(,"hybrid_override_pattern":"M*-E")"
                                  : R"(,"num_experts_per_tok":1)";
    const std::string config = R"({"model_type":")" + std::string(row.model_type) +
                               R"(","hidden_size":)" + std::to_string(row.sizes.heads * 64) +
                               R"(,"num_hidden_layers":4,"num_attention_heads":)" +
                               std::to_string(row.sizes.heads) + extra + "}";
    Diagnostics diagnostics;
    const auto model = import_hf_config({"config.json", config}, {}, diagnostics);
    ASSERT_TRUE(model.has_value()) << render(diagnostics);
    EXPECT_EQ(model->spec.num_layers(), 4);
    EXPECT_EQ(model->spec.hidden, row.sizes.heads * 64);
    EXPECT_EQ(model->spec.embedding.vocab, row.sizes.vocab);
  }
}

}  // namespace
}  // namespace loadfactor::catalog
