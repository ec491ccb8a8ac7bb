// What must hold between the closed form and the simulator, whatever the service.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "demand/generate.h"
#include "search/candidates.h"
#include "search/serving_scaling.h"
#include "search/serving_settle.h"
#include "search/serving_weeks.h"
#include "serving/load_factor.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::search {
namespace {

constexpr double kWeek = 7 * 86400;

// Small replicas of a small model, so that a week is a few hundred thousand requests.
class ServingLawsTest : public ::testing::Test {
 protected:
  ServingLawsTest() {
    auto& shipped = serving::shipped();
    const auto* model = *shipped.catalog.find_model("llama-3.1-8b");
    const auto* chip = *shipped.catalog.find_accelerator("l4");
    const auto* traits = &shipped.traits("vllm-v1");
    serving::ReplicaChoice choice{.model = model,
                                  .chip = chip,
                                  .engine = *shipped.catalog.find_engine("vllm"),
                                  .traits = traits,
                                  .precision = "fp8"};
    choice.formats = serving::choose_precision("fp8", *model, *chip);
    problem_.constants = &shipped.constants;
    problem_.hardware = &shipped.hardware;
    problem_.ask = {.input = 2000,
                    .output = 400,
                    .ttft = Seconds::from_base(5),
                    .tpot = Seconds::from_base(0.2)};
    problem_.most_requests = 5'000'000;
    traffic_.base = Hertz::from_base(1);
    traffic_.day = {0.6, 14};
    traffic_.weekend = 0.6;
    traffic_.input = demand::lengths_of_mean(2000, 0.5, 6000);
    traffic_.output = demand::lengths_of_mean(400, 0.5, 2000);
    deployment_.plan = *serving::plan_replica(choice, shipped.hardware);
    deployment_.figures =
        serving::measure_capacity(deployment_.plan, problem_.ask, *problem_.constants);
    deployment_.rate = deployment_.figures.capacity.at_slo.base();
  }

  static std::vector<double> rates_of(const demand::TrafficModel& model, std::uint64_t seed) {
    const auto profile =
        demand::generate_rates(model, seed, Seconds::from_base(kWeek), Seconds::from_base(600));
    std::vector<double> rates;
    for (const auto& window : profile.windows) rates.push_back(window.rate.base());
    return rates;
  }
  static double mean_of(const std::vector<double>& rates) {
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum / static_cast<double>(rates.size());
  }
  double saturated(const SimulatedFleet& fleet) const {
    return fleet.saturated_rate({.model = &traffic_, .seconds = kWeek});
  }
  // Fleets of the deployment's own replica, on so many weeks.
  SizingAnswer size_thoroughly(int weeks) {
    problem_.thorough = true;
    problem_.space.choices = {deployment_.plan.choice};
    problem_.space.own_settings = true;
    problem_.confirm = 1;
    problem_.weeks = weeks;
    return size_deployment(problem_);
  }

