// Laws of mixes: whole machines, never dearer than what they are made of, equal to everything
// tried.
#include "economics/mix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "base/random.h"
#include "economics/evaluate.h"
#include "economics/testing/newsvendor.h"
#include "economics/uncertainty.h"

namespace loadfactor::economics {
namespace {

constexpr OptionSet kAll = ~OptionSet{0};
constexpr int kCases = 60;

DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}

// A day of whole replicas, with every way to pay and all that comes on top of a price.
struct RandomCase {
  CostCase terms;
  std::vector<double> day;     // GPUs, hour by hour.
  std::vector<int> instances;  // GPUs of what is rented; nothing: any number.

  explicit RandomCase(RandomStream& stream) {
    constexpr std::array<double, 4> kReplicas{1, 2, 4, 3};
    constexpr std::array<double, 3> kMachines{1, 4, 8};
    const double replica = kReplicas[stream.below(4)];
    for (int hour = 0; hour < 24; ++hour)
      day.push_back(replica * static_cast<double>(stream.below(12)));
    day[0] = replica;  // Somebody asks at some time.
    const double peak = *std::max_element(day.begin(), day.end());
    double mean = 0;
    for (const double gpus : day) mean += gpus / static_cast<double>(day.size());
    terms.capacity = {.gpus = peak,
                      .load_factor = mean / peak * uniform_between(stream, 0.3, 1),
                      .by_hour = LoadCurve(day),
                      .node = replica,
                      .machine = kMachines[stream.below(3)]};
    const std::array<std::vector<int>, 5> sold{{{}, {8}, {1, 8}, {4}, {2, 4, 8}}};
    instances = sold[stream.below(5)];
    terms.capacity.instances = InstanceSizes(instances);
    add_prices(stream);
  }

  void add_prices(RandomStream& stream) {
    terms.own =
        OwnerTerms{.capital = {.price = Dollars::from_base(uniform_between(stream, 2e4, 6e4)),
                               .residual = 0.2,
                               .discount = 0.1,
                               .life = kYear * 4},
                   .rated = Watts::from_base(1300),
                   .idle_share = 0.2,
                   .electricity = DollarsPerJoule::from_base(0.1 / 3.6e6)};
    terms.resale = hourly(stream.below(2) == 0 ? 0 : uniform_between(stream, 0, 0.8));
    const auto rent = [&](double low, double high) {
      return RentTerms{.price = hourly(uniform_between(stream, low, high)),
                       .storage = hourly(stream.below(2) == 0 ? 0 : uniform_between(stream, 0, 2))};
    };
    terms.rent = {rent(2, 5), rent(1.2, 3), rent(1, 2.5), rent(0.8, 3)};
    terms.spot = {.hazard = 1e-2 / kHour, .loss = kHour * 0.5, .gang = 1};
    terms.horizon = kYear * 3;
  }

  // Every hour in turn, without the curve: what is there works, the rest is rented in replicas.
  double tried(double owned, double reserved, OptionKind by_hour) const {
    const OwnerCost owner = owner_cost(*terms.own);
    double needed = 0;
    for (const double gpus : day) needed += gpus / static_cast<double>(day.size());
    const double load = terms.capacity.gpus * terms.capacity.load_factor / needed;
    DollarsPerSecond cost = owner.fixed() * owned;
    const RentTerms& base = *terms.rent[static_cast<std::size_t>(OptionKind::kReserved1y)];
    if (reserved > 0) cost += base.price * reserved + base.storage;
    double rented = 0;
    for (const double gpus : day) {
      const double on_owned = std::clamp(gpus - reserved, 0.0, owned);
      const double share = 1.0 / static_cast<double>(day.size());
      cost +=
          (owner.working() * (load * on_owned) - terms.resale * (owned - load * on_owned)) * share;
      const double gap = std::max(0.0, gpus - reserved - owned);
      rented += gpus_rented(gap) * share;
    }
    const RentTerms& rest = *terms.rent[static_cast<std::size_t>(by_hour)];
    const double paid = by_hour == OptionKind::kSpot ? spot_multiplier(terms.spot) : 1.0;
    if (rented > 0) cost += (rest.price * rented + rest.storage) * paid;
    return cost.base();
  }

  // The smallest instances that hold a replica, with as many as they have room for.
  double gpus_rented(double gap) const {
    const double replicas = std::ceil(gap / terms.capacity.node - 1e-9);
    if (instances.empty()) return replicas * terms.capacity.node;
    double size = std::ceil(terms.capacity.node / instances.back()) * instances.back();
    for (const int one : instances)
      if (one >= terms.capacity.node) size = std::min<double>(size, one);
    return std::ceil(replicas / std::floor(size / terms.capacity.node)) * size;
  }

