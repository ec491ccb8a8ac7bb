#include "report/calibrate/calibration_words.h"

#include <set>

#include <gtest/gtest.h>

#include "report/calibrate/site_report.h"

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

TEST(CalibrationWordsTest, LongTimesAndLargeGapsAreNoPowersOfTen) {
  calibrate::GapFigure figure;
  figure.name = "ttft";
  figure.count = 1;
  figure.predicted = 4;
  figure.measured = 22000;
  calibrate::GapAnswer gap;
  gap.figures.push_back(figure);
  const std::string text = gap_words(gap);
  EXPECT_EQ(text.find("e+"), std::string::npos) << text;
  EXPECT_NE(text.find("22,000 s"), std::string::npos) << text;
  EXPECT_NE(text.find("550,000 %"), std::string::npos) << text;
}

TEST(CalibrationWordsTest, AFastRunIsNoSlowClusterAndIsToldHowFastItIs) {
  SiteAnswer answer;
  answer.fit.emplace();
  answer.fit->observations = answer.fit->strange = answer.fit->faster = 1;
  answer.fit->fastest = 1.25;
  const std::string fast = site_text(answer, 400, false);
  EXPECT_NE(fast.find("1.25 times"), std::string::npos) << fast;
  EXPECT_EQ(fast.find("slow"), std::string::npos) << fast;
  EXPECT_EQ(fast.find("--where-did-it-go"), std::string::npos) << fast;
  answer.fit->faster = 0;
  EXPECT_NE(site_text(answer, 400, false).find("--where-did-it-go"), std::string::npos);
  // Who asked where it went is not told to ask.
  answer.gap.emplace();
  const std::string asked = site_text(answer, 400, false);
  EXPECT_EQ(asked.find("--where-did-it-go"), std::string::npos) << asked;
  EXPECT_NE(asked.find("slow"), std::string::npos) << asked;
}

TEST(CalibrationWordsTest, AStepBeyondThePeakIsCalledImpossible) {
  TrainAnswer answer;
  answer.layout.gpus = 8;
  answer.accelerator = "h100-sxm";
  const std::string words = beyond_peak_words(answer, Seconds::from_base(0.5), 1.4);
  EXPECT_NE(words.find("1.40 times the peak of 8 x h100-sxm, which is impossible"),
            std::string::npos)
      << words;
}

TEST(CalibrationWordsTest, KindsAreToldInWordsAndMetricsAsTheyAre) {
  EXPECT_EQ(measured_words("steps"), "training steps");
  EXPECT_EQ(measured_words("held"), "loads held by the probe");
  EXPECT_EQ(measured_words("ttft"), "ttft");
}

TEST(CalibrationWordsTest, ADecodeStepHeldToTrainingIsAnotherStepAndNoMatterOfClocks) {
  using calibrate::WorkClass;
  calibrate::ComparedStep step;
  step.kind = calibrate::StepKind::kTraining;
  step.measured.times[WorkClass::kProducts] = Seconds::from_base(0.010);
  step.predicted.emplace();
  (*step.predicted)[WorkClass::kProducts] = Seconds::from_base(0.43);
  const std::string far = profile_words(step);
  EXPECT_NE(far.find("1/43 of the"), std::string::npos) << far;
  EXPECT_EQ(far.find("clock of a burst"), std::string::npos) << far;
  (*step.predicted)[WorkClass::kProducts] = Seconds::from_base(0.012);
  EXPECT_NE(profile_words(step).find("clock of a"), std::string::npos);
}

TEST(CalibrationWordsTest, APoorFitIsNamedWithItsError) {
  EXPECT_EQ(words_of(PoorFit{"gemm", "h100-sxm", 0.456}),
            "left out: gemm of h100-sxm: 45.6 % off on shapes left out");
}

}  // namespace
}  // namespace loadfactor::report
