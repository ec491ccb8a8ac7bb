#include "report/traffic_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

TEST(TrafficWordsTest, WhatIsFarOffIsToldWithBothFigures) {
  engine::TrafficFitAnswer fit;
  fit.rates.emplace();
  fit.rates->fitted = {.real_mean = 1, .made_mean = 1, .real_peak = 6, .made_peak = 2};
  const auto far = engine::far_figures(fit);
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(far[0].which, engine::FarFigure::Which::kWindowPeak);
  EXPECT_EQ(words_of(far[0]),
            "! made traffic has a peak/mean of 2, the file 6: more than 1.5 times off, so do not "
            "size a fleet by it");
  fit.rates->fitted.made_peak = 4.5;
  EXPECT_TRUE(engine::far_figures(fit).empty());
}

TEST(TrafficWordsTest, AFileThatIsNotStationarySaysWhatChanges) {
  engine::TrafficFitAnswer fit;
  fit.rates.emplace();
  fit.rates->unseen = {.real_mean = 4, .made_mean = 2, .real_peak = 3, .made_peak = 3};
  const auto far = engine::far_figures(fit);
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(words_of(far[0]),
            "! the file is not stationary: a fit to its first half gives the second a mean rate of "
            "2, and it has 4; what comes after it may differ as much");
}

TEST(TrafficWordsTest, AFileSaysThatItsLengthsAreAssumed) {
  engine::TrafficFitAnswer fit;
  fit.numbers = 7;
  EXPECT_TRUE(traffic_file(fit).starts_with("# 7 numbers; made again by"));
  const auto before = traffic_file(fit).size();
  fit.lengths_assumed = true;
  EXPECT_GT(traffic_file(fit).size(), before);
}

}  // namespace
}  // namespace loadfactor::report