  double least_tried(bool own, bool reserve, OptionKind by_hour) const {
    const double machine = terms.capacity.machine;
    const double most = terms.capacity.gpus + machine;
    double least = HUGE_VAL;
    for (double owned = 0; owned <= (own ? most : 0.0); owned += machine)
      for (double reserved = 0; reserved <= (reserve ? most : 0.0); reserved += machine)
        least = std::min(least, tried(owned, reserved, by_hour));
    return least;
  }
};

double cost_of(const CostCase& terms, const MixWays& ways) {
  const auto mix = cheapest_mix(terms, HourlyNeed(terms.capacity), ways);
  return mix ? mix->cost.base() : HUGE_VAL;
}

TEST(MixLawsTest, NothingThatCanBeTriedIsCheaper) {
  RandomStream stream(1, "mix-tried");
  for (int i = 0; i < kCases; ++i) {
    const RandomCase one(stream);
    for (const OptionKind by_hour : {OptionKind::kOnDemand, OptionKind::kSpot})
      for (const bool reserve : {false, true}) {
        MixWays ways{.own = true, .by_hour = by_hour};
        if (reserve) ways.reserved = OptionKind::kReserved1y;
        EXPECT_NEAR(cost_of(one.terms, ways) / one.least_tried(true, reserve, by_hour), 1.0, 1e-9)
            << i;
      }
  }
}

TEST(MixLawsTest, MoreWaysAreNeverDearer) {
  RandomStream stream(2, "mix-ways");
  for (int i = 0; i < kCases; ++i) {
    const RandomCase one(stream);
    const auto cost = [&](bool own, bool reserve, bool rent) {
      MixWays ways{.own = own};
      if (reserve) ways.reserved = OptionKind::kReserved1y;
      if (rent) ways.by_hour = OptionKind::kOnDemand;
      return cost_of(one.terms, ways);
    };
    const double all = cost(true, true, true) * (1 - 1e-12);
    for (const double pair :
         {cost(true, true, false), cost(true, false, true), cost(false, true, true)})
      EXPECT_LE(all, pair) << i;
    EXPECT_LE(cost(true, true, false) * (1 - 1e-12),
              std::min(cost(true, false, false), cost(false, true, false)))
        << i;
    EXPECT_LE(cost(true, false, true) * (1 - 1e-12),
              std::min(cost(true, false, false), cost(false, false, true)))
        << i;
    EXPECT_LE(cost(false, true, true) * (1 - 1e-12),
              std::min(cost(false, true, false), cost(false, false, true)))
        << i;
  }
}

// Options as `cost` lists them: a mix stands there only where it beats all that it is made of.
TEST(MixLawsTest, AMixIsCheaperThanEverySingleWayInIt) {
  RandomStream stream(3, "mix-options");
  int mixes = 0;
  for (int i = 0; i < kCases; ++i) {
    const RandomCase one(stream);
    const CostFigures figures = evaluate(one.terms, kAll);
    const auto dearer = [&](const OptionFigures& mix, OptionKind single) {
      const auto* other = figures.find(single);
      EXPECT_LE(mix.cost.base(), other->cost.base() * (1 + 1e-9))
          << i << ": " << name_of(mix.kind) << " against " << name_of(single);
    };
    for (const OptionFigures& option : figures.all()) {
      if (!is_mix(option.kind)) continue;
      ++mixes;
      dearer(option, OptionKind::kOwn);
      const bool spot = option.kind == OptionKind::kOwnSpotBurst;
      dearer(option, spot ? OptionKind::kSpot : OptionKind::kOnDemand);
      if (!spot) dearer(option, OptionKind::kAutoscaled);
      if (option.kind == OptionKind::kThreeTier) dearer(option, option.reserved_as);
    }
  }
  EXPECT_GT(mixes, kCases / 2);
}

TEST(MixLawsTest, MachinesAreWhole) {
  RandomStream stream(4, "mix-whole");
  for (int i = 0; i < kCases; ++i) {
    const RandomCase one(stream);
    const HourlyNeed need(one.terms.capacity);
    const auto mix = cheapest_mix(
        one.terms, need,
        {.own = true, .reserved = OptionKind::kReserved1y, .by_hour = OptionKind::kOnDemand});
    ASSERT_TRUE(mix);
    EXPECT_EQ(std::fmod(mix->owned, one.terms.capacity.machine), 0);
    EXPECT_EQ(std::fmod(mix->reserved, one.terms.capacity.machine), 0);
    // Over the 24 hours whole replicas are rented.
    const double hours = mix->rented * 24 / one.gpus_rented(one.terms.capacity.node);
    EXPECT_NEAR(hours, std::round(hours), 1e-6);
  }
}

TEST(MixLawsTest, TheCriticalRatioIsMetWhereGpusComeOneByOne) {
  RandomStream stream(5, "mix-ratio");
  for (int i = 0; i < kCases; ++i) {
    RandomCase one(stream);
    CostCase& terms = one.terms;
    terms.capacity.node = terms.capacity.machine = 1;
    terms.capacity.instances = {};
    terms.capacity.load_factor = HourlyNeed(terms.capacity).mean() / terms.capacity.gpus;
    terms.own.reset();
    terms.own_all_in = hourly(uniform_between(stream, 1, 3));
    terms.rent[0]->storage = {};
    const BurstPrices prices{
        .own = *terms.own_all_in, .burst = terms.rent[0]->price, .resale = terms.resale};
    const Baseline closed = best_baseline(LoadCurve(one.day), prices);
    EXPECT_NEAR(
        cost_of(terms, {.own = true, .by_hour = OptionKind::kOnDemand}) / closed.cost.base(), 1.0,
        1e-9)
        << i;
  }
}

TEST(MixLawsTest, ALimitOnWhatIsOwnedIsKept) {
  CostCase terms;
  const std::array<double, 4> day{10, 10, 10, 30};
  terms.capacity = {.gpus = 30, .load_factor = 0.5, .by_hour = LoadCurve(day)};
  terms.own_all_in = hourly(1);
  terms.rent[0] = RentTerms{.price = hourly(4)};
  terms.rent[1] = RentTerms{.price = hourly(2)};
  terms.max_owned = 6;
  const auto mix = cheapest_mix(
      terms, HourlyNeed(terms.capacity),
      {.own = true, .reserved = OptionKind::kReserved1y, .by_hour = OptionKind::kOnDemand});
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->owned, 6);
  EXPECT_EQ(mix->reserved, 4);
  EXPECT_EQ(mix->rented, 5);  // 20 GPUs in one hour of four.
  EXPECT_NEAR(mix->cost / hourly(1), 6 + 2 * 4 + 4 * 5, 1e-9);
}

