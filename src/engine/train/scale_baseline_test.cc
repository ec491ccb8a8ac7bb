#include "engine/train/scale_baseline.h"

#include <gtest/gtest.h>

namespace loadfactor::engine {
namespace {

ScalePoint point(int gpus, double efficiency) {
  ScalePoint out;
  out.train.layout.gpus = gpus;
  out.efficiency = efficiency;
  return out;
}

TEST(ScaleBaselineTest, ABaselineOnTheHostIsNotedWhereSomethingIsAboveIt) {
  ScaleCurve slow;
  slow.points = {point(32, 1.0), point(64, 0.96)};
  slow.points[0].train.layout.offload = {"optimizer"};
  EXPECT_FALSE(note_slow_baseline(slow).has_value());
  slow.points[1].efficiency = 1.2;
  EXPECT_TRUE(note_slow_baseline(slow).has_value());
}

}  // namespace
}  // namespace loadfactor::engine
