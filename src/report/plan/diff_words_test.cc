// What a comparison says of a cost that changed.
#include <string>

#include <gtest/gtest.h>

#include "engine/explain/diff.h"
#include "report/plan/diff_report.h"

namespace loadfactor::report {
namespace {

std::string sentence(double before, double after) {
  engine::DiffAnswer answer;
  engine::FigureChange cost{
      .figure = engine::PlanFigure::kCost, .before = Estimate(), .after = Estimate()};
  cost.before->value = before;
  cost.after->value = after;
  answer.figures.push_back(cost);
  return diff_sentence(answer);
}

TEST(DiffWordsTest, AChangeIsAShareUntilItIsManyTimesWhatWas) {
  EXPECT_NE(sentence(1000, 1100).find("+10.0 %"), std::string::npos) << sentence(1000, 1100);
  EXPECT_NE(sentence(1000, 100).find("-90.0 %"), std::string::npos) << sentence(1000, 100);
  EXPECT_NE(sentence(1000, 9000).find("+800.0 %"), std::string::npos) << sentence(1000, 9000);
  EXPECT_NE(sentence(30, 433000).find("14,433 times"), std::string::npos) << sentence(30, 433000);
  EXPECT_EQ(sentence(30, 433000).find('%'), std::string::npos) << sentence(30, 433000);
}

// The sentence on a service that runs on four GPUs as `before` and is advised to have as many.
std::string advice(const ServeLayout& before, const ServeLayout& after,
                   engine::PlanDecision decision) {
  engine::DiffAnswer answer;
  answer.before_runs = true;
  for (const auto figure : {engine::PlanFigure::kCost, engine::PlanFigure::kGpus}) {
    engine::FigureChange same{.figure = figure, .before = Estimate(), .after = Estimate()};
    same.before->value = same.after->value = 4;
    answer.figures.push_back(same);
  }
  answer.before.machine = answer.after.machine = engine::PlanMachine{};
  answer.before.machine->layout = before;
  answer.after.machine->layout = after;
  answer.after.decision = decision;
  return diff_sentence(answer);
}

TEST(DiffWordsTest, AsManyGpusAsRunAreKeptAndWhatChangesIsSaid) {
  const ServeLayout one{.tp = 4, .replicas = 1, .gpus = 4};
  const ServeLayout two{.tp = 2, .replicas = 2, .gpus = 4};
  for (const auto decision : {engine::PlanDecision::kScaleUp, engine::PlanDecision::kHold}) {
    const std::string text = advice(one, two, decision);
    EXPECT_EQ(text.find("scale up"), std::string::npos) << text;
    EXPECT_NE(text.find("keep 4 GPUs, as 2 replicas of tp 2"), std::string::npos) << text;
    EXPECT_NE(text.find("instead of 1 replica of tp 4"), std::string::npos) << text;
  }
  const std::string same = advice(one, one, engine::PlanDecision::kHold);
  EXPECT_NE(same.find("what runs: hold."), std::string::npos) << same;
}

}  // namespace
}  // namespace loadfactor::report
