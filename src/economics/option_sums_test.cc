// Every way to pay against sums that can be done by hand.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "economics/testing/rented_case.h"

namespace loadfactor::economics {
namespace {

using testing::hourly;

constexpr OptionSet kAll = ~OptionSet{0};

double per_hour(DollarsPerSecond rate) {
  return (rate * kHour).base();
}

// Eight GPUs at 3 USD an hour, 8,000 tokens/s, 40 % full.
CostCase rented() {
  return testing::rented_case(3);
}

RentTerms at(double dollars) {
  return RentTerms{.price = hourly(dollars)};
}

std::optional<RentTerms>& offer(CostCase& terms, OptionKind kind) {
  return terms.rent[static_cast<std::size_t>(kind)];
}

// Tokens at a price that makes a full plane of them cost so much an hour.
ApiTerms plane_at(double dollars) {
  const auto price = DollarsPerToken::from_base(dollars / 3600 / 8000);
  return {.input = price, .cached = price, .output = price};
}

// 2.1 USD an hour, and 0.3 more at work: 1 kW at 0.4 USD/kWh, a quarter of it when idle.
OwnerTerms owner() {
  OwnerTerms own;
  own.rated = Watts::from_base(1000);
  own.idle_share = 0.25;
  own.electricity = DollarsPerJoule::from_base(0.4 / 3.6e6);
  own.staff = hourly(2);
  own.capital.life = kYear * 4;
  return own;
}

OptionFigures of(const CostCase& terms, OptionKind kind, OptionSet asked = kAll) {
  const CostFigures figures = evaluate(terms, asked);
  const OptionFigures* found = figures.find(kind);
  EXPECT_NE(found, nullptr);
  return found != nullptr ? *found : OptionFigures{};
}

TEST(OptionSumsTest, RentIsItsGpusAndThePeopleWhoRunThem) {
  CostCase terms = rented();
  terms.people = hourly(5);
  const OptionFigures rent = of(terms, OptionKind::kOnDemand);
  EXPECT_NEAR(per_hour(rent.cost), 8 * 3 + 5, 1e-9);
  EXPECT_NEAR(per_hour(rent.compared), 8 * 3 + 5, 1e-9);
  EXPECT_DOUBLE_EQ(rent.break_even, 0);  // Nothing to compare it with.
  EXPECT_EQ(rent.term.commitment, Seconds());
}

TEST(OptionSumsTest, AnApiIsPaidByTheTokenAndMachinesPayFromTheLoadThatCoversThem) {
  CostCase terms = rented();
  terms.api = plane_at(48);
  EXPECT_NEAR(per_hour(*api_price_of_full_plane(terms)), 48, 1e-9);
  const OptionFigures api = of(terms, OptionKind::kApi);
  EXPECT_NEAR(per_hour(api.cost), 48 * 0.4, 1e-9);
  EXPECT_DOUBLE_EQ(api.break_even, 0);
  EXPECT_NEAR(of(terms, OptionKind::kOnDemand).break_even, 24.0 / 48, 1e-12);
  terms.own = owner();
  const OptionFigures own = of(terms, OptionKind::kOwn);
  EXPECT_NEAR(per_hour(own.fixed), 8 * 2.1, 1e-9);
  EXPECT_NEAR(per_hour(own.working), 8 * 0.3, 1e-9);
  EXPECT_NEAR(per_hour(own.cost), 8 * 2.1 + 8 * 0.3 * 0.4, 1e-9);
  EXPECT_NEAR(own.break_even, 8 * 2.1 / (48 - 8 * 0.3), 1e-12);
  EXPECT_EQ(own.committed, kYear * 4);
}

TEST(OptionSumsTest, MachinesBeyondTheNeedCarryMoreBeforeTheyPay) {
  CostCase terms = rented();
  offer(terms, OptionKind::kReserved1y) = at(1.5);
  terms.capacity.machine = 12;
  terms.api = plane_at(48);
  const OptionFigures reserved = of(terms, OptionKind::kReserved1y);
  EXPECT_DOUBLE_EQ(reserved.gpus, 12);
  EXPECT_NEAR(per_hour(reserved.cost), 12 * 1.5, 1e-9);
  EXPECT_NEAR(reserved.full_plane.base(), 12000, 1e-6);
  EXPECT_NEAR(reserved.load_factor, 8 * 0.4 / 12, 1e-12);
  EXPECT_NEAR(reserved.break_even, 18 / (48 * 1.5), 1e-12);
}

TEST(OptionSumsTest, AgainstAFallingPriceALongCommitmentNeedsMore) {
  CostCase terms = rented();
  terms.api = plane_at(48);
  terms.api->half_life = kYear;
  offer(terms, OptionKind::kReserved1y) = at(1.5);
  offer(terms, OptionKind::kReserved3y) = at(1.5);
  const OptionFigures one = of(terms, OptionKind::kReserved1y);
  const OptionFigures three = of(terms, OptionKind::kReserved3y);
  EXPECT_EQ(three.committed, kYear * 3);
  // The mean of 2^-t over a year, and over three.
  EXPECT_NEAR(one.break_even_life, 0.25 * std::log(2.0) / (1 - 0.5), 1e-9);
  EXPECT_NEAR(three.break_even_life, 0.25 * 3 * std::log(2.0) / (1 - 0.125), 1e-9);
}

TEST(OptionSumsTest, WithoutAnApiMachinesAreHeldAgainstUsefulHoursWithTheSameStaff) {
  CostCase terms = rented();
  offer(terms, OptionKind::kReserved1y) = at(1.5);
  terms.people = hourly(4);
  terms.capacity.machine = 12;
  EXPECT_NEAR(of(terms, OptionKind::kReserved1y).break_even, 12 * 1.5 / (3 * 12), 1e-12);
  EXPECT_DOUBLE_EQ(of(terms, OptionKind::kOnDemand).break_even, 0);
  offer(terms, OptionKind::kOnDemand).reset();
  EXPECT_DOUBLE_EQ(of(terms, OptionKind::kReserved1y).break_even, 0);
}

TEST(OptionSumsTest, WhatEnergyAloneMakesDearerNeverPays) {
  EXPECT_NEAR(break_even_against(hourly(10), hourly(5), hourly(25)), 0.5, 1e-12);
  EXPECT_TRUE(std::isinf(break_even_against(hourly(10), hourly(25), hourly(25))));
  CostCase terms = rented();
  EXPECT_NEAR(per_hour(*hourly_price_of_full_plane(terms, OptionKind::kOnDemand)), 24, 1e-9);
  EXPECT_FALSE(hourly_price_of_full_plane(terms, OptionKind::kSpot).has_value());
  terms.api = plane_at(48);
  terms.capacity.full_plane = {};
  EXPECT_FALSE(api_price_of_full_plane(terms).has_value());
}

TEST(OptionSumsTest, WhatIsNotOfferedOrNotAskedForIsNoOption) {
  CostCase terms = rented();
  const std::array<double, 2> day{2, 8};
  terms.capacity.by_hour = LoadCurve(day);
  for (const OptionKind kind : {OptionKind::kOwn, OptionKind::kManaged, OptionKind::kOwnBurst,
                                OptionKind::kOwnSpotBurst, OptionKind::kThreeTier})
    EXPECT_EQ(evaluate(terms, kAll).find(kind), nullptr) << static_cast<int>(kind);
  terms.managed_surcharge = 0.5;
  terms.own = owner();
  const CostFigures rent_alone = evaluate(terms, bit(OptionKind::kOnDemand));
  EXPECT_EQ(rent_alone.count, 1U);
  EXPECT_EQ(evaluate(terms, kAll).find(OptionKind::kOwnSpotBurst), nullptr);
  offer(terms, OptionKind::kOnDemand).reset();
  EXPECT_EQ(evaluate(terms, kAll).find(OptionKind::kManaged), nullptr);
  EXPECT_EQ(evaluate(terms, kAll).find(OptionKind::kOwnBurst), nullptr);
  EXPECT_EQ(evaluate(terms, kAll).find(OptionKind::kAutoscaled), nullptr);
  // Another machine needs terms, part by part or as one price.
  terms.alternatives.emplace_back();
  EXPECT_EQ(evaluate(terms, kAll).find(OptionKind::kAlternative), nullptr);
}

TEST(OptionSumsTest, AnAlternativeMayBeBoughtPartByPart) {
  CostCase terms = rented();
  terms.alternatives.push_back({.own = owner(), .gpus = 4, .load_factor = 0.5});
  const OptionFigures other = of(terms, OptionKind::kAlternative);
  EXPECT_NEAR(per_hour(other.fixed), 4 * 2.1, 1e-9);
  EXPECT_NEAR(per_hour(other.working), 4 * 0.3, 1e-9);
  EXPECT_NEAR(per_hour(other.cost), 4 * 2.1 + 4 * 0.3 * 0.5, 1e-9);
  EXPECT_EQ(other.committed, kYear * 4);
}

TEST(OptionSumsTest, OfTwoThatCostTheSameTheFirstIsTheCheapest) {
  CostCase terms = rented();
  offer(terms, OptionKind::kReserved1y) = at(3);
  EXPECT_EQ(evaluate(terms, kAll).cheapest, 0U);
  offer(terms, OptionKind::kReserved1y) = at(2.9);
  EXPECT_EQ(evaluate(terms, kAll).cheapest, 1U);
}

TEST(OptionSumsTest, AutoscalingPaysTheMeanOfTheHoursAndNoLessThanItsFloor) {
  CostCase terms = rented();
  const std::array<double, 2> day{2, 8};
  terms.capacity.by_hour = LoadCurve(day);
  EXPECT_DOUBLE_EQ(of(terms, OptionKind::kAutoscaled).gpus, 5);
  terms.rent[0]->commit_floor = 0.75;
  EXPECT_DOUBLE_EQ(of(terms, OptionKind::kAutoscaled).gpus, 6);
  EXPECT_EQ(evaluate(terms, bit(OptionKind::kOnDemand)).find(OptionKind::kAutoscaled), nullptr);
}

// Ten days of work on ten GPUs at 3 a second; what is owned and what is reserved cost 1.
CostCase a_run() {
  CostCase terms;
  terms.capacity.gpus = 10;
  terms.capacity.full_plane = TokensPerSecond::from_base(100);
  terms.capacity.load_factor = 0.8;
  RunWork run{.tokens = terms.capacity.full_plane * (kDay * 10.0)};
  for (const OptionKind kind : {OptionKind::kOnDemand, OptionKind::kReserved1y, OptionKind::kOwn})
    run.ways[static_cast<std::size_t>(kind)] = RunCapacity{.gpus = 10};
  offer(terms, OptionKind::kOnDemand) = RentTerms{.price = DollarsPerSecond::from_base(3)};
  offer(terms, OptionKind::kReserved1y) = RentTerms{.price = DollarsPerSecond::from_base(1)};
  terms.own = owner();
  terms.capacity.run = run;
  terms.horizon = kYear;
  return terms;
}

TEST(RunOptionsTest, ALongRunGoesOnByTheHourWhereThatCostsLess) {
  CostCase terms = a_run();
  terms.people = DollarsPerSecond::from_base(5);
  const OptionFigures reserved = of(terms, OptionKind::kReserved1y);
  EXPECT_TRUE(reserved.term.renews);
  EXPECT_EQ(reserved.term.commitment, kYear);
  EXPECT_DOUBLE_EQ(reserved.term.idle, 1);
  ASSERT_TRUE(reserved.term.onward);
  EXPECT_NEAR(*reserved.term.onward, (3 * 10 + 5) / (1.0 * 10 + 5), 1e-12);
  const OptionFigures rent = of(terms, OptionKind::kOnDemand);
  EXPECT_FALSE(rent.term.renews);
  EXPECT_FALSE(rent.term.onward);
  EXPECT_DOUBLE_EQ(rent.term.bound, 1);
}

TEST(RunOptionsTest, OwnedMachinesBindTheRunByTheShareThatIsBoughtForIt) {
  CostCase terms = a_run();
  terms.capacity.run->owned_bound = 0.25;
  const OptionFigures own = of(terms, OptionKind::kOwn);
  EXPECT_DOUBLE_EQ(own.term.bound, 0.25);
  EXPECT_FALSE(own.term.renews);
  EXPECT_NEAR(own.term.idle, 2.1 / (2.1 + 0.3 * 0.8), 1e-12);
  EXPECT_DOUBLE_EQ(of(terms, OptionKind::kReserved1y).term.bound, 1);
  terms.capacity.run->owned_bound = 1;
  EXPECT_TRUE(of(terms, OptionKind::kOwn).term.onward.has_value());
  EXPECT_FALSE(of(terms, OptionKind::kOwn, bit(OptionKind::kOwn)).term.onward.has_value());
  terms.capacity.run->ways[static_cast<std::size_t>(OptionKind::kOwn)].reset();
  EXPECT_EQ(evaluate(terms, kAll).find(OptionKind::kOwn), nullptr);
}

TEST(RunOptionsTest, TokensOfAnApiAreNoRun) {
  CostCase terms = a_run();
  const auto price = DollarsPerToken::from_base(0.5);
  terms.api = ApiTerms{.input = price, .cached = price, .output = price};
  const OptionFigures api = of(terms, OptionKind::kApi);
  EXPECT_DOUBLE_EQ(api.compared.base(), 0.5 * 100 * 0.8);
  EXPECT_EQ(api.run, Seconds());
}

TEST(RentSumsTest, EveryLineOfABillIsWhatItsTermsSay) {
  const RentTerms terms{.price = hourly(2),
                        .commit_floor = 0.25,
                        .support = 0.1,
                        .goodput_loss = 0.05,
                        .surcharge = 0.5,
                        .storage = hourly(7),
                        .egress = hourly(11),
                        .debugging = hourly(13),
                        .setup = Dollars::from_base(51),
                        .term = kHour * 3};
  const RentCost cost = rent_cost(terms, 4, 8);
  EXPECT_NEAR(per_hour(cost.gpus), 8, 1e-9);
  EXPECT_NEAR(per_hour(cost.surcharge), 4, 1e-9);
  EXPECT_NEAR(per_hour(cost.support), 1.2, 1e-9);
  EXPECT_NEAR(per_hour(cost.goodput), 0.6, 1e-9);
  EXPECT_NEAR(per_hour(cost.setup), 17, 1e-9);
  EXPECT_NEAR(per_hour(cost.total()), 8 + 4 + 1.2 + 0.6 + 7 + 11 + 13 + 17, 1e-9);
}

TEST(OwnerSumsTest, InsuranceSpaceAndHoursOutOfOrderAreInTheCost) {
  EXPECT_NEAR(built_space(Dollars::from_base(1e7), 0, kYear * 10) * Watts::from_base(1e6) * kYear /
                  Dollars::from_base(1e6),
              1.0, 1e-12);
  OwnerTerms terms;
  terms.capital = {.price = Dollars::from_base(40000), .life = kYear * 4};
  terms.insurance = 0.05;
  terms.maintenance = 0.03;
  terms.availability = 0.8;
  const OwnerCost cost = owner_cost(terms);
  const auto yearly = [](DollarsPerSecond rate) { return (rate * kYear).base(); };
  EXPECT_NEAR(yearly(cost.insurance), 2000, 1e-6);
  EXPECT_NEAR(yearly(cost.maintenance), 1200, 1e-6);
  EXPECT_NEAR(yearly(cost.unavailable), (10000 + 2000 + 1200) * 0.25, 1e-6);
}

}  // namespace
}  // namespace loadfactor::economics
