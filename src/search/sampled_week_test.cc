// A sample of a week against the whole of it.
#include "search/sampled_week.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "demand/generate.h"
#include "search/recorded_weeks.h"
#include "search/serving_weeks.h"
#include "search/weeks/week_strata.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::search {
namespace {

SizingProblem busy_problem(double rate) {
  auto& shipped = serving::shipped();
  const auto* model = *shipped.catalog.find_model("llama-3.1-8b");
  const auto* chip = *shipped.catalog.find_accelerator("l4");
  serving::ReplicaChoice choice{.model = model,
                                .chip = chip,
                                .engine = *shipped.catalog.find_engine("vllm"),
                                .traits = &shipped.traits("vllm-v1"),
                                .precision = "fp8"};
  choice.formats = serving::choose_precision("fp8", *model, *chip);
  demand::TrafficModel traffic;
  traffic.base = Hertz::from_base(1);
  traffic.day = {0.6, 14};
  traffic.weekend = 0.7;
  traffic.slow = {0.15, Seconds::from_base(7200)};
  traffic.input = demand::lengths_of_mean(800, 0.5, 3000);
  traffic.output = demand::lengths_of_mean(60, 0.5, 300);
  SizingProblem problem;
  problem.constants = &shipped.constants;
  problem.hardware = &shipped.hardware;
  problem.ask = {.input = 800,
                 .output = 60,
                 .ttft = Seconds::from_base(1.5),
                 .tpot = Seconds::from_base(0.06)};
  problem.model = demand::scaled_to(traffic, Hertz::from_base(rate));
  problem.space.choices = {choice};
  problem.space.own_settings = true;
  problem.confirm = 1;
  problem.weeks = 1;
  problem.outages.maintenance = 7200;
  return problem;
}

struct Tried {
  std::optional<SampledWeek> sampled;
  FleetRun whole;
};

// The fleet with so many replicas more on one week, both ways.
Tried try_fleet(const SizingProblem& problem, SizedDeployment fleet, int more, std::uint64_t seed) {
  fleet.replicas += more;
  const SimulatedFleet simulated(problem, fleet);
  FleetQuestion ask = ask_of(problem, fleet, kWeekSeconds);
  Tried tried;
  tried.sampled = sample_week(problem, simulated, fleet, ask, seed);
  RecordedWeeks recorded(problem, 0);
  const auto tape = recorded.week(seed, kWeekSeconds);
  ask.tape = tape.get();
  tried.whole = simulated.run(ask);
  return tried;
}

// The whole week has drawn its own requests, which scatter as those of the sample do.
void expect_within(const SampledShare& share, double whole) {
  EXPECT_NEAR(share.value, whole, 2 * kSureErrors * share.error);
}

class SampledWeekTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    problem_ = new SizingProblem(busy_problem(1.5));
    fleet_ = new SizedDeployment(size_deployment(*problem_).best.front());
  }
  static void TearDownTestSuite() {
    delete problem_;
    delete fleet_;
  }

  static SizingProblem* problem_;
  static SizedDeployment* fleet_;
};
SizingProblem* SampledWeekTest::problem_ = nullptr;
SizedDeployment* SampledWeekTest::fleet_ = nullptr;

TEST_F(SampledWeekTest, SharesThatAreLateAreThoseOfTheWholeWeekAndTheVerdictIsTheSame) {
  ASSERT_GT(fleet_->replicas, 1);
  int decided = 0;
  for (const int more : {-1, 0, 1}) {
    for (const std::uint64_t seed : {71, 72}) {
      const Tried tried = try_fleet(*problem_, *fleet_, more, seed);
      if (!tried.sampled) continue;
      ++decided;
      SCOPED_TRACE(more);
      expect_within(tried.sampled->first, tried.whole.first_missed);
      expect_within(tried.sampled->each, tried.whole.each_missed);
      EXPECT_EQ(tried.sampled->run.kept, tried.whole.kept);
      EXPECT_LT(tried.sampled->run.sampled, 0.7);
      const Seconds ttft = tried.sampled->run.ttft;
      if (tried.whole.kept) {
        EXPECT_NEAR(ttft / tried.whole.ttft, 1, 0.15);
      }
    }
  }
  EXPECT_GE(decided, 3);
}

// Of a week that is too long to be simulated, the sample is of the part that would be.
TEST_F(SampledWeekTest, ALongWeekIsSampledInThePartThatWouldBeSimulated) {
  SizingProblem busy = busy_problem(20);
  busy.most_requests = 3'000'000;
  int decided = 0;
  for (const double crowd : {0.95, 1.25}) {
    SizedDeployment fleet = *fleet_;
    fleet.replicas = static_cast<int>(crowd * 20 / 1.5 * fleet.replicas);
    const SimulatedFleet simulated(busy, fleet);
    const double seconds = simulated_seconds(busy, simulated);
    ASSERT_LT(seconds, kWeekSeconds / 10);
    FleetQuestion ask = ask_of(busy, fleet, seconds);
    const auto sampled = sample_week(busy, simulated, fleet, ask, 78);
    RecordedWeeks recorded(busy, 0);
    const auto tape = recorded.week(78, seconds);
    ask.tape = tape.get();
    const FleetRun whole = simulated.run(ask);
    if (!sampled) continue;
    ++decided;
    SCOPED_TRACE(crowd);
    expect_within(sampled->first, whole.first_missed);
    expect_within(sampled->each, whole.each_missed);
    EXPECT_EQ(sampled->run.kept, whole.kept);
    EXPECT_LT(sampled->run.sampled, 0.7);
  }
  EXPECT_GE(decided, 1);
}

