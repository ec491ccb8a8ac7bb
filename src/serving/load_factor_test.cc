#include "serving/load_factor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "base/distributions.h"
#include "demand/describe/characterise.h"
#include "demand/generate.h"

namespace loadfactor::serving {
namespace {

std::vector<double> diurnal_week(double base, double amplitude, std::uint64_t seed) {
  demand::TrafficModel model;
  model.base = Hertz::from_base(base);
  model.day = {amplitude, 14};
  model.weekend = 0.6;
  model.slow = {0.1, Seconds::from_base(7200)};
  const auto profile =
      demand::generate_rates(model, seed, Seconds::from_base(7 * 86400), Seconds::from_base(600));
  return demand::characterise(profile).series;
}

double mean(const std::vector<double>& rates) {
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum / static_cast<double>(rates.size());
}

constexpr double kWindowsPerHour = 6;
const ReplicaCapacity kReplica{Hertz::from_base(2), Hertz::from_base(2), 4};

TEST(FluidLoadTest, AFleetSizedToThePeakIsAsFullAsMeanOverPeak) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto week = diurnal_week(40, 0.1 * static_cast<double>(seed % 9), seed);
    const double peak = *std::max_element(week.begin(), week.end());
    const auto load = fluid_load(week, kWindowsPerHour, kReplica, peak / 2);
    EXPECT_NEAR(load.load_factor, mean(week) / peak, 0.01);
    EXPECT_DOUBLE_EQ(load.within_slo, 1);
  }
}

TEST(FluidLoadTest, DoublingTheFleetHalvesOccupancyWhileNoQueueForms) {
  const auto week = diurnal_week(40, 0.5, 3);
  const double peak = *std::max_element(week.begin(), week.end());
  const double enough = std::ceil(peak / 2);
  const double once = fluid_load(week, kWindowsPerHour, kReplica, enough).load_factor;
  const double twice = fluid_load(week, kWindowsPerHour, kReplica, 2 * enough).load_factor;
  EXPECT_NEAR(twice, once / 2, 1e-12);
}

TEST(FluidLoadTest, TheFiveLossesAndTheLoadFactorAddUpToOne) {
  RandomStream stream(5, "fleets");
  for (int i = 0; i < 100; ++i) {
    const auto week = diurnal_week(0.5 + 100 * stream.uniform(), stream.uniform(), stream.next());
    const double saturated = 0.2 + 5 * stream.uniform();
    const ReplicaCapacity replica{Hertz::from_base(saturated),
                                  Hertz::from_base(saturated * (0.1 + 0.9 * stream.uniform())), 1};
    const auto load =
        fluid_load(week, kWindowsPerHour, replica, 1 + static_cast<double>(stream.below(80)));
    EXPECT_NEAR(load.load_factor + load.losses.sum(), 1, 1e-9);
    for (const double part : {load.losses.demand, load.losses.shape, load.losses.headroom,
                              load.losses.slo, load.losses.rounding}) {
      EXPECT_GE(part, -1e-9);
      EXPECT_LE(part, 1);
    }
    EXPECT_GE(load.load_factor, 0);
    EXPECT_LE(load.load_factor, 1);
  }
}

TEST(FluidLoadTest, AnExampleInTheHead) {
  // One hour at 4/s, one at 2/s; a replica does 2/s saturated and 1/s within the SLO; 5 replicas.
  // Capacity 10/s; mean 3 → 30 %. Needed 4 of 5 → demand 20. Within 4: 4/s of 8 → slo 40.
  // Peak equals busiest hour → headroom 0. Shape (4 - 3)/10 = 10.
  const std::vector<double> rates{4, 4, 2, 2};
  const ReplicaCapacity replica{Hertz::from_base(2), Hertz::from_base(1), 1};
  const auto load = fluid_load(rates, 2, replica, 5);
  EXPECT_NEAR(load.load_factor, 0.30, 1e-12);
  EXPECT_NEAR(load.losses.demand, 0.20, 1e-12);
  EXPECT_NEAR(load.losses.slo, 0.40, 1e-12);
  EXPECT_NEAR(load.losses.headroom, 0, 1e-12);
  EXPECT_NEAR(load.losses.shape, 0.10, 1e-12);
  EXPECT_EQ(replicas_for(rates, replica, 1), 4);
  EXPECT_EQ(replicas_for(rates, replica, 0.3), 2);
}

