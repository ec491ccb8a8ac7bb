// Rows of validations as programs read them.
#include <string>

#include <gtest/gtest.h>

#include "report/calibrate/inference_report.h"
#include "report/calibrate/site_report.h"
#include "report/calibrate/validation_report.h"

namespace loadfactor::report {
namespace {

TEST(ValidationAnswerTest, RowsOfRunsStandBesideTheLookup) {
  validation::TrainingValidation answer;
  answer.predictions = {{"a", 100, 110, 90, 120, 80, true, 0},
                        {"b", 200, 180, 150, 210, 0, false, 1}};
  answer.memory.predictions = {{"a", 40, 44, 40, 48, 0, false, 0}};
  EXPECT_EQ(training_validation_csv(answer),
            "id,metric,measured,predicted,low,high,baseline,converted\r\n"
            "a,tokens_per_s_per_gpu,100,110,90,120,80,true\r\n"
            "a,memory_gb_per_gpu,40,44,40,48,,false\r\n"
            "b,tokens_per_s_per_gpu,200,180,150,210,,false\r\n");
}

TEST(ValidationAnswerTest, RowsOfStepsHaveTimeAndThenMemory) {
  validation::StepValidation answer;
  answer.time.predictions = {{"a", 2, 1.5, 1, 2, 0}, {"b", 4, 5, 4, 6, 1}};
  answer.memory.predictions = {{"b", 30, 31, 29, 33, 1}};
  EXPECT_EQ(step_validation_csv(answer),
            "id,metric,measured,predicted,low,high\r\n"
            "a,train_step,2,1.5,1,2\r\nb,train_step,4,5,4,6\r\n"
            "b,train_step_memory,30,31,29,33\r\n");
}

TEST(ValidationAnswerTest, RowsOfServingStandBesideTheRoofline) {
  validation::InferenceValidation answer;
  answer.predictions = {{"a", "tpot_ms", 10, 11, 9, 12, 15}};
  EXPECT_EQ(inference_validation_csv(answer),
            "id,metric,measured,predicted,low,high,baseline\r\na,tpot_ms,10,11,9,12,15\r\n");
}

TEST(SiteAnswerTest, RowsAreTheTermsOfAStepElseThoseOfServing) {
  SiteAnswer answer;
  answer.serving_fit.emplace();
  answer.serving_fit->terms.resize(2);
  answer.serving_fit->terms[0].name = "host";
  const std::string head = "name,factor,factor.low,factor.high,measured\r\n";
  EXPECT_TRUE(site_csv(answer).starts_with(head + "host,")) << site_csv(answer);
  answer.fit.emplace();
  EXPECT_EQ(site_csv(answer), head);
}

}  // namespace
}  // namespace loadfactor::report
