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

}  // namespace
}  // namespace loadfactor::report
