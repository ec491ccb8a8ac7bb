#include "resolve/model/model_shape.h"

#include <cmath>

#include <gtest/gtest.h>

#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

TEST(ModelShapeTest, AModelOfASizeHasThatSize) {
  for (const double size : {0.3e9, 1e9, 7e9, 13e9, 70e9, 175e9, 500e9, 1e12, 5e12}) {
    const auto model = model_of_size(size, 0);
    const auto counted = static_cast<double>(workload::count_parameters(model).total());
    EXPECT_NEAR(counted / size, 1.0, 0.03) << size;
    EXPECT_EQ(model.kinds[0].attention.heads * 128, model.hidden) << size;
  }
}

TEST(ModelShapeTest, SeventyBillionLooksLikeTheUsualSeventyBillion) {
  const auto model = model_of_size(70.6e9, 0);
  EXPECT_EQ(model.hidden, 8192);
  EXPECT_EQ(model.num_layers(), 80);
  EXPECT_EQ(model.kinds[0].attention.kv_heads, 8);
  EXPECT_NEAR(model.kinds[0].mlp.width, 28672, 1024);
}

TEST(ModelShapeTest, ActiveParametersMakeAMixture) {
  const auto model = model_of_size(500e9, 30e9);
  const auto counted = workload::count_parameters(model);
  EXPECT_NEAR(static_cast<double>(counted.total()) / 500e9, 1.0, 0.05);
  EXPECT_NEAR(static_cast<double>(counted.active()) / 30e9, 1.0, 0.05);
  EXPECT_EQ(model.kinds[0].moe.top_k, 8);
}

TEST(ModelShapeTest, DimensionsAreTakenAsWritten) {
  config::ModelDimensions asked;
  asked.layers.value = 32;
  asked.hidden.value = 4096;
  asked.heads.value = 32;
  asked.vocab.value = 128256;
  asked.kv_heads = config::Placed<std::int64_t>{8, {}};
  asked.mlp = config::Placed<std::int64_t>{14336, {}};
  // The published count of the 8B model of these dimensions.
  EXPECT_EQ(workload::count_parameters(model_of_dimensions(asked)).total(), 8'030'261'248);
}

// Every key counts: a mixture with shared width, tied tables and heads of a width of their own.
TEST(ModelShapeTest, EveryDimensionThatIsWrittenStandsInTheModel) {
  using Count = config::Placed<std::int64_t>;
  using Truth = config::Placed<bool>;
  config::ModelDimensions asked;
  asked.layers.value = 5;
  asked.hidden.value = 1024;
  asked.heads.value = 16;
  asked.vocab.value = 1000;
  const auto plain = model_of_dimensions(asked);
  EXPECT_EQ(plain.kinds[0].attention.kv_heads, 16);  // As many as heads,
  EXPECT_EQ(plain.kinds[0].attention.head_dim, 64);  // which share the width.
  EXPECT_EQ(plain.kinds[0].mlp.kind, catalog::MlpKind::kGated);
  EXPECT_FALSE(plain.embedding.tied);
  EXPECT_EQ(plain.num_layers(), 5);
  asked.head_dim = Count{96, {}};
  asked.gated = Truth{false, {}};
  asked.tied = Truth{true, {}};
  asked.experts = Count{32, {}};
  asked.top_k = Count{4, {}};
  asked.expert_width = Count{256, {}};
  asked.shared_width = Count{128, {}};
  const auto mixed = model_of_dimensions(asked);
  EXPECT_EQ(mixed.kinds[0].attention.head_dim, 96);
  EXPECT_EQ(mixed.kinds[0].mlp.kind, catalog::MlpKind::kPlain);
  EXPECT_EQ(mixed.kinds[0].moe.kind, catalog::MlpKind::kPlain);
  EXPECT_TRUE(mixed.embedding.tied);
  EXPECT_EQ(mixed.kinds[0].moe.experts, 32);
  EXPECT_EQ(mixed.kinds[0].moe.top_k, 4);
  EXPECT_EQ(mixed.kinds[0].moe.width, 256);
  EXPECT_EQ(mixed.kinds[0].moe.shared_width, 128);
  asked.gated = Truth{true, {}};
  asked.tied = Truth{false, {}};
  EXPECT_EQ(model_of_dimensions(asked).kinds[0].mlp.kind, catalog::MlpKind::kGated);
  EXPECT_FALSE(model_of_dimensions(asked).embedding.tied);
}

// Wide models come in steps of 1,024, small ones in smaller steps, and below 3,072 the tables of
// words are one. Depth follows width: about a layer for 102 of it.
TEST(ModelShapeTest, WidthComesInStepsAndDepthFollowsIt) {
  for (const double size : {0.2e9, 0.5e9, 1e9, 3e9, 7e9, 13e9, 30e9, 70e9, 175e9, 540e9, 1e12}) {
    const auto model = model_of_size(size, 0);
    const int step = model.hidden >= 3072 ? 1024 : model.hidden >= 1024 ? 256 : 128;
    EXPECT_EQ(model.hidden % step, 0) << size;
    EXPECT_EQ(model.embedding.tied, model.hidden < 3072) << size;
    const auto layers = static_cast<double>(model.num_layers());
    if (layers > 16) {
      EXPECT_EQ(model.num_layers() % 4, 0) << size;
    }
    if (size >= 30e9) {  // Tables of words weigh little.
      EXPECT_NEAR(model.hidden / layers / 102, 1, 0.15) << size;
    }
    const auto& attention = model.kinds[0].attention;
    EXPECT_TRUE(attention.kv_heads == 8 || attention.kv_heads == attention.heads) << size;
    if (attention.heads > 8 && attention.heads % 8 == 0) {
      EXPECT_EQ(attention.kv_heads, 8) << size;
    }
    EXPECT_EQ(model.kinds[0].mlp.width % 64, 0) << size;
    if (model.kinds[0].mlp.width > 4096 + 256) {
      EXPECT_EQ(model.kinds[0].mlp.width % 256, 0) << size;
    }
  }
}

// A billion parameters are 2,048 wide: 262.7 million in the table, and 12.6 squares of the width in
// each layer. Where tables leave nothing, an MLP is as wide as a head.
TEST(ModelShapeTest, WhatTheTablesLeaveIsInTheLayers) {
  const double table = 128'256.0 * 2048;
  const auto model = model_of_size(1e9, 0);
  EXPECT_EQ(model.hidden, 2048);
  EXPECT_EQ(model.num_layers(), std::lround((1e9 - table) / (12.6 * 2048 * 2048)));
  EXPECT_EQ(model_of_size(1e6, 0).kinds[0].mlp.width, 128);
}

TEST(ModelShapeTest, ExpertsAreInMultiplesOfTheEightThatWork) {
  const auto model = model_of_size(671e9, 37e9);
  const auto counted = workload::count_parameters(model);
  EXPECT_NEAR(static_cast<double>(counted.total()) / 671e9, 1.0, 0.05);
  EXPECT_NEAR(static_cast<double>(counted.active()) / 37e9, 1.0, 0.05);
  EXPECT_EQ(model.kinds[0].moe.experts % 8, 0);
  EXPECT_GT(model.kinds[0].moe.experts, 8);
  EXPECT_EQ(model.kinds[0].mlp.width, 0);
}

}  // namespace
}  // namespace loadfactor::engine