TEST(FluidLoadTest, PoolingCopiesRaisesOccupancyAtEqualSlo) {
  std::vector<double> pooled;
  double apart = 0;
  constexpr int kCopies = 8;
  for (std::uint64_t seed = 1; seed <= kCopies; ++seed) {
    const auto week = diurnal_week(3, 0.5, seed);
    pooled.resize(week.size(), 0);
    for (std::size_t i = 0; i < week.size(); ++i) pooled[i] += week[i];
    apart += replicas_for(week, kReplica, 1);
  }
  const double together = replicas_for(pooled, kReplica, 1);
  EXPECT_LT(together, apart);
  EXPECT_GT(fluid_load(pooled, kWindowsPerHour, kReplica, together).load_factor,
            fluid_load(pooled, kWindowsPerHour, kReplica, apart).load_factor);
}

TEST(LevelForTest, AShareOfTheRequestsComesAtOrBelowIt) {
  const std::vector<double> rates{4, 1, 3, 2};  // Ten in all; 1, 3, 6 and 10 at or below.
  EXPECT_EQ(level_for(rates, 0.1), Hertz::from_base(1));
  EXPECT_EQ(level_for(rates, 0.3), Hertz::from_base(2));
  EXPECT_EQ(level_for(rates, 0.5), Hertz::from_base(3));
  EXPECT_EQ(level_for(rates, 1.0), Hertz::from_base(4));
  EXPECT_EQ(level_for(std::vector<double>{}, 0.5), Hertz::from_base(0));
}

// 5 of 100 may be late: none is at 1 request/s, 10 of 100 are at 2.
ReplicaCapacity replica_with_misses() {
  return {.saturated = Hertz::from_base(4),
          .at_slo = Hertz::from_base(1.5),
          .gpus = 1,
          .misses = MissCurve({{Hertz::from_base(1), 0, 0}, {Hertz::from_base(2), 0.1, 0}},
                              Hertz::from_base(4)),
          .allowed = {.first = 0.05, .each = 1}};
}

TEST(MissCurveTest, QuietHoursMakeUpForABusyOne) {
  const ReplicaCapacity replica = replica_with_misses();
  // 0.2 of 5 requests are late with one replica, which is 4 of 100.
  EXPECT_EQ(replicas_for(std::vector<double>{1, 1, 1, 2}, replica, 0.95), 1);
  // 0.4 of 5 are 8 of 100.
  EXPECT_EQ(replicas_for(std::vector<double>{1, 2, 2}, replica, 0.95), 2);
  ReplicaCapacity strict = replica;
  strict.misses = {};
  EXPECT_EQ(replicas_for(std::vector<double>{1, 1, 1, 2}, strict, 0.95), 2);
  EXPECT_NEAR(fluid_load(std::vector<double>{1, 1, 1, 2}, 1, replica, 1).within_slo, 0.96, 1e-3);
}

TEST(MissCurveTest, TheLogarithmIsStraightBetweenSamplesAndAllMissWhenFull) {
  const MissCurve curve({{Hertz::from_base(2), 0.16, 0.5}, {Hertz::from_base(1), 0.01, 0.5}},
                        Hertz::from_base(4));
  EXPECT_NEAR(curve.at(Hertz::from_base(1.5)).first, 0.04, 1e-3);
  EXPECT_NEAR(curve.at(Hertz::from_base(0.2)).first, 0.01, 1e-9);
  EXPECT_NEAR(curve.at(Hertz::from_base(3)).each, 0.5, 1e-9);
  EXPECT_EQ(curve.at(Hertz::from_base(4)).first, 1);
  EXPECT_EQ(curve.at(Hertz::from_base(9)).each, 1);
  EXPECT_NEAR(curve.stretched(2).at(Hertz::from_base(3)).first, 0.04, 1e-3);
  EXPECT_TRUE(MissCurve().empty());
}

TEST(MissCurveTest, MoreReplicasNeverMissMore) {
  RandomStream stream(7, "misses");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<MissSample> samples;
    for (int i = 0; i < 6; ++i)
      samples.push_back(
          {Hertz::from_base(stream.uniform() * 4), stream.uniform(), stream.uniform()});
    ReplicaCapacity replica = replica_with_misses();
    replica.misses = MissCurve(samples, Hertz::from_base(4));
    const auto week = diurnal_week(20, 0.4, static_cast<std::uint64_t>(trial));
    double before = 0;
    for (int replicas = 1; replicas < 40; replicas += 3) {
      const double within = fluid_load(week, kWindowsPerHour, replica, replicas).within_slo;
      EXPECT_GE(within, before - 1e-12);
      before = within;
    }
  }
}

}  // namespace
}  // namespace loadfactor::serving