  SizingProblem problem_;
  demand::TrafficModel traffic_;
  SizedDeployment deployment_;
};

TEST_F(ServingLawsTest, AFleetSizedToThePeakIsAsFullAsMeanOverPeakInTheSimulatorToo) {
  ASSERT_TRUE(deployment_.plan.fits());
  const SimulatedFleet fleet(problem_, deployment_);
  const double full = saturated(fleet);
  for (const double amplitude : {0.2, 0.6}) {
    traffic_.day.amplitude = amplitude;
    traffic_.base = Hertz::from_base(1);
    const auto unscaled = rates_of(traffic_, 1);
    constexpr int kReplicas = 2;
    const double peak = *std::max_element(unscaled.begin(), unscaled.end());
    traffic_.base = traffic_.base * (kReplicas * full / peak);
    const auto rates = rates_of(traffic_, 1);
    const double ratio = mean_of(rates) / *std::max_element(rates.begin(), rates.end());
    const auto fluid = serving::fluid_load(
        rates, 6, {Hertz::from_base(full), Hertz::from_base(full), 1}, kReplicas);
    EXPECT_NEAR(fluid.load_factor, ratio, 0.01);
    const FleetRun run =
        fleet.run({.replicas = kReplicas, .model = &traffic_, .seed = 1, .seconds = kWeek});
    EXPECT_NEAR(run.served_rate.base() / (kReplicas * full), ratio, 0.02) << amplitude;
  }
}

TEST_F(ServingLawsTest, ARunLeftAtACertainMissHasTheVerdictOfTheWholeRun) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(2 * deployment_.rate));
  const SimulatedFleet fleet(problem_, deployment_);
  RecordedWeeks weeks(problem_, 0);
  constexpr double kDay = 86400;
  int kept = 0;
  std::int64_t asked = 0;
  std::int64_t served = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const auto tape = weeks.week(seed, kDay);
    for (const double ttft : {1.0, 5.0}) {
      for (const double tpot : {0.1, 0.3}) {
        problem_.ask.ttft = Seconds::from_base(ttft);
        problem_.ask.tpot = Seconds::from_base(tpot);
        for (const int replicas : {2, 4, 6}) {
          FleetQuestion ask{
              .replicas = replicas, .model = &problem_.model, .seed = seed, .seconds = kDay};
          const FleetRun whole = fleet.run(ask);
          ask.tape = tape.get();
          ask.is_verdict_enough = true;
          const FleetRun left = fleet.run(ask);
          ASSERT_EQ(left.kept, whole.kept) << seed << ' ' << ttft << ' ' << tpot << ' ' << replicas;
          ASSERT_EQ(left.is_decided, !whole.kept);
          if (whole.kept) {
            ASSERT_EQ(left.ttft, whole.ttft);
            ASSERT_EQ(left.requests, whole.requests);
            ++kept;
          } else {
            asked += whole.requests;
            served += left.requests;
          }
        }
      }
    }
  }
  EXPECT_GT(kept, 3);
  EXPECT_LT(kept, 21);
  EXPECT_LT(served, 0.7 * static_cast<double>(asked));
}

TEST_F(ServingLawsTest, TwiceTheReplicasAreHalfAsFullWhileNoQueueForms) {
  const SimulatedFleet fleet(problem_, deployment_);
  const double full = saturated(fleet);
  traffic_.base = Hertz::from_base(0.5 * full);
  FleetQuestion ask{.replicas = 2, .model = &traffic_, .seed = 3, .seconds = 86400};
  const double once = fleet.run(ask).served_rate.base() / (2 * full);
  ask.replicas = 4;
  const double twice = fleet.run(ask).served_rate.base() / (4 * full);
  EXPECT_NEAR(twice, once / 2, 1e-3);
  EXPECT_GT(once, 0.2);
}

TEST_F(ServingLawsTest, PooledCopiesNeedFewerReplicasForTheSameShareWithinTheSlo) {
  const SimulatedFleet fleet(problem_, deployment_);
  traffic_.slow = {0.3, Seconds::from_base(7200)};
  traffic_ = demand::scaled_to(traffic_, Hertz::from_base(0.25 * deployment_.rate));
  // The fewest replicas that keep the SLO over a day, by simulation.
  const auto fewest = [&](const demand::TrafficModel& model) {
    for (int replicas = 1; replicas < 8; ++replicas) {
      const FleetQuestion ask{.replicas = replicas, .model = &model, .seed = 5, .seconds = 86400};
      if (fleet.run(ask).kept) return replicas;
    }
    return 8;
  };
  const int apart = 4 * fewest(traffic_);
  // All four in the same weather: their noise of the rate is one, which is the worst case.
  const auto pooled = demand::scaled_to(traffic_, demand::expected_rate(traffic_) * 4.0);
  EXPECT_LT(fewest(pooled), apart);
}

