// Mixes of ways to pay against sums that can be done by hand.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "economics/mix.h"
#include "economics/testing/rented_case.h"

namespace loadfactor::economics {
namespace {

using testing::hourly;

constexpr OptionSet kAll = ~OptionSet{0};

double per_hour(DollarsPerSecond rate) {
  return (rate * kHour).base();
}

// Eight GPUs at most; four for three quarters of the time. By the hour at 3 USD, reserved for a
// year at 1 or three at 2, owned at 0.5, of which there are two.
CostCase a_day() {
  CostCase terms;
  const std::array<double, 4> day{4, 4, 4, 8};
  terms.capacity = {.gpus = 8,
                    .full_plane = TokensPerSecond::from_base(8000),
                    .load_factor = 0.4,
                    .by_hour = LoadCurve(day)};
  terms.rent[0] = RentTerms{.price = hourly(3)};
  terms.rent[1] = RentTerms{.price = hourly(1)};
  terms.rent[2] = RentTerms{.price = hourly(2)};
  terms.own_all_in = hourly(0.5);
  terms.max_owned = 2;
  terms.horizon = kYear * 5;
  return terms;
}

const OptionFigures* found(const CostFigures& figures, OptionKind kind) {
  return figures.find(kind);
}

TEST(MixSumsTest, ThreeTiersAreOwnedReservedAndRented) {
  CostCase terms = a_day();
  terms.people = hourly(10);
  const CostFigures figures = evaluate(terms, kAll);
  const OptionFigures* mix = found(figures, OptionKind::kThreeTier);
  ASSERT_NE(mix, nullptr);
  EXPECT_DOUBLE_EQ(mix->owned, 2);
  EXPECT_DOUBLE_EQ(mix->reserved, 2);
  EXPECT_EQ(mix->reserved_as, OptionKind::kReserved1y);
  EXPECT_DOUBLE_EQ(mix->gpus, 2 + 2 + 1);
  EXPECT_NEAR(per_hour(mix->cost), 2 * 0.5 + 2 * 1 + 1 * 3 + 10, 1e-9);
  EXPECT_NEAR(mix->full_plane.base(), 5000, 1e-6);
  // 3.2 GPUs of work among the five that are needed on average.
  EXPECT_NEAR(mix->at_work, 2 * (3.2 / 5), 1e-12);
  EXPECT_NEAR(mix->load_factor, 3.2 / 5, 1e-12);
  EXPECT_EQ(mix->committed, kYear * 5);
}

TEST(MixSumsTest, WithoutOwnedMachinesAMixBindsAsLongAsItsReservation) {
  CostCase terms = a_day();
  terms.own_all_in.reset();
  const CostFigures one = evaluate(terms, kAll);
  ASSERT_NE(found(one, OptionKind::kThreeTier), nullptr);
  EXPECT_EQ(found(one, OptionKind::kThreeTier)->committed, kYear);
  EXPECT_EQ(found(one, OptionKind::kOwnBurst), nullptr);
  std::swap(terms.rent[1], terms.rent[2]);
  const CostFigures three = evaluate(terms, kAll);
  ASSERT_NE(found(three, OptionKind::kThreeTier), nullptr);
  EXPECT_EQ(found(three, OptionKind::kThreeTier)->reserved_as, OptionKind::kReserved3y);
  EXPECT_EQ(found(three, OptionKind::kThreeTier)->committed, kYear * 3);
  // What is not asked for is no part of a mix.
  const CostFigures short_term = evaluate(terms, kAll & ~bit(OptionKind::kReserved3y));
  ASSERT_NE(found(short_term, OptionKind::kThreeTier), nullptr);
  EXPECT_EQ(found(short_term, OptionKind::kThreeTier)->reserved_as, OptionKind::kReserved1y);
}

TEST(MixSumsTest, TheSameMachinesForTheSameMoneyAreListedOnce) {
  CostCase terms = a_day();
  terms.rent[1].reset();
  terms.rent[2].reset();
  terms.rent[3] = terms.rent[0];  // Spot at the price of the hour, never interrupted.
  const CostFigures figures = evaluate(terms, kAll);
  ASSERT_NE(found(figures, OptionKind::kOwnBurst), nullptr);
  EXPECT_DOUBLE_EQ(found(figures, OptionKind::kOwnBurst)->gpus, 2 + 3);
  EXPECT_EQ(found(figures, OptionKind::kOwnSpotBurst), nullptr);
  terms.rent[3]->price = hourly(2);
  EXPECT_NE(evaluate(terms, kAll).find(OptionKind::kOwnSpotBurst), nullptr);
}

TEST(MixSumsTest, WhatWasDecidedStaysListedAndReservedAsItWas) {
  const CostCase terms = a_day();
  const CostFigures decided = evaluate(terms, kAll);
  CostCase moved = terms;
  moved.rent[1]->price = hourly(3);  // Now the pair costs what the three do, on as many GPUs,
  moved.rent[2]->price = hourly(1);  // and the other reservation would be cheaper.
  const CostFigures figures = reprice(moved, kAll, decided);
  EXPECT_EQ(figures.count, decided.count);
  const OptionFigures* mix = found(figures, OptionKind::kThreeTier);
  ASSERT_NE(mix, nullptr);
  EXPECT_NEAR(per_hour(mix->cost), 2 * 0.5 + 2 * 3 + 1 * 3, 1e-9);
}

TEST(MixSumsTest, SpotPaysItsContractWithItsInterruptionsAndTheWait) {
  CostCase terms = a_day();
  terms.rent[3] = RentTerms{.price = hourly(1), .storage = hourly(2)};
  terms.spot = {.hazard = 0.01 / kHour, .loss = kHour, .gang = 10, .wait = kHour};
  terms.delay = hourly(110);
  const HourlyNeed need(terms.capacity);
  const auto spot = price_mix(terms, need, {.own = false, .by_hour = OptionKind::kSpot}, 0, 0);
  ASSERT_TRUE(spot);
  // A tenth more hours for each useful one, and an eleventh of the time is waited.
  EXPECT_NEAR(per_hour(spot->cost), 1.1 * 5 + 1.1 * 2 + 110.0 / 11, 1e-9);
}

TEST(MixSumsTest, AFloorIsBilledOnTheMostThatIsEverRented) {
  CostCase terms = a_day();
  terms.rent[0]->commit_floor = 0.75;
  const HourlyNeed need(terms.capacity);
  const MixWays by_hour{.own = false, .by_hour = OptionKind::kOnDemand};
  EXPECT_NEAR(per_hour(price_mix(terms, need, by_hour, 0, 0)->cost), 3 * 0.75 * 8, 1e-9);
  terms.rent[0]->commit_floor = 0.5;
  EXPECT_NEAR(per_hour(price_mix(terms, need, by_hour, 0, 0)->cost), 3 * 5, 1e-9);
}

TEST(MixSumsTest, AContractBesideTheHoursIsSparedWhereOneWayCanCarryAll) {
  CostCase terms = a_day();
  terms.own_all_in.reset();
  terms.rent[0] = RentTerms{.price = hourly(1.5), .storage = hourly(100)};
  const HourlyNeed need(terms.capacity);
  const MixWays ways{
      .own = false, .reserved = OptionKind::kReserved1y, .by_hour = OptionKind::kOnDemand};
  const auto best = cheapest_mix(terms, need, ways);
  ASSERT_TRUE(best);
  EXPECT_DOUBLE_EQ(best->reserved, 8);
  EXPECT_NEAR(per_hour(best->cost), 8, 1e-9);
}

TEST(MixSumsTest, APairMayBeCheaperThanTheBestOfThree) {
  CostCase terms = a_day();
  terms.own_all_in = hourly(0.8);
  terms.max_owned = 4;
  terms.rent[0] = RentTerms{.price = hourly(1.5), .storage = hourly(100)};
  const HourlyNeed need(terms.capacity);
  const MixWays ways{
      .own = true, .reserved = OptionKind::kReserved1y, .by_hour = OptionKind::kOnDemand};
  const auto best = cheapest_mix(terms, need, ways);
  ASSERT_TRUE(best);
  EXPECT_DOUBLE_EQ(best->owned, 4);
  EXPECT_DOUBLE_EQ(best->reserved, 4);
  EXPECT_NEAR(per_hour(best->cost), 4 * 0.8 + 4, 1e-9);
}

TEST(LoadCurveTest, NothingIsReachedForMoreThanAllOfTheTime) {
  const std::array<double, 3> hours{1, 2, 5};
  const LoadCurve curve(hours);
  EXPECT_DOUBLE_EQ(curve.level_reached(1), 1);
  EXPECT_DOUBLE_EQ(curve.level_reached(0.3), 5);
  EXPECT_DOUBLE_EQ(curve.level_reached(1.5), 0);
  EXPECT_DOUBLE_EQ(LoadCurve().level_reached(0.5), 0);
}

TEST(CapacityTest, WhereAnyNumberIsSoldAPartOfAGpuStaysOne) {
  Capacity capacity;
  EXPECT_DOUBLE_EQ(capacity.in_instances(2.5), 2.5);
  capacity.instances = InstanceSizes({4});
  EXPECT_DOUBLE_EQ(capacity.in_instances(2.5), 4);
}

}  // namespace
}  // namespace loadfactor::economics
