// What a scenario's words on capacity become, and which ways to pay it asks for.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using economics::bit;
using testing::terms_of;

constexpr const char* kMarket = R"(
loadfactor: 1
name: market
hardware: [plain-module]
)";
// Whose capacity somebody else knows.
constexpr const char* kNothing = R"(
loadfactor: 1
name: market
hardware: [plain-module]
serve: {model: llama-3.1-8b}
)";

std::string with(const char* capacity) {
  return std::string(kMarket) + "capacity: " + capacity + "\n";
}

testing::Terms of_capacity(const char* capacity, const CostInputs& known = {}) {
  return terms_of({}, known, with(capacity).c_str());
}

EstimateOf<double> exactly(double share) {
  return EstimateOf<double>::exact(share, Basis::kAssumed, "the test");
}

KnownCapacity eight_gpus() {
  KnownCapacity known;
  known.gpus = 8;
  known.full_plane = TokensPerSecond::from_base(8000);
  known.load_factor = 0.5;
  known.replica = 2;
  known.busy_by_hour = {2, 4, 6, 8};
  known.variation = 0.07;
  known.on = {0, 0.25, 0, 0.75};
  return known;
}

TEST(CapacityTermsTest, ARateIsOfOneGpuAndThePlaneOfAll) {
  const auto terms = of_capacity("{gpus: 12, rate: 1000 tokens/s/GPU, load_factor: 40 %}");
  const auto& capacity = terms->terms.capacity;
  EXPECT_EQ(capacity.gpus, 12);
  EXPECT_EQ(capacity.machine, 1);  // As many as are written.
  EXPECT_DOUBLE_EQ(capacity.full_plane.base(), 12'000);
  EXPECT_DOUBLE_EQ(capacity.load_factor, 0.4);
  EXPECT_EQ(capacity.most_load, 1);
  EXPECT_FALSE(terms.notes("assumed-full"));
}

TEST(CapacityTermsTest, WhatArrivesFillsThePlaneAndTheRestIsNotServed) {
  const auto part = of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU, demand: 2000 tokens/s}");
  EXPECT_DOUBLE_EQ(part->terms.capacity.load_factor, 0.25);
  EXPECT_EQ(part->terms.capacity.unserved.base(), 0);
  EXPECT_FALSE(part.notes("unserved"));
  const auto whole = of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU, demand: 8000 tokens/s}");
  EXPECT_DOUBLE_EQ(whole->terms.capacity.load_factor, 1);
  EXPECT_FALSE(whole.notes("unserved"));
  const auto more = of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU, demand: 9500 tokens/s}");
  EXPECT_DOUBLE_EQ(more->terms.capacity.load_factor, 1);
  EXPECT_DOUBLE_EQ(more->terms.capacity.unserved.base(), 1500);
  EXPECT_TRUE(more.notes("unserved"));
}

TEST(CapacityTermsTest, TokensOfAServicesRequestsAreADemandToo) {
  CostInputs known;
  known.demand = {.requests = Hertz::from_base(2),
                  .tokens_in = Tokens::from_base(700),
                  .tokens_out = Tokens::from_base(300)};
  const auto terms = of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU}", known);
  EXPECT_DOUBLE_EQ(terms->terms.capacity.load_factor, 2 * 1000 / 8000.0);
  const auto stated =
      of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU, demand: 4000 tokens/s}", known);
  EXPECT_DOUBLE_EQ(stated->terms.capacity.load_factor, 0.5);
  // Hours that are written go before them, and without a rate they fill nothing.
  const auto hours = of_capacity("{hours: [2, 6], node: 4, rate: 1000 tokens/s/GPU}", known);
  EXPECT_DOUBLE_EQ(hours->terms.capacity.load_factor, 4 / 8.0);
  const auto unrated = of_capacity("{gpus: 8}", known);
  EXPECT_TRUE(unrated.notes("assumed-full"));
  EXPECT_FALSE(unrated.notes("unserved"));
}

TEST(CapacityTermsTest, MachinesThatNobodySaysTheLoadOfAreAssumedFull) {
  const auto terms = of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU}");
  EXPECT_EQ(terms->terms.capacity.load_factor, 1);
  EXPECT_TRUE(terms.notes("assumed-full"));
}

