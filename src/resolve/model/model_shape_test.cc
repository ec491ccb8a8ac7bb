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

}  // namespace
}  // namespace loadfactor::engine
