#include "probe/shapes.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace loadfactor::probe {
namespace {

TEST(ProbeShapesTest, EveryParameterOfAProductIsSpokenOf) {
  std::set<std::string> spoken;
  for (const GemmShape& shape : identifying_shapes(false).gemm) spoken.insert(shape.why);
  EXPECT_EQ(spoken, (std::set<std::string>{"memory", "fixed", "sustained", "half", "wave_paid",
                                           "split", "tile_cost"}));
}

TEST(ProbeShapesTest, NoShapeIsMeasuredTwiceAndAQuickRunIsAPart) {
  const auto all = identifying_shapes(false).gemm;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(all[i] == all[j]) << all[i].m;
  for (const GemmShape& shape : identifying_shapes(true).gemm)
    EXPECT_NE(std::find(all.begin(), all.end(), shape), all.end()) << shape.m;
}

TEST(ProbeShapesTest, TheSmallestShapesUseEveryKernelOfAttention) {
  std::set<std::string> kernels;
  for (const AttentionShape& shape : smallest_shapes().attention)
    kernels.insert(shape.phase + " " + std::to_string(shape.head_dim));
  EXPECT_EQ(kernels, (std::set<std::string>{"backward 128", "backward 64", "decode 128",
                                            "decode 64", "prefill 128", "prefill 64"}));
}

TEST(ProbeShapesTest, APlansShapesAreAddedOnce) {
  ShapePlan plan;
  EXPECT_EQ(add_shapes("# a plan\ngemm 3 5 7  # odd\n\ngemm 3 5 7\n"
                       "attention decode 1 8 2 1 512 128\n",
                       plan),
            0);
  ASSERT_EQ(plan.gemm.size(), 1u);
  EXPECT_EQ(plan.gemm[0].why, "plan");
  ASSERT_EQ(plan.attention.size(), 1u);
  EXPECT_EQ(plan.attention[0].kv_len, 512);
}

TEST(ProbeShapesTest, TheFirstBadLineIsNamed) {
  for (const char* bad : {"gemm 1 2", "gemm 1 2 0", "gemm 1 2 -3", "gemm 1 2 3 4", "gem 1 2 3",
                          "attention prefill 1 8 3 1 1 128", "attention sideways 1 8 2 1 1 64",
                          "gemm 1 2 99999999999"}) {
    ShapePlan plan;
    EXPECT_EQ(add_shapes(std::string("gemm 1 1 1\n") + bad, plan), 2) << bad;
  }
}

}  // namespace
}  // namespace loadfactor::probe
