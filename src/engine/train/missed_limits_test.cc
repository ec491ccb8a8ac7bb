#include "engine/train/missed_limits.h"

#include <gtest/gtest.h>

namespace loadfactor::engine {
namespace {

constexpr double kDay = 86400;

OpenRun run(OptionKind option, double days, double dollars, const char* machine = "8 × a chip") {
  return {machine, option, Seconds::from_base(days * kDay), Dollars::from_base(dollars)};
}
Seconds days(double number) {
  return Seconds::from_base(number * kDay);
}
Dollars usd(double number) {
  return Dollars::from_base(number);
}

// Ten days on demand or twelve on spot, which is cheaper.
const std::vector<OpenRun> kRuns{run(OptionKind::kSpot, 12, 50),
                                 run(OptionKind::kOnDemand, 10, 100)};

TEST(MissedLimits, TheSoonestAndTheCheapestAreNamedEachWithItsWayToPay) {
  const auto unmet = unmet_limits(kRuns, days(5), usd(20));
  EXPECT_EQ(unmet.words, "meets the deadline of 5.0 days, nor the budget of 20 USD");
  EXPECT_EQ(unmet.nearest,
            "without deadline and budget the soonest is 8 × a chip, 10.0 days, 100 USD on-demand; "
            "the cheapest is 8 × a chip, 12.0 days, 50 USD spot");
  ASSERT_EQ(unmet.limits.size(), 2U);
  EXPECT_EQ(unmet.limits[0].key, "train.deadline");
  EXPECT_EQ(unmet.limits[1].key, "limits.budget");
}

TEST(MissedLimits, OnlyTheLimitThatNoRunKeepsIsNamed) {
  EXPECT_EQ(unmet_limits(kRuns, days(5), usd(70)).words, "meets the deadline of 5.0 days");
  EXPECT_EQ(unmet_limits(kRuns, days(11), usd(20)).words, "meets the budget of 20 USD");
  // By the eleventh day on demand alone, for seventy dollars on spot alone.
  const auto both = unmet_limits(kRuns, days(11), usd(70));
  EXPECT_EQ(both.words, "meets the deadline of 11.0 days and the budget of 70 USD together");
  EXPECT_EQ(both.limits.size(), 2U);
}

TEST(MissedLimits, OfAsSoonOnesTheCheaperIsTheSoonest) {
  const std::vector<OpenRun> runs{run(OptionKind::kReserved1y, 10, 4000),
                                  run(OptionKind::kOnDemand, 10, 100)};
  EXPECT_EQ(unmet_limits(runs, days(5), std::nullopt).nearest,
            "without the deadline the soonest is the cheapest too, 8 × a chip, 10.0 days, 100 USD "
            "on-demand");
}

TEST(MissedLimits, ARunWithoutAPriceMissesNoBudget) {
  const std::vector<OpenRun> runs{{"8 × a chip", std::nullopt, days(10), std::nullopt}};
  const auto unmet = unmet_limits(runs, days(5), usd(20));
  EXPECT_EQ(unmet.words, "meets the deadline of 5.0 days");
  EXPECT_EQ(unmet.nearest, "without deadline and budget the soonest is 8 × a chip, 10.0 days");
}

}  // namespace
}  // namespace loadfactor::engine
