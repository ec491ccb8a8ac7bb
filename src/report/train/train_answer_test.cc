// What the forms of a training run for programs hold.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "loadfactor/train.h"
#include "report/describe/answers.h"
#include "report/train/scale_report.h"
#include "report/train/search_report.h"
#include "report/train/train_report.h"

namespace loadfactor::report {
namespace {

template <typename Q>
EstimateOf<Q> about(double value) {
  return {Q::from_base(value), Q::from_base(value / 2), Q::from_base(value * 2), Basis::kCalibrated,
          "here"};
}

TrainAnswer fitting() {
  TrainAnswer answer;
  answer.fits = true;
  answer.lines = {{MemoryUse::kWeights, about<Bytes>(16)}};
  answer.step_time = about<Seconds>(4);
  answer.parts = {{"gemm", about<Seconds>(3), 0.75}, {"attention", about<Seconds>(1), 0.25}};
  return answer;
}

double value_at(const Value& answer, std::string_view key) {
  return std::get<double>(answer.find(key)->find("value")->data);
}

TEST(TrainAnswerTest, ARunThatFitsHasAStepAndNoShortage) {
  const Value answer = to_value(fitting());
  EXPECT_DOUBLE_EQ(value_at(answer, "step_time"), 4);
  EXPECT_EQ(answer.find("breakdown")->list()->size(), 2U);
  EXPECT_TRUE(std::get<bool>(answer.find("progress")->data));
  EXPECT_EQ(answer.find("shortage"), nullptr);
  EXPECT_EQ(answer.find("stalled"), nullptr);
}

TEST(TrainAnswerTest, ARunThatDoesNotFitHasAShortageAndNoStep) {
  TrainAnswer answer = fitting();
  answer.fits = false;
  answer.nearest = "tp: 8";
  const Value value = to_value(answer);
  EXPECT_EQ(*value.find("nearest")->text(), "tp: 8");
  for (const char* key : {"step_time", "breakdown", "progress", "mfu"})
    EXPECT_EQ(value.find(key), nullptr) << key;
}

TEST(TrainAnswerTest, ARunThatStallsSaysSo) {
  TrainAnswer answer = fitting();
  answer.stalled = RunStall{.remedies = {RunStall::Remedy::kFewerGpus}};
  const Value value = to_value(answer);
  EXPECT_FALSE(std::get<bool>(value.find("progress")->data));
  EXPECT_EQ(*value.find("helps")->text(), "fewer GPUs");
}

TEST(TrainAnswerTest, RowsArePartsOfTheStepOrOfTheMemory) {
  EXPECT_EQ(train_csv(fitting()),
            "name,time,time.low,time.high,percent,what\r\n"
            "matrix products,3,1.5,6,75,\"linear layers and experts, both passes\"\r\n"
            "attention,1,0.5,2,25,scores and their product with the values\r\n");
  TrainAnswer answer = fitting();
  answer.fits = false;
  EXPECT_EQ(train_csv(answer),
            "name,bytes,bytes.low,bytes.high,what\r\n"
            "weights,16,8,32,\"parameters of this rank, as they rest between steps\"\r\n");
}

TEST(TrainAnswerTest, EveryPlanAndEveryPointIsARow) {
  SearchAnswer search;
  search.plans.resize(3);
  search.plans[1].train = fitting();
  const std::string plans = search_csv(search);
  EXPECT_EQ(std::count(plans.begin(), plans.end(), '\n'), 4);
  EXPECT_NE(plans.find(",step_time,step_time.low,step_time.high,"), std::string::npos) << plans;
  EXPECT_NE(plans.find(",4,2,8,"), std::string::npos) << plans;
  ScaleAnswer scale;
  scale.curves.resize(2);
  scale.curves[0].accelerator = "first";
  scale.curves[0].points.resize(2);
  scale.curves[1].accelerator = "second";
  scale.curves[1].points.resize(1);
  const std::string points = scale_csv(scale);
  EXPECT_TRUE(points.starts_with("curves.accelerator,")) << points;
  EXPECT_EQ(std::count(points.begin(), points.end(), '\n'), 4);
  EXPECT_NE(points.find("\nsecond,"), std::string::npos) << points;
}

}  // namespace
}  // namespace loadfactor::report
