#include "report/train/scale_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
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
  out.binding = ScaleLimit::kNetwork;
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

TEST(ScaleWordsTest, ACurveThatDipsSaysWhichSizesAreBelowTheLine) {
  const auto dip = curve({point(32, 1.0), point(64, 0.96), point(128, 1.01)}, 128);
  EXPECT_TRUE(has(curve_words(dip, 0.97),
                  "128 GPUs are the most above 97 % efficiency, though 64 is below it"))
      << curve_words(dip, 0.97);
  EXPECT_TRUE(has(curve_words(dip, 0.9), "up to 128 GPUs stay above 90 % efficiency"));
  EXPECT_TRUE(has(curve_words(curve({point(8, 1.0), point(16, 0.9)}, 0), 1.1), "no size stays"));
}

TEST(ScaleWordsTest, MachinesThatDoNotDifferAreComparedWithoutAReason) {
  const auto compared = [](double communication) {
    ScaleAnswer answer;
    answer.curves = {curve({point(8, 1.0), point(16, 1.0)}, 16)};
    answer.curves[0].points[0].communication = 0.03;
    answer.curves[0].points[1].communication = communication;
    answer.budget = Dollars::from_base(1000);
    answer.budget_decisions = {
        {BudgetDecision::Between::kOneNodeAndSeveral, {.size = {0, 0}}, {.size = {0, 1}}}};
    return decision_words(answer).at(0);
  };
  EXPECT_FALSE(has(compared(0.03), "the first")) << compared(0.03);
  EXPECT_TRUE(has(compared(0.13), "spends 13 % of a step in communication")) << compared(0.13);
}

TEST(ScaleWordsTest, TheFirstLineNamesTheSmallestSizeInTime) {
  auto late = curve({point(8, 1.0), point(128, 0.9)}, 128);
  late.points[0].in_time = false;
  EXPECT_TRUE(has(curve_words(late, 0.8), "128 are the fewest that meet the deadline"))
      << curve_words(late, 0.8);
}

}  // namespace
}  // namespace loadfactor::report