TEST(CapacityTermsTest, HoursGiveThePeakThatMachinesMustHold) {
  const auto terms = of_capacity("{hours: [2, 4, 9, 5], node: 4}");
  const auto& capacity = terms->terms.capacity;
  EXPECT_EQ(capacity.node, 4);
  EXPECT_EQ(capacity.machine, 4);
  EXPECT_EQ(capacity.gpus, 12);                        // Three nodes of four hold nine.
  EXPECT_DOUBLE_EQ(capacity.load_factor, 5.0 / 12.0);  // (2 + 4 + 9 + 5) / 4 of 12.
  EXPECT_EQ(terms->hours, (std::vector<double>{2, 4, 9, 5}));
  const auto even = of_capacity("{hours: [2, 8], node: 4}");
  EXPECT_EQ(even->terms.capacity.gpus, 8);
  const auto stated = of_capacity("{gpus: 20, hours: [2, 8], node: 4}");
  EXPECT_EQ(stated->terms.capacity.gpus, 20);
  EXPECT_DOUBLE_EQ(stated->terms.capacity.load_factor, 0.25);
  const auto small = of_capacity("{gpus: 4, hours: [6, 8]}");
  EXPECT_EQ(small->terms.capacity.load_factor, 1);  // Never above.
}

TEST(CapacityTermsTest, AMeanWithItsDeviationIsANormalDayWithTwoDeviationsOfPeak) {
  const auto terms = of_capacity("{mean: 20, deviation: 6}");
  const auto& capacity = terms->terms.capacity;
  EXPECT_EQ(capacity.gpus, 32);
  EXPECT_DOUBLE_EQ(capacity.load_factor, 20.0 / 32.0);
  EXPECT_NEAR(capacity.by_hour.mean(), 20, 0.01);
  // As far above as below: the hours are symmetric, and one in six lies beyond one deviation.
  EXPECT_NEAR(capacity.by_hour.level_reached(0.5), 20, 0.05);
  EXPECT_NEAR(capacity.by_hour.level_reached(0.1587), 26, 0.05);
  EXPECT_NEAR(capacity.by_hour.level_reached(0.8413), 14, 0.05);
  const auto flat = of_capacity("{mean: 20}");
  EXPECT_EQ(flat->terms.capacity.gpus, 20);
  EXPECT_EQ(flat->terms.capacity.by_hour.peak(), 20);
  const auto low = of_capacity("{mean: 1, deviation: 6}");
  EXPECT_GE(low->terms.capacity.by_hour.level_reached(1), 0);  // Nobody keeps fewer than none busy.
}

TEST(CapacityTermsTest, WithoutACountOrARuleForOneThereIsNoCapacity) {
  EXPECT_EQ(terms_of({}, {}, kNothing).code(), lf::kNoCapacity);
  EXPECT_EQ(of_capacity("{rate: 1000 tokens/s/GPU}").code(), lf::kNoCapacity);
  EXPECT_EQ(of_capacity("{gpus: 1, rate: 1000 tokens/s/GPU}").code(), 0);
}

TEST(CapacityTermsTest, TheHighestLoadIsAsWritten) {
  const auto terms =
      of_capacity("{gpus: 8, rate: 1000 tokens/s/GPU, load_factor: 40 %, most_load: 70 %}");
  EXPECT_DOUBLE_EQ(terms->terms.capacity.most_load, 0.7);
}

TEST(CapacityTermsTest, WhoeverKnowsTheCapacityIsBelieved) {
  CostInputs known;
  known.capacity = eight_gpus();
  const auto terms = terms_of({}, known, kNothing);
  const auto& capacity = terms->terms.capacity;
  EXPECT_EQ(capacity.gpus, 8);
  EXPECT_EQ(capacity.full_plane.base(), 8000);
  EXPECT_EQ(capacity.load_factor, 0.5);
  EXPECT_EQ(capacity.node, 2);
  EXPECT_EQ(capacity.by_hour.peak(), 8);
  EXPECT_EQ(terms->hours.size(), 4U);
  EXPECT_EQ(terms->rate_variation, 0.07);
  ASSERT_EQ(capacity.on.size(), 2U);  // Only numbers of replicas that were on for some time.
  EXPECT_EQ(capacity.on[0].units, 1);
  EXPECT_EQ(capacity.on[0].share, 0.25);
  EXPECT_EQ(capacity.on[1].units, 3);
  EXPECT_EQ(capacity.on[1].share, 0.75);
  EXPECT_EQ(capacity.machine, 4);  // The box that the chip comes in.
}

