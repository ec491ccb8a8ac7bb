#include "report/calibrate/calibration_words.h"

#include <set>

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

TEST(CalibrationWordsTest, EveryMeasurementHasWordsOfItsOwn) {
  std::set<std::string_view> seen;
  const int last = static_cast<int>(engine::Measurement::kSingleRun);
  for (int i = 0; i <= last; ++i) seen.insert(words_of(static_cast<engine::Measurement>(i)));
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(last) + 1);
}

TEST(CalibrationWordsTest, AdviceSaysWhatItSettlesAndHow) {
  const engine::ProbeAdvice advice{engine::Measurement::kMemory, 0.3, 0.041, 0.62};
  EXPECT_EQ(words_of(advice),
            "± 4.1 % of the time, 62 % of its variance: memory bandwidth and the optimizer: "
            "loadfactor probe");
}

TEST(CalibrationWordsTest, KindsAreToldInWordsAndMetricsAsTheyAre) {
  EXPECT_EQ(kind_words("steps"), "training steps");
  EXPECT_EQ(kind_words("held"), "loads held by the probe");
  EXPECT_EQ(kind_words("ttft"), "ttft");
}

TEST(CalibrationWordsTest, APoorFitIsNamedWithItsError) {
  EXPECT_EQ(words_of(PoorFit{"gemm", "h100-sxm", 0.456}),
            "left out: gemm of h100-sxm: 45.6 % off on shapes left out");
}

}  // namespace
}  // namespace loadfactor::report