TEST_F(ServingLawsTest, IndependentCopiesPooledAreFullerAtTheSameSlo) {
  const SimulatedFleet fleet(problem_, deployment_);
  traffic_.slow = {0.4, Seconds::from_base(7200)};
  traffic_ = demand::scaled_to(traffic_, Hertz::from_base(0.4 * deployment_.rate));
  const auto fewest = [&](const demand::Trace& trace) {
    problem_.trace = &trace;
    for (int replicas = 1; replicas < 8; ++replicas)
      if (fleet.run({.replicas = replicas}).kept) return replicas;
    return 8;
  };
  std::vector<demand::Trace> copies;
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    copies.push_back(demand::generate(traffic_, seed, Seconds::from_base(86400)));
    apart += fewest(copies.back());
  }
  // The same requests on fewer replicas: occupancy is requests served over what is paid.
  EXPECT_LT(fewest(demand::merged(copies)), apart);
}

TEST_F(ServingLawsTest, TrialWeeksAreTheFifthAboutTheLineFromItOutwards) {
  traffic_.slow = {0.15, Seconds::from_base(7200)};
  problem_.model = traffic_;
  deployment_.misses = {};  // Nothing is late below the rate it keeps: the level decides.
  deployment_.replicas = 100;
  const auto seeds = hard_weeks(problem_, deployment_, kWeek, 4);
  ASSERT_EQ(seeds.size(), 4U);
  const auto level = [&](std::uint64_t seed) {
    return problem_.shapes->factor_to_mean(traffic_, seed) *
           serving::level_for(rates_of(traffic_, seed), problem_.slo_quantile).base();
  };
  // The middle two lie between the outer two, and a fresh week is as a rule easier than any.
  const auto [low, high] = std::minmax({level(seeds[2]), level(seeds[3])});
  for (const int middle : {0, 1}) {
    EXPECT_LE(low, level(seeds[static_cast<std::size_t>(middle)]));
    EXPECT_GE(high, level(seeds[static_cast<std::size_t>(middle)]));
  }
  int easier = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) easier += level(seed) <= low ? 1 : 0;
  EXPECT_GE(easier, 24);  // Eight tenths of them would be 32.
}

TEST_F(ServingLawsTest, AtTheLineEighteenOfTwentyAreAsLikelyAsNot) {
  const double missed = 1 - kShareKeptAtLine;
  double likely = 0;
  double ways = 1;
  for (int k = 0; k <= kTrialWeeks - kWeeksToKeep; ++k) {
    likely += ways * std::pow(missed, k) * std::pow(kShareKeptAtLine, kTrialWeeks - k);
    ways *= static_cast<double>(kTrialWeeks - k) / (k + 1);
  }
  EXPECT_NEAR(likely, 0.5, 0.005);
}

TEST_F(ServingLawsTest, HalfOfTheWeeksAboutTheLineAreEnough) {
  EXPECT_TRUE(keeps_enough({.weeks = 4, .kept = 2}));
  EXPECT_FALSE(keeps_enough({.weeks = 4, .kept = 1}));
  EXPECT_TRUE(keeps_enough({.weeks = 1, .kept = 1}));
  EXPECT_FALSE(keeps_enough({}));
}