// A fleet of tens of thousands is weighed in groups of machines: never dearer than one way alone.
TEST(MixLawsTest, AHugeFleetIsWeighedToo) {
  CostCase terms;
  std::vector<double> day;
  for (int hour = 0; hour < 24; ++hour) day.push_back(20'000 + 3'001.0 * hour);
  terms.capacity = {.gpus = day.back(), .load_factor = 0.5, .by_hour = LoadCurve(day)};
  terms.own_all_in = hourly(2);
  terms.rent[0] = RentTerms{.price = hourly(3.5)};
  const HourlyNeed need(terms.capacity);
  const MixWays ways{.own = true, .by_hour = OptionKind::kOnDemand};
  const auto mix = cheapest_mix(terms, need, ways);
  ASSERT_TRUE(mix);
  const Baseline closed =
      best_baseline(LoadCurve(day), {.own = hourly(2), .burst = hourly(3.5), .resale = {}});
  EXPECT_GE(mix->cost / closed.cost, 1 - 1e-9);
  EXPECT_LE(mix->cost / closed.cost, 1.001);
  EXPECT_LE(mix->cost, price_mix(terms, need, ways, 0, 0)->cost);
}

TEST(HourlyNeedTest, ANeedThatGrowsStaysWholeAndWithinTheFleet) {
  Capacity capacity{.gpus = 16, .load_factor = 0.5, .node = 4};
  const std::array<double, 4> day{0, 4, 5.5, 8};
  capacity.by_hour = LoadCurve(day);
  const HourlyNeed need(capacity);
  EXPECT_DOUBLE_EQ(need.mean(), (0 + 4 + 8 + 8) / 4.0);
  EXPECT_DOUBLE_EQ(need.mean_rented(4), (0 + 0 + 4 + 4) / 4.0);
  EXPECT_DOUBLE_EQ(need.mean_rented(5), (0 + 0 + 4 + 4) / 4.0);  // Three GPUs are one replica more.
  EXPECT_DOUBLE_EQ(need.mean_between(2, 6), (0 + 2 + 4 + 4) / 4.0);
  capacity.demand_scale = 1.5;
  EXPECT_DOUBLE_EQ(HourlyNeed(capacity).mean(), (0 + 8 + 12 + 12) / 4.0);
  capacity.demand_scale = 9;
  EXPECT_DOUBLE_EQ(HourlyNeed(capacity).peak(), 16);
  capacity.demand_scale = 0.1;
  EXPECT_DOUBLE_EQ(HourlyNeed(capacity).mean(), (0 + 4 + 4 + 4) / 4.0);
}

