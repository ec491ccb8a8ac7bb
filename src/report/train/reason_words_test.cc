#include "report/train/reason_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

TEST(ReasonWordsTest, TheTwoLargestLossesAreNamed) {
  LayoutReasons reasons;
  reasons.gpus = reasons.best_gpus = 8;
  EXPECT_EQ(reason_words(reasons), "as fast; less plain");
  reasons.losses = {{"bubble", 0.081}, {"dp", 0.02}, {"host", 0.01}};
  EXPECT_EQ(reason_words(reasons), "bubble +8.1 %, gradient reduction not hidden +2.0 %");
  reasons.gpus = 16;
  reasons.is_tight = true;
  EXPECT_EQ(reason_words(reasons),
            "16 GPUs, not 8, memory is tight, bubble +8.1 %, gradient reduction not hidden +2.0 %");
}

TEST(ReasonWordsTest, TheBestSaysWhatItDoesAboutItsDimensions) {
  LayoutReasons best;
  best.is_best = true;
  best.gpus = 16;
  best.tp = 8;
  best.dp = 2;
  best.domain = 8;
  best.memory_share = 0.5;
  EXPECT_EQ(reason_words(best),
            "tp 8 stays in the scale-up domain of 8, dp 2 outermost, 50 % of the memory needed");
}

}  // namespace
}  // namespace loadfactor::report