TEST_F(ServingLawsTest, SparesFollowFailures) {
  Outages outages{.per_gpu_hour = 1e-3, .repair_hours = 10, .most_short = 0.01};  // 1 % out each.
  EXPECT_EQ(spares_for(outages, 1, 1), 0);  // 0.99 % of the time.
  EXPECT_EQ(spares_for(outages, 2, 1), 1);  // 1.97 % without one.
  EXPECT_EQ(spares_for(outages, 10, 1), 1);
  EXPECT_GE(spares_for(outages, 100, 1), 4);
  EXPECT_EQ(spares_for({}, 100, 8), 0);
  // Ten thousand out of a million, and two or three deviations of a hundred.
  EXPECT_NEAR(spares_for(outages, 1'000'000, 1), 10'330, 150);
}

TEST_F(ServingLawsTest, APromisedAvailabilityIsTheBinomialOfReplicasThatAreOut) {
  // Each of n is out for a share p of the time: with one spare, 1 - P(0) - P(1) of them miss it.
  Outages outages{.per_gpu_hour = 1e-3, .repair_hours = 10, .most_short = 1e-3};
  outages.is_promised = true;
  const double p = 0.01 / 1.01;
  for (const int replicas : {1, 2, 5, 20}) {
    const int spares = spares_for(outages, replicas, 1);
    const double kept = share_with_enough(outages, replicas, spares, 1);
    EXPECT_GE(kept, 0.999) << replicas;
    EXPECT_LT(share_with_enough(outages, replicas, spares - 1, 1), 0.999) << replicas;
  }
  EXPECT_EQ(spares_for(outages, 1, 1), 1);
  EXPECT_NEAR(share_with_enough(outages, 1, 1, 1), 1 - p * p, 1e-12);
  EXPECT_NEAR(share_with_enough(outages, 2, 1, 1), std::pow(1 - p, 3) + 3 * p * std::pow(1 - p, 2),
              1e-12);
  outages.most_short = 1e-7;  // Seven nines of one replica take three beside it.
  EXPECT_EQ(spares_for(outages, 1, 1), 3);
}

TEST_F(ServingLawsTest, AMaintainedLoneReplicaTakesASpareWhereItsNightsBreakThePromise) {
  // Two hours of a month of 730 are 0.274 % of the time, and nothing else serves meanwhile.
  Outages outages{.most_short = 1e-3, .is_promised = true, .maintenance = 7200};
  EXPECT_NEAR(share_with_enough(outages, 1, 0, 1), 1 - 2.0 / 730, 1e-12);
  EXPECT_EQ(spares_for(outages, 1, 1), 1);
  EXPECT_DOUBLE_EQ(share_with_enough(outages, 1, 1, 1), 1);  // Maintained one after the other.
  outages.most_short = 3e-3;
  EXPECT_EQ(spares_for(outages, 1, 1), 0);
  // Failures while the other is maintained: twice the share of one, times 1 % out.
  outages.per_gpu_hour = 1e-3;
  outages.repair_hours = 10;
  const double out = 0.01 / 1.01;
  const double maintained = 4.0 / 730;
  EXPECT_NEAR(share_with_enough(outages, 1, 1, 1),
              (1 - maintained) * (1 - out * out) + maintained * (1 - out), 1e-12);
  // Several replicas are maintained at night, when one fewer suffices.
  outages.most_short = 1e-3;
  Outages unmaintained = outages;
  unmaintained.maintenance = 0;
  EXPECT_EQ(spares_for(outages, 4, 1), spares_for(unmaintained, 4, 1));
}

TEST_F(ServingLawsTest, PoolsApartKeepAPromiseTogether) {
  // 0.8 % out, promised 99 %: one alone keeps it, two pools without a spare do not (98.4 %).
  Outages outages{
      .per_gpu_hour = 8e-4, .repair_hours = 10, .most_short = 0.01, .is_promised = true};
  const FleetPools pools{.replicas = 1, .prompt_replicas = 1};
  const double out = 0.008 / 1.008;
  EXPECT_EQ(spares_for(outages, 1, 1), 0);
  EXPECT_NEAR(share_with_enough(outages, pools, 0), (1 - out) * (1 - out), 1e-12);
  EXPECT_EQ(spares_for(outages, pools), 1);
  EXPECT_GE(share_with_enough(outages, pools, 1), 0.99);
}

TEST_F(ServingLawsTest, ReplicasForDeploysStandBesideThoseForFailures) {
  problem_.outages = {
      .per_gpu_hour = 1e-3, .repair_hours = 10, .most_short = 1e-3, .is_promised = true};
  const FleetPools pools{.replicas = 5};
  const int for_failures = standing_by(problem_, pools);
  EXPECT_EQ(for_failures, spares_for(problem_.outages, pools));
  EXPECT_GE(for_failures, 1);
  for (const int deployed : {0, 1, 3}) {
    problem_.outages.deployed = deployed;
    problem_.spares = -1;
    EXPECT_EQ(standing_by(problem_, pools), for_failures + deployed);
    problem_.spares = 0;
    EXPECT_EQ(standing_by(problem_, pools), deployed);
  }
}

TEST_F(ServingLawsTest, WhatADeployLeavesKeepsTheSloAndEveryReplicaForItCostsMore) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(2 * deployment_.rate));
  problem_.prices[deployment_.plan.choice.chip->name] = {{.way = "on-demand", .fixed = 2}};
  double before = 0;
  for (const int deployed : {0, 1, 2}) {
    problem_.outages.deployed = deployed;
    const SizingAnswer answer = size_thoroughly(1);
    ASSERT_FALSE(answer.best.empty());
    const SizedDeployment& fleet = answer.best.front();
    EXPECT_TRUE(fleet.is_confirmed);
    EXPECT_EQ(fleet.spares, deployed);
    EXPECT_EQ(fleet.gpus, fleet.replicas + deployed);
    EXPECT_GT(fleet.cost_per_hour, before);
    before = fleet.cost_per_hour;
    // Weeks are served by what a deploy leaves.
    EXPECT_TRUE(keeps_enough(count_weeks(problem_, fleet, 770'000, 2))) << deployed;
  }
}

TEST_F(ServingLawsTest, WithoutAnyZoneTheOthersStillSuffice) {
  for (const int zones : {2, 3, 5}) {
    Outages outages;
    outages.zones = zones;
    for (const int replicas : {1, 4, 9, 30}) {
      const int all = replicas + spares_for(outages, replicas, 1);
      const int largest = (all + zones - 1) / zones;
      EXPECT_GE(all - largest, replicas) << zones << " zones";
      EXPECT_LT(all - 1 - (all - 1 + zones - 1) / zones, replicas) << zones << " zones";
    }
  }
}

TEST_F(ServingLawsTest, ReplicasThatATimetableBringsBackServeOnceTheyHaveStarted) {
  traffic_.day.amplitude = 0;
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(2 * deployment_.rate));
  const HardWeek day{.seed = 1, .seconds = 2 * 86400.0};
  const auto share_within = [&](double start, int least) {
    std::vector<int> by_hour(168, 4);
    for (std::size_t hour = 0; hour < by_hour.size(); hour += 2) by_hour[hour] = least;
    problem_.cold_start = start;
    const auto run = timed_fleet(problem_, deployment_, day, by_hour);
    EXPECT_TRUE(run);
    return run ? run->within : 0.0;
  };
  EXPECT_DOUBLE_EQ(share_within(1800, 4), share_within(0, 4));  // Nothing comes or goes.
  EXPECT_LT(share_within(1800, 1), share_within(0, 1) - 0.02);
}

TEST_F(ServingLawsTest, MaintenanceTakesEveryReplicaOnceAndAtNight) {
  std::vector<double> rates(7 * 144, 10);
  for (int day = 0; day < 7; ++day)
    for (int i = 0; i < 36; ++i) rates[static_cast<std::size_t>(day * 144 + i)] = 1 + 0.01 * i;
  const auto outages = maintenance_of(rates, 9, 7200);
  ASSERT_EQ(outages.size(), 9U);
  std::vector<bool> seen(9, false);
  for (const auto& outage : outages) {
    seen[static_cast<std::size_t>(outage.replica)] = true;
    const double hour = std::fmod(static_cast<double>(outage.time) * 1e-12 / 3600, 24);
    EXPECT_LT(hour, 6);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 9);
  EXPECT_EQ(maintenance_of(rates, 1, 7200).size(), 1U);  // An outage, and simulated as one.
}

// A night's outage is a twelfth of a day and an eightieth of a week: a part of a week that has all
// of it would miss what the week keeps.
TEST_F(ServingLawsTest, APartOfAWeekHasItsShareOfTheMaintenance) {
  traffic_.day = {0, 14};
  traffic_.weekend = 1;
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(0.2 * deployment_.rate));
  problem_.outages.maintenance = 7200;
  problem_.most_requests =
      static_cast<std::int64_t>(demand::expected_rate(problem_.model).base() * 28 * 3600);
  deployment_.replicas = 1;
  EXPECT_EQ(count_weeks(problem_, deployment_, 770'000, 1).kept, 1);
}

TEST_F(ServingLawsTest, TheSearchedFleetKeepsOtherWeeksAndTheNextCheaperDoesNot) {
  traffic_.slow = {0.15, Seconds::from_base(7200)};
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(deployment_.rate));
  const SizingAnswer answer = size_thoroughly(3);
  ASSERT_FALSE(answer.best.empty());
  const SizedDeployment& best = answer.best.front();
  ASSERT_TRUE(best.is_confirmed);
  constexpr std::uint64_t kFresh = 770'000;
  EXPECT_EQ(count_weeks(problem_, best, kFresh, 3).kept, 3);
  if (!answer.next_cheaper) {
    EXPECT_EQ(best.replicas, 1);
    return;
  }
  EXPECT_EQ(count_weeks(problem_, answer.next_cheaper->fleet, kFresh, 3).kept, 0);
  ASSERT_TRUE(best.scaled);
  EXPECT_LE(best.scaled->gpus, best.gpus + 1e-9);
  EXPECT_NEAR(search::mean_of(best.scaled->on) * best.scaled->unit, best.scaled->gpus, 1e-6);
  EXPECT_NEAR(search::mean_of(best.on) * best.plan.gpus(), best.autoscaled_gpus, 1e-9);
}

TEST_F(ServingLawsTest, AFleetTooLargeToBeSimulatedIsNotScaledInASimulationEither) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(2 * deployment_.rate));
  const HardWeek hour{.seed = 1, .seconds = 3600};
  deployment_.replicas = 4;
  EXPECT_TRUE(scaled_fleet(problem_, deployment_, hour));
  deployment_.replicas = 80'000;
  EXPECT_FALSE(scaled_fleet(problem_, deployment_, hour));
}

