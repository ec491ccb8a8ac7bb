#include "engine/train/scale_words.h"

#include <gtest/gtest.h>

#include "engine/train/scale_decisions.h"

namespace loadfactor::engine {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ScalePoint point(int gpus, double efficiency) {
  ScalePoint out;
  out.train.layout.gpus = gpus;
  out.train.accelerator_title = "X";
  out.train.layout.recompute = "none";
  out.train.tokens_per_s = EstimateOf<TokensPerSecond>::exact(
      TokensPerSecond::from_base(100.0 * gpus), Basis::kModelled, {});
  out.efficiency = efficiency;
  out.binding = "network";
  return out;
}

ScaleCurve curve(std::vector<ScalePoint> points, int largest) {
  ScaleCurve out;
  out.title = "X";
  out.points = std::move(points);
  out.largest = largest;
  out.domain = 8;
  return out;
}

TEST(ScaleWords, ACurveThatDipsSaysWhichSizesAreBelowTheLine) {
  const auto dip = curve({point(32, 1.0), point(64, 0.96), point(128, 1.01)}, 128);
  EXPECT_TRUE(has(curve_words(dip, 0.97),
                  "128 GPUs are the most above 97 % efficiency, though 64 is below it"))
      << curve_words(dip, 0.97);
  EXPECT_TRUE(has(curve_words(dip, 0.9), "up to 128 GPUs stay above 90 % efficiency"));
  EXPECT_TRUE(has(curve_words(curve({point(8, 1.0), point(16, 0.9)}, 0), 1.1), "no size stays"));
}

TEST(ScaleWords, ABaselineOnTheHostIsNotedWhereSomethingIsAboveIt) {
  auto slow = curve({point(32, 1.0), point(64, 0.96)}, 64);
  slow.points[0].train.layout.offload = {"optimizer"};
  EXPECT_FALSE(note_slow_baseline(slow).has_value());
  slow.points[1].efficiency = 1.2;
  EXPECT_TRUE(note_slow_baseline(slow).has_value());
}

TEST(ScaleWords, MachinesThatDoNotDifferAreComparedWithoutAReason) {
  const auto priced = [](int gpus, double communication) {
    ScalePoint out = point(gpus, 1.0);
    out.communication = communication;
    out.train.cost_per_token =
        EstimateOf<DollarsPerToken>::exact(DollarsPerToken::from_base(1e-6), Basis::kModelled, {});
    return out;
  };
  const Dollars budget = Dollars::from_base(1000);
  const auto alike = budget_decisions({curve({priced(8, 0.03), priced(16, 0.03)}, 16)}, budget);
  ASSERT_EQ(alike.size(), 2U);
  EXPECT_FALSE(has(alike[1], "the first")) << alike[1];
  const auto apart = budget_decisions({curve({priced(8, 0.03), priced(16, 0.13)}, 16)}, budget);
  EXPECT_TRUE(has(apart.at(1), "spends 13 % of a step in communication")) << apart[1];
}

}  // namespace
}  // namespace loadfactor::engine