TEST(HourlyNeedTest, WhatWasOnInASimulationGoesFirst) {
  Capacity capacity{.gpus = 8, .load_factor = 0.5, .node = 2};
  const std::array<double, 2> day{2, 8};
  capacity.by_hour = LoadCurve(day);
  capacity.on = {{1, 0.25}, {3, 0.5}, {4, 0.25}};
  EXPECT_DOUBLE_EQ(HourlyNeed(capacity).mean(), 2 * (0.25 + 1.5 + 1));
}

TEST(RepriceTest, NothingMovedIsNothingChanged) {
  RandomStream stream(6, "reprice");
  for (int i = 0; i < kCases; ++i) {
    const RandomCase one(stream);
    const CostFigures decided = evaluate(one.terms, kAll);
    const CostFigures again = reprice(one.terms, kAll, decided);
    ASSERT_EQ(again.count, decided.count);
    for (std::size_t k = 0; k < decided.count; ++k)
      EXPECT_EQ(again.options[k].cost.base(), decided.options[k].cost.base());
  }
}

TEST(RepriceTest, MachinesStayWhenPricesMoveAndADrawHasOneWinner) {
  RandomStream stream(7, "reprice-draws");
  for (int i = 0; i < 10; ++i) {
    const RandomCase one(stream);
    const CostFigures decided = evaluate(one.terms, kAll);
    CostCase moved = one.terms;
    moved.rent[0]->price = moved.rent[0]->price * 3.0;
    const CostFigures dear = reprice(moved, kAll, decided);
    ASSERT_EQ(dear.count, decided.count);
    for (std::size_t k = 0; k < decided.count; ++k) {
      EXPECT_EQ(dear.options[k].owned, decided.options[k].owned);
      EXPECT_EQ(dear.options[k].reserved, decided.options[k].reserved);
    }
    DrawPlan plan;
    plan.variations = {0.2, 0.1, 0, 0, 0, 0.15, 0.3, 0.2};
    plan.draws = 256;
    double wins = 0;
    for (const auto& option : simulate(one.terms, kAll, plan).options) wins += option.wins;
    EXPECT_NEAR(wins, 1.0, 1e-9);
  }
}

TEST(ResaleTest, IdleHoursAreSoldWhereverOneOwns) {
  CostCase terms;
  const std::array<double, 4> day{2, 2, 4, 8};
  terms.capacity = {.gpus = 8, .load_factor = 0.5, .by_hour = LoadCurve(day)};
  terms.own_all_in = hourly(2);
  const auto own = [&] { return evaluate(terms, kAll).find(OptionKind::kOwn)->cost / hourly(1); };
  EXPECT_NEAR(own(), 16, 1e-9);
  terms.resale = hourly(0.5);
  EXPECT_NEAR(own(), 16 - 0.5 * 4, 1e-9);  // Four of eight are idle on average.
  terms.capacity.by_hour = {};
  EXPECT_NEAR(own(), 16 - 0.5 * 4, 1e-9);  // Where only the load is known: half of them.
}

TEST(AutoscaledTest, WholeReplicasOfTheHourArePaidAndAFloorWhetherUsedOrNot) {
  CostCase terms;
  const std::array<double, 2> day{0, 2};
  terms.capacity = {.gpus = 8, .load_factor = 0.1, .by_hour = LoadCurve(day)};
  terms.rent[0] = RentTerms{.price = hourly(3.55)};
  const auto cost = [&] {
    return evaluate(terms, kAll).find(OptionKind::kAutoscaled)->cost / hourly(3.55);
  };
  EXPECT_NEAR(cost(), 1.0, 1e-9);  // One GPU on average.
  terms.capacity.node = 4;
  EXPECT_NEAR(cost(), 2.0, 1e-9);  // A replica of four in every other hour.
  terms.rent[0]->commit_floor = 0.5;
  EXPECT_NEAR(cost(), 4.0, 1e-9);  // Half of eight.
  terms.rent[0]->storage = hourly(3.55);
  EXPECT_NEAR(cost(), 5.0, 1e-9);  // Storage is paid at all hours.
}

}  // namespace
}  // namespace loadfactor::economics