TEST_F(ServingLawsTest, WhereHardlyAnyoneComesOneReplicaIsEnough) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(3.0 / (30 * 86400)));
  problem_.outages.maintenance = 7200;  // Which a request now and then meets.
  for (const int weeks : {1, 3}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      problem_.seed = seed;
      const SizingAnswer answer = size_thoroughly(weeks);
      ASSERT_FALSE(answer.best.empty());
      EXPECT_EQ(answer.best.front().replicas, 1) << weeks << " weeks, seed " << seed;
    }
  }
}

TEST_F(ServingLawsTest, WhereTheCheapestKeepsNothingTheNextThatDoesIsTheAnswer) {
  // Long prompts wait longer on one GPU than is promised, which the closed form of the mean one
  // does not see.
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(0.2 * deployment_.rate));
  problem_.ask.ttft = deployment_.figures.idle_ttft * 1.3;
  problem_.space.choices = {deployment_.plan.choice};
  problem_.space.layouts[deployment_.plan.choice.chip] = layouts_of({1, 2, 4}, {1}, false);
  problem_.space.own_settings = true;
  problem_.weeks = 1;
  for (const int confirm : {1, 3}) {
    problem_.confirm = confirm;
    const SizingAnswer answer = size_deployment(problem_);
    ASSERT_FALSE(answer.best.empty()) << confirm;
    EXPECT_GT(answer.best.front().plan.choice.layout.tp, 1) << confirm;
    EXPECT_TRUE(answer.best.front().is_confirmed) << confirm;
  }
}

