// What `calibrate FILE… --format json` answers, against its schema.
#include <gtest/gtest.h>

#include "report/calibrate/site_report.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

const std::vector<calibrate::TermPrior> kPriors{{"products", 0.06}, {"host", 0.5}};
const std::vector<calibrate::GapTerm> kTerms{{"products", 0.06, "kernels"}, {"host", 0.5, "host"}};
const std::vector<std::string> kKinds{"training steps", "collectives"};

std::vector<calibrate::SiteObservation> two_steps() {
  return {{"a", {1.0, 0.1}, 1.2, 0.01, ""}, {"b", {2.0, 0.1}, 2.1, 0.01, ""}};
}

calibrate::SiteKernels some_kernels() {
  calibrate::SiteKernels kernels;
  kernels.chip = "h200-sxm";
  calibrate::KernelRefit group;
  group.points = 12;
  group.before = {0.05, 0.1};
  group.left_out = {0.02, 0.04};
  kernels.groups.push_back(group);
  kernels.clocks.push_back({.rate = 664, .settled = 0.73, .burst = 0.87});
  return kernels;
}

report::SiteAnswer everything() {
  report::SiteAnswer answer;
  answer.files = {"probe.json", "train.log", "bench.json"};
  answer.kernels = {some_kernels(), some_kernels()};
  answer.fit = answer.serving_fit = calibrate::fit_terms(kPriors, two_steps());
  const auto steps = two_steps();
  answer.fit_errors = answer.serving_errors =
      calibrate::errors_by_kind(kPriors, {steps, kKinds}, *answer.fit);
  answer.gap = calibrate::attribute_gap(kTerms, steps);
  answer.serving_gap = calibrate::attribute_gap(kTerms, steps, kKinds);
  answer.gap->unseen.push_back({"bubble", 0.001});
  answer.serving = {{"vllm", "run 1", serving::Metric::kThroughput, 200, 180, 195},
                    {"vllm", "run 1", serving::Metric::kTimePerToken, 0.02, 0.022, 0.0205}};
  answer.folder = "site";
  answer.notices = {{"a-note", Severity::kNote, "a note"}};
  return answer;
}

TEST(CalibrateSchemaTest, EveryAnswerKeepsTheContract) {
  const JsonSchema schema = load_schema("calibrate");
  EXPECT_EQ(schema.complaints(Json::parse(report::site_json(everything()))), "");
  report::SiteAnswer little;
  little.files = {"train.log"};
  little.fit = calibrate::fit_terms(kPriors, two_steps());
  EXPECT_EQ(schema.complaints(Json::parse(report::site_json(little))), "");
}

TEST(CalibrateSchemaTest, AFigureWithoutItsUnitIsRefused) {
  const JsonSchema schema = load_schema("calibrate");
  Json json = Json::parse(report::site_json(everything()));
  json["answer"]["gap"]["measured"] = 1.2;
  EXPECT_NE(schema.complaints(json), "");
}

}  // namespace
}  // namespace loadfactor::schema