TEST(CapacityTermsTest, OnOtherGpusAsManyWholeReplicasWorkAsTheyHold) {
  CostInputs known;
  known.capacity = eight_gpus();
  const auto terms = of_capacity("{gpus: 5, load_factor: 40 %}", known);
  const auto& capacity = terms->terms.capacity;
  EXPECT_EQ(capacity.gpus, 5);
  EXPECT_DOUBLE_EQ(capacity.full_plane.base(), 8000 * 4 / 8.0);  // Two replicas of two.
  EXPECT_EQ(terms->hours, (std::vector<double>{2, 4, 4, 4}));
  EXPECT_EQ(capacity.load_factor, 0.4);  // As written; the interval of the other is gone.
  EXPECT_FALSE(terms->load);
  const auto exact = of_capacity("{gpus: 2, load_factor: 40 %}", known);
  EXPECT_DOUBLE_EQ(exact->terms.capacity.full_plane.base(), 2000);
  EXPECT_EQ(of_capacity("{gpus: 1, load_factor: 40 %}", known).code(), lf::kDoesNotFit);
  const auto same = of_capacity("{gpus: 8}", known);
  EXPECT_EQ(same->terms.capacity.full_plane.base(), 8000);
  EXPECT_EQ(same->terms.capacity.load_factor, 0.5);
}

TEST(CapacityTermsTest, ARunIsBoughtForItselfWhereNothingOutlastsIt) {
  CostInputs known;
  known.capacity = eight_gpus();
  KnownRun run;
  run.tokens = Tokens::from_base(1e12);
  run.there = 6;
  run.ways = {{.kind = OptionKind::kOnDemand, .gpus = 9, .share = exactly(0.4)},
              {.kind = OptionKind::kOwn, .gpus = 8, .share = exactly(0.6)}};
  known.capacity->run = run;
  const auto terms = terms_of({"money.options=[on-demand, spot, own]", "money.rent.provider=alpha"},
                              known, kNothing);
  const auto& work = *terms->terms.capacity.run;
  EXPECT_EQ(work.tokens.base(), 1e12);
  EXPECT_DOUBLE_EQ(work.owned_bound, 0.25);  // Two of eight.
  const auto& rented = work.ways[static_cast<std::size_t>(OptionKind::kOnDemand)];
  EXPECT_EQ(rented->gpus, 9);
  EXPECT_DOUBLE_EQ(rented->relative, 0.8);  // 0.4 over 0.5.
  EXPECT_DOUBLE_EQ(work.ways[static_cast<std::size_t>(OptionKind::kOwn)]->relative, 1.2);
  // By spot it never ends: that way has a price, and is no way to have the run.
  EXPECT_EQ(terms.unpriced("spot"), lf::kMixTooSmall);
  EXPECT_EQ(terms.unpriced("on-demand"), 0);
  known.capacity->run->there = 12;
  const auto more = terms_of({}, known, kNothing);
  EXPECT_EQ(more->terms.capacity.run->owned_bound, 0);
  known.capacity->load_factor = 0;
  const auto idle = terms_of({}, known, kNothing);
  EXPECT_EQ(
      idle->terms.capacity.run->ways[static_cast<std::size_t>(OptionKind::kOnDemand)]->relative, 1);
}

TEST(CapacityTermsTest, WaysToPayFollowFromThoseThatAreListed) {
  const auto asked = [](const char* options) {
    return terms_of({std::string("money.options=[") + options + "]"})->asked;
  };
  const auto always = bit(OptionKind::kAlternative) | bit(OptionKind::kManaged);
  const auto hourly = bit(OptionKind::kOnDemand) | bit(OptionKind::kAutoscaled);
  EXPECT_EQ(asked("on-demand"), always | hourly);
  EXPECT_EQ(asked("reserved-1y"), always | bit(OptionKind::kReserved1y));
  EXPECT_EQ(asked("reserved-3y"), always | bit(OptionKind::kReserved3y));
  EXPECT_EQ(asked("spot"), always | bit(OptionKind::kSpot));
  EXPECT_EQ(asked("own"), always | bit(OptionKind::kOwn));
  EXPECT_EQ(asked("on-demand, own"),
            always | hourly | bit(OptionKind::kOwn) | bit(OptionKind::kOwnBurst));
  EXPECT_EQ(asked("spot, own"), always | bit(OptionKind::kSpot) | bit(OptionKind::kOwn) |
                                    bit(OptionKind::kOwnSpotBurst));
  EXPECT_EQ(asked("on-demand, reserved-1y"),
            always | hourly | bit(OptionKind::kReserved1y) | bit(OptionKind::kThreeTier));
  EXPECT_EQ(asked("on-demand, reserved-3y"),
            always | hourly | bit(OptionKind::kReserved3y) | bit(OptionKind::kThreeTier));
  const auto all = terms_of()->asked;
  for (const auto kind : {OptionKind::kOnDemand, OptionKind::kReserved1y, OptionKind::kSpot,
                          OptionKind::kOwn, OptionKind::kApi, OptionKind::kThreeTier})
    EXPECT_NE(all & bit(kind), 0U) << name_of(kind);
}

}  // namespace
}  // namespace loadfactor::engine
