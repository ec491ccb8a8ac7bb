#include "engine/train/missed_limits.h"

#include <gtest/gtest.h>

namespace loadfactor::engine {
namespace {

using Key = MissedLimit::Key;

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

std::vector<Key> keys_of(const UnmetLimits& unmet) {
  std::vector<Key> keys;
  for (const auto& limit : unmet.limits) keys.push_back(limit.key);
  return keys;
}

TEST(MissedLimits, TheSoonestAndTheCheapestAreNamedEachWithItsWayToPay) {
  const auto unmet = unmet_limits(kRuns, days(5), usd(20));
  EXPECT_EQ(keys_of(unmet), (std::vector{Key::kDeadline, Key::kBudget}));
  EXPECT_FALSE(unmet.is_each_kept);
  EXPECT_EQ(unmet.limits[0].deadline, days(5));
  EXPECT_EQ(unmet.limits[1].budget, usd(20));
  EXPECT_EQ(unmet.soonest.option, OptionKind::kOnDemand);
  ASSERT_TRUE(unmet.cheapest.has_value());
  EXPECT_EQ(unmet.cheapest->option, OptionKind::kSpot);
}

TEST(MissedLimits, OnlyTheLimitThatNoRunKeepsIsNamed) {
  EXPECT_EQ(keys_of(unmet_limits(kRuns, days(5), usd(70))), std::vector{Key::kDeadline});
  EXPECT_EQ(keys_of(unmet_limits(kRuns, days(11), usd(20))), std::vector{Key::kBudget});
  // By the eleventh day on demand alone, for seventy dollars on spot alone.
  const auto both = unmet_limits(kRuns, days(11), usd(70));
  EXPECT_TRUE(both.is_each_kept);
  EXPECT_EQ(both.limits.size(), 2U);
}

TEST(MissedLimits, OfAsSoonOnesTheCheaperIsTheSoonest) {
  const std::vector<OpenRun> runs{run(OptionKind::kReserved1y, 10, 4000),
                                  run(OptionKind::kOnDemand, 10, 100)};
  const auto unmet = unmet_limits(runs, days(5), std::nullopt);
  EXPECT_TRUE(unmet.is_soonest_cheapest);
  EXPECT_FALSE(unmet.has_budget);
  EXPECT_EQ(unmet.soonest.option, OptionKind::kOnDemand);
}

TEST(MissedLimits, ARunWithoutAPriceMissesNoBudget) {
  const std::vector<OpenRun> runs{{"8 × a chip", std::nullopt, days(10), std::nullopt}};
  const auto unmet = unmet_limits(runs, days(5), usd(20));
  EXPECT_EQ(keys_of(unmet), std::vector{Key::kDeadline});
  EXPECT_FALSE(unmet.cheapest.has_value());
  EXPECT_FALSE(unmet.is_soonest_cheapest);
}

}  // namespace
}  // namespace loadfactor::engine
