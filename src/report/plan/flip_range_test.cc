// A flip is as far from known as what moves it.
#include "report/plan/flip_range.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;
using engine::PlanDecision;
using engine::PlanFlip;
using engine::PlanOption;

PlanOption option(OptionKind kind, double value, double low, double high) {
  PlanOption made;
  made.cost.kind = kind;
  made.amount = Dollars::from_base(value);
  made.cost.per_month = EstimateOf<Dollars>(Dollars::from_base(value), Dollars::from_base(low),
                                            Dollars::from_base(high), Basis::kModelled, "");
  return made;
}

TEST(FlipRange, AgainstTheApiItMovesWithTheRatioOfBothPrices) {
  PlanAnswer answer;
  answer.decision = PlanDecision::kUseApi;
  answer.options = {option(OptionKind::kApi, 100, 100, 100),
                    option(OptionKind::kOwn, 300, 150, 600)};
  const PlanFlip flip{.traffic = 3, .decision = PlanDecision::kScaleUp};
  const auto owned = range_of(flip, answer);
  EXPECT_DOUBLE_EQ(owned.value(), 3);
  EXPECT_NEAR(owned.low(), 1.5, 1e-12);
  EXPECT_NEAR(owned.high(), 6, 1e-12);
  // A dearer API makes machines pay sooner.
  answer.options = {option(OptionKind::kApi, 100, 100, 200),
                    option(OptionKind::kOwn, 300, 300, 300)};
  const auto dear = range_of(flip, answer);
  EXPECT_NEAR(dear.low(), 1.5, 1e-12);
  EXPECT_NEAR(dear.high(), 3, 1e-12);
  // Both at once are less than their product apart, since the two do not go together.
  answer.options[1] = option(OptionKind::kOwn, 300, 150, 600);
  const auto both = range_of(flip, answer);
  EXPECT_NEAR(both.low(), 3 * std::exp(-std::sqrt(2.0) * std::log(2.0)), 1e-12);
}

TEST(FlipRange, ALimitOnMoneyIsMetWhereTheApiAloneSays) {
  PlanAnswer answer;
  answer.decision = PlanDecision::kUseApi;
  answer.options = {option(OptionKind::kApi, 100, 50, 200),
                    option(OptionKind::kOwn, 300, 150, 600)};
  const auto found = range_of({.traffic = 4, .decision = PlanDecision::kNotFeasible}, answer);
  EXPECT_NEAR(found.low(), 2, 1e-12);
  EXPECT_NEAR(found.high(), 8, 1e-12);
}

TEST(FlipRange, BetweenMachinesItMovesWithHowFullTheyAre) {
  PlanAnswer answer;
  answer.decision = PlanDecision::kHold;
  answer.options = {option(OptionKind::kOwn, 300, 150, 600)};
  answer.load_factor = EstimateOf<double>(0.4, 0.2, 0.5, Basis::kModelled, "");
  const auto found = range_of({.traffic = 2, .decision = PlanDecision::kScaleUp}, answer);
  EXPECT_NEAR(found.low(), 1.6, 1e-12);  // Fuller machines take less on top,
  EXPECT_NEAR(found.high(), 4, 1e-12);   // and emptier ones more.
}

}  // namespace
}  // namespace loadfactor::report