TEST_F(SampledWeekTest, MoreReplicasAreNeverLateMoreOften) {
  const auto some = try_fleet(*problem_, *fleet_, 0, 73).sampled;
  const auto more = try_fleet(*problem_, *fleet_, 2, 73).sampled;
  ASSERT_TRUE(some && more);
  EXPECT_LE(more->first.low(), some->first.high());
  EXPECT_LE(more->each.low(), some->each.high());
  EXPECT_TRUE(more->run.kept);
}

TEST_F(SampledWeekTest, ASampleDependsOnNothingThatWasAskedBefore) {
  const SimulatedFleet simulated(*problem_, *fleet_);
  const FleetQuestion ask = ask_of(*problem_, *fleet_, kWeekSeconds);
  const auto first = sample_week(*problem_, simulated, *fleet_, ask, 74);
  SizingProblem other = busy_problem(1.9);
  other.shapes = problem_->shapes;
  sample_week(other, SimulatedFleet(other, *fleet_), *fleet_, ask, 75);
  const auto again = sample_week(*problem_, simulated, *fleet_, ask, 74);
  SizingProblem fresh = *problem_;
  fresh.shapes = std::make_shared<WeekShapes>();
  const auto anew = sample_week(fresh, SimulatedFleet(fresh, *fleet_), *fleet_, ask, 74);
  ASSERT_TRUE(first && again && anew);
  for (const auto* other_run : {&again->first, &anew->first}) {
    EXPECT_EQ(other_run->value, first->first.value);
    EXPECT_EQ(other_run->error, first->first.error);
  }
}

TEST_F(SampledWeekTest, ReplicasThatComeAndGoArePaidForAsInTheWholeWeek) {
  const SimulatedFleet simulated(*problem_, *fleet_);
  FleetQuestion ask = ask_of(*problem_, *fleet_, kWeekSeconds);
  serving::ScalingRules rules;
  rules.scaling = serving::Scaling::kTarget;
  rules.min_replicas = 1;
  rules.max_replicas = fleet_->replicas;
  rules.target_load = 4;
  rules.cooldown = 300 * sim::kSecond;
  rules.start_time = 180 * sim::kSecond;
  ask.scaling = rules;
  const auto sampled = sample_week(*problem_, simulated, *fleet_, ask, 76);
  RecordedWeeks recorded(*problem_, 0);
  const auto tape = recorded.week(76, kWeekSeconds);
  ask.tape = tape.get();
  const FleetRun whole = simulated.run(ask);
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->run.kept, whole.kept);
  expect_within(sampled->replicas, whole.mean_replicas);
  double all = 0;
  for (const double time : sampled->run.on) all += time;
  EXPECT_NEAR(all, 1, 1e-9);
}

TEST_F(SampledWeekTest, SearchesThatTryManyWeeksAndWeeksOfFewRequestsAreNotSampled) {
  const SimulatedFleet simulated(*problem_, *fleet_);
  const FleetQuestion ask = ask_of(*problem_, *fleet_, kWeekSeconds);
  SizingProblem many = *problem_;
  many.weeks = 0;
  EXPECT_FALSE(sample_week(many, simulated, *fleet_, ask, 77));
  SizingProblem thorough = *problem_;
  thorough.thorough = true;
  EXPECT_FALSE(sample_week(thorough, simulated, *fleet_, ask, 77));
  const SizingProblem quiet = busy_problem(0.1);
  EXPECT_FALSE(sample_week(quiet, simulated, *fleet_, ask, 77));
}

WindowLoads wavy_week() {
  WindowLoads week;
  for (int i = 0; i < 1008; ++i) {
    const double load = 0.5 + 0.4 * std::sin(i * 0.0436) + 0.2 * std::sin(i * 0.911);
    week.rates.push_back(10 * load);
    week.offered.push_back(load);
    week.there.push_back(i % 300 == 7 ? 0.5 : 1);
  }
  return week;
}

TEST(WeekStrataTest, EveryWindowIsInOneUnitAndQueuesAreInStretchesThatAreSimulatedWhole) {
  const WindowLoads week = wavy_week();
  for (const std::size_t each : {1, 6}) {
    const auto strata = strata_of(week, each);
    std::vector<int> times(week.rates.size(), 0);
    for (const WeekStratum& stratum : strata)
      for (const WeekUnit& unit : stratum.units)
        for (std::size_t i = unit.first; i < unit.first + unit.windows; ++i) {
          ++times[i];
          if (!stratum.is_whole) {
            EXPECT_LT(week.of(i), 0.951) << i;
          }
        }
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ssize(times));
    EXPECT_TRUE(strata.front().is_whole);
    // A fleet that serves 95 % of what it can has work left over after a stretch beyond that.
    EXPECT_LT(strata.front().units.size(), 60U);
  }
}

TEST(WeekStrataTest, WhatIsSeenOfAllUnitsIsTheWholeWeek) {
  auto strata = strata_of(wavy_week(), 1);
  double late = 0;
  double all = 0;
  for (WeekStratum& stratum : strata)
    for (const WeekUnit& unit : stratum.units) {
      SpanCounts counts;
      counts.requests = std::llround(unit.requests);
      counts.first_missed = std::llround(0.2 * unit.load * unit.requests);
      counts.on = {0, 400, 200};
      stratum.seen.push_back(counts);
      late += static_cast<double>(counts.first_missed);
      all += static_cast<double>(counts.requests);
    }
  const SampledShare share = share_of(strata, &SpanCounts::first_missed, &SpanCounts::requests);
  EXPECT_NEAR(share.value, late / all, 1e-3);
  EXPECT_NEAR(copies_of(strata).value, 4.0 / 3, 1e-9);
  EXPECT_NEAR(on_of(strata)[2], 1.0 / 3, 1e-9);
}

}  // namespace
}  // namespace loadfactor::search
