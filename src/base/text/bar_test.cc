#include "base/text/bar.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

TEST(FractionBarTest, FillsInEighths) {
  EXPECT_EQ(fraction_bar(0.5, 4), "██  ");
  EXPECT_EQ(fraction_bar(0.625, 4), "██▌ ");
  EXPECT_EQ(fraction_bar(0.0, 4), "    ");
  EXPECT_EQ(fraction_bar(1.0, 4), "████");
  EXPECT_EQ(fraction_bar(7.0, 2), "██");
  EXPECT_EQ(fraction_bar(-1.0, 2), "  ");
  EXPECT_EQ(fraction_bar(std::nan(""), 2), "  ");
}

TEST(FractionBarTest, IsAlwaysAsWideAsAsked) {
  for (int i = 0; i <= 1000; ++i) EXPECT_EQ(display_width(fraction_bar(i / 1000.0, 17)), 17);
}

TEST(StackedBarTest, SharesOutTheColumns) {
  const std::vector<BarSegment> segments{{"weights", 2, "█"}, {"KV", 5, "▒"}, {"free", 3, " "}};
  EXPECT_EQ(segment_widths(segments, 10), (std::vector<int>{2, 5, 3}));
  EXPECT_EQ(stacked_bar(segments, 10), "▕██▒▒▒▒▒   ▏");
}

TEST(StackedBarTest, ShowsTheSmallestSegmentToo) {
  const std::vector<BarSegment> segments{{"a", 1000}, {"b", 1}, {"none", 0}};
  EXPECT_EQ(segment_widths(segments, 10), (std::vector<int>{9, 1, 0}));
}

TEST(StackedBarTest, IsBlankWhereThereIsNothing) {
  EXPECT_EQ(stacked_bar(std::vector<BarSegment>{{"a", 0}}, 3), "▕   ▏");
  EXPECT_EQ(stacked_bar({}, 3), "▕   ▏");
}

TEST(StackedBarTest, WidthsAddUp) {
  std::mt19937_64 engine(7);
  for (int i = 0; i < 1000; ++i) {
    std::vector<BarSegment> segments(1 + engine() % 9);
    for (BarSegment& segment : segments) segment.amount = std::pow(10.0, engine() % 7);
    const int width = static_cast<int>(engine() % 60);
    const std::vector<int> widths = segment_widths(segments, width);
    ASSERT_EQ(std::accumulate(widths.begin(), widths.end(), 0), width);
    ASSERT_EQ(display_width(stacked_bar(segments, width)), width + 2);
    for (const int each : widths) ASSERT_GE(each, width >= static_cast<int>(widths.size()) ? 1 : 0);
  }
}

TEST(StackedBarLabelsTest, StandsUnderTheSegments) {
  const std::vector<BarSegment> segments{{"weights", 10}, {"KV", 20}, {"free", 10}};
  EXPECT_EQ(stacked_bar_labels(segments, 40), " weights   KV                  free");
}

TEST(StackedBarLabelsTest, MovesALabelBehindTheOneBefore) {
  const std::vector<BarSegment> segments{{"weights", 4}, {"KV", 4}, {"free", 8}};
  EXPECT_EQ(stacked_bar_labels(segments, 16), " weights KV free");
  EXPECT_EQ(stacked_bar_labels(segments, 10), " weights KV");
}

TEST(StackedBarDeathTest, NegativeAmountsAreOurBug) {
  EXPECT_DEATH(segment_widths(std::vector<BarSegment>{{"a", -1}}, 10), "negative");
}

TEST(SparklineTest, ScalesToTheLargest) {
  const std::vector<double> values{0, 1, 3.5, 7, std::nan("")};
  EXPECT_EQ(sparkline(values), "▁▂▅█ ");
  EXPECT_EQ(sparkline(std::vector<double>{0, 0}), "▁▁");
  EXPECT_EQ(sparkline({}), "");
}

}  // namespace
}  // namespace loadfactor