TEST_F(ServingLawsTest, WithoutAPromiseTheFleetStillServesItsPeak) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(deployment_.rate));
  problem_.ask.ttft = problem_.ask.tpot = Seconds();
  const SizingAnswer answer = size_thoroughly(1);
  ASSERT_FALSE(answer.best.empty());
  const SizedDeployment& best = answer.best.front();
  EXPECT_GE(best.weeks_kept, kWeeksToKeep);
  EXPECT_LT(best.ttft, Seconds::from_base(60));
}

TEST_F(ServingLawsTest, TheAnswerDoesNotDependOnHowManyAreSimulatedFirst) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(1.5 * deployment_.rate));
  problem_.thorough = true;
  serving::ReplicaChoice wide = deployment_.plan.choice;
  wide.precision = "bf16";
  wide.formats = serving::choose_precision("bf16", *wide.model, *wide.chip);
  problem_.space.choices = {deployment_.plan.choice, wide};
  problem_.space.layouts[deployment_.plan.choice.chip] = layouts_of({1, 2, 4}, {1}, false);
  problem_.space.own_settings = true;
  problem_.weeks = 1;
  problem_.confirm = 1;
  const SizingAnswer one = size_deployment(problem_);
  ASSERT_FALSE(one.best.empty());
  ASSERT_TRUE(one.best.front().is_confirmed);
  EXPECT_EQ(one.untried, 0);
  // What is listed below the answer is not said to be cheaper than it.
  for (const auto& d : one.best) EXPECT_FALSE(is_cheaper(d, one.best.front()));
  problem_.confirm = 6;
  const SizingAnswer all = size_deployment(problem_);
  ASSERT_FALSE(all.best.empty());
  EXPECT_DOUBLE_EQ(one.best.front().cost_per_hour, all.best.front().cost_per_hour);
}

