#include "report/plan/accuracy_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

TEST(AccuracyWordsTest, RunsOnTheSameChipAreToldFromAllRuns) {
  TrainingAccuracy training{"h100-sxm", true, 12, 3.25, 9.5, 91, 20.5};
  const std::string own = words_of(PlanAccuracy{training, std::nullopt});
  EXPECT_TRUE(
      own.starts_with("12 published training runs on h100-sxm: median error of tokens per "
                      "second and GPU 3.2 %, p90 9.5 %, 91 % within the interval"))
      << own;
  training.is_own = false;
  const std::string all = words_of(PlanAccuracy{training, std::nullopt});
  EXPECT_TRUE(
      all.starts_with("No published run on h100-sxm is known. 12 of all published training "
                      "runs: median error 3.2 %"))
      << all;
}

TEST(AccuracyWordsTest, ServingListsWhatTheCalibrationWasLeftWith) {
  const std::string text =
      words_of(PlanAccuracy{std::nullopt, std::vector<std::string>{"a 1 %", "b 2 %"}});
  EXPECT_TRUE(
      text.starts_with("Median and p90 errors on published serving results: a 1 %; b 2 %. "
                       "Intervals are meant"))
      << text;
}

TEST(AccuracyWordsTest, WithoutFiguresOnlyTheIntervalsAreSpokenOf) {
  EXPECT_TRUE(words_of(PlanAccuracy()).starts_with("Intervals are meant to hold nine of ten"));
}

}  // namespace
}  // namespace loadfactor::report
