#include "search/weeks/week_shapes.h"

#include <gtest/gtest.h>

#include "search/fleet_memory.h"

namespace loadfactor::search {
namespace {

demand::TrafficModel noisy(double rate) {
  demand::TrafficModel model;
  model.base = Hertz::from_base(rate);
  model.day = {0.6, 14};
  model.weekend = 0.5;
  model.slow = {.sigma = 0.3, .relaxation = Seconds::from_base(7200)};
  return model;
}

TEST(WeekShapesTest, WeeksOfOtherTrafficAreThoseOfTheSameShapeAlone) {
  WeekShapes shapes;
  const auto first = shapes.week(noisy(1), 7, kWeekSeconds);
  EXPECT_EQ(shapes.week(noisy(30), 7, kWeekSeconds), first);  // Not made a second time.
  EXPECT_NEAR(first->levels.mean, 1, 1e-9);
  demand::TrafficModel other = noisy(1);
  other.day.amplitude = 0.1;
  EXPECT_NE(shapes.week(other, 7, kWeekSeconds)->rates, first->rates);
  const auto again = WeekShapes().week(noisy(30), 7, kWeekSeconds);
  for (std::size_t i = 0; i < again->rates.size(); ++i)
    ASSERT_NEAR(again->rates[i], first->rates[i], 1e-12 * first->rates[i]) << i;
}

TEST(WeekShapesTest, TheFactorToTheMeanIsThatOfAnyTraffic) {
  WeekShapes shapes;
  const double factor = shapes.factor_to_mean(noisy(1), 3);
  EXPECT_NEAR(WeekShapes().factor_to_mean(noisy(50), 3), factor, 1e-12);
}

class FleetMemoryTest : public ::testing::Test {
 protected:
  FleetMemoryTest() {
    chip_.name = "a-chip";
    fleet_.plan.choice.chip = &chip_;
    fleet_.replicas = 3;
  }
  static WeekRuns runs(bool kept) {
    return {.count = {.weeks = 1, .kept = kept ? 1 : 0}, .first = {}, .worst = {}};
  }

  catalog::AcceleratorSpec chip_;
  SizedDeployment fleet_;
  FleetMemory memory_;
};

TEST_F(FleetMemoryTest, AFleetThatKeepsItsPromiseKeepsItForLessTraffic) {
  memory_.keep(fleet_, 10, runs(true));
  EXPECT_TRUE(keeps_enough(memory_.weeks(fleet_, 9)->count));
  EXPECT_FALSE(memory_.weeks(fleet_, 11).has_value());
}

TEST_F(FleetMemoryTest, AFleetThatMissesMissesForMoreTraffic) {
  memory_.keep(fleet_, 10, runs(false));
  EXPECT_FALSE(keeps_enough(memory_.weeks(fleet_, 11)->count));
  EXPECT_FALSE(memory_.weeks(fleet_, 9).has_value());
}

TEST_F(FleetMemoryTest, OtherFleetsAreNotKnown) {
  memory_.keep(fleet_, 10, runs(true));
  memory_.keep(fleet_, SimulatedRate{.factor = 0.9, .misses = {}, .prompt_misses = {}});
  SizedDeployment other = fleet_;
  other.replicas = 4;
  EXPECT_FALSE(memory_.weeks(other, 9).has_value());
  EXPECT_FALSE(memory_.rate(other).has_value());
  EXPECT_DOUBLE_EQ(memory_.rate(fleet_)->factor, 0.9);
}

}  // namespace
}  // namespace loadfactor::search