TEST_F(ServingLawsTest, OnTheSameMachinesThePlainestThatCostsAsGoodAsTheSameIsTaken) {
  // A machine of eight is paid for anyway, and layouts differ by pennies of electricity.
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(deployment_.rate));
  problem_.space.choices = {deployment_.plan.choice};
  problem_.space.layouts[deployment_.plan.choice.chip] = layouts_of({1, 2, 4}, {1, 2}, false);
  problem_.prices[deployment_.plan.choice.chip->name] = {
      {.way = "own", .fixed = 1, .working = 0.01, .machine = 8}};
  problem_.thorough = true;
  problem_.weeks = 1;
  const SizingAnswer answer = size_deployment(problem_);
  ASSERT_FALSE(answer.best.empty());
  const SizedDeployment& taken = answer.best.front();
  EXPECT_TRUE(taken.is_confirmed);
  EXPECT_EQ(taken.paid_gpus, 8);
  EXPECT_EQ(oddities(taken), 0);
  const auto least =
      std::min_element(answer.candidates.begin(), answer.candidates.end(), is_cheaper);
  EXPECT_LE(taken.cost_per_hour, (1 + kTie) * least->cost_per_hour);
}

TEST_F(ServingLawsTest, AChipWithoutARentHasARowAsWell) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(deployment_.rate));
  const std::string rented = deployment_.plan.choice.chip->name;
  serving::ReplicaChoice other = deployment_.plan.choice;
  other.chip = *serving::shipped().catalog.find_accelerator("l40s");
  other.formats = serving::choose_precision(other.precision, *other.model, *other.chip);
  problem_.space.choices = {deployment_.plan.choice, other};
  for (const auto& choice : problem_.space.choices)
    problem_.space.layouts[choice.chip] = layouts_of({1, 2, 4, 8}, {1, 2}, false);
  problem_.prices[rented] = {{.way = "on-demand", .fixed = 2}};
  problem_.confirm = 0;
  const SizingAnswer answer = size_deployment(problem_);
  EXPECT_TRUE(std::any_of(answer.best.begin(), answer.best.end(), [&](const SizedDeployment& d) {
    return d.plan.choice.chip == other.chip;
  }));
  EXPECT_EQ(answer.best.front().plan.choice.chip->name, rented);
}

TEST_F(ServingLawsTest, PromptsApartAreSimulatedAndKeepTheSlo) {
  problem_.model = demand::scaled_to(traffic_, Hertz::from_base(0.3));
  problem_.thorough = true;
  problem_.space.choices = {deployment_.plan.choice};
  problem_.space.own_settings = true;
  problem_.space.has_splits = true;
  problem_.confirm = 2;
  problem_.weeks = 1;
  const SizingAnswer answer = size_deployment(problem_);
  ASSERT_GE(answer.best.size(), 2U);
  const auto split = std::find_if(answer.best.begin(), answer.best.end(),
                                  [](const SizedDeployment& d) { return d.prompts.has_value(); });
  ASSERT_NE(split, answer.best.end());
  EXPECT_TRUE(split->is_calibrated);
  EXPECT_EQ(split->gpus, split->replicas + split->prompts->replicas + 2 * split->spares);
  EXPECT_EQ(count_weeks(problem_, *split, 770'000, 1).kept, 1);
}

}  // namespace
}  // namespace loadfactor::search
