#include "training/reliability.h"

#include <cmath>

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace loadfactor::training {
namespace {

using namespace literals;

Reliability shipped(std::string_view family) {
  static Diagnostics diagnostics;
  static const catalog::Catalog kCatalog =
      catalog::Catalog::open(catalog::builtin_files(), diagnostics);
  auto read = read_reliability(kCatalog.hazards(), family);
  EXPECT_TRUE(read.has_value());
  return *read;
}

double fact(std::string_view name) {
  Diagnostics diagnostics;
  const auto catalog = catalog::Catalog::open(catalog::builtin_files(), diagnostics);
  for (const auto& f : catalog.hazards())
    if (f.name == name) return f.value;
  ADD_FAILURE() << name;
  return 0;
}

// A job whose only troubles are one failure in 1000 s and a storage of 1 byte a second.
Reliability simple() {
  Reliability r;
  r.hazards.gpu = Hertz::from_base(0.001);
  r.times.storage = BytesPerSecond::from_base(1.0);
  r.times.per_parameter = 1_B;
  r.times.restart = 10_s;
  return r;
}

TEST(Reliability, TheBookExampleOfALargeRunComesOutAsTheBookHasIt) {
  const Seconds mtbf = Seconds::from_base(3.093 * 3600);
  const Seconds stall = 405e9 * 14_B / 200_GBps;
  EXPECT_NEAR(stall.base(), 28.35, 1e-9);
  const Seconds interval = best_interval(stall, mtbf);
  EXPECT_NEAR(interval.base() / 60, 13.24, 0.01);
  EXPECT_NEAR(first_order_goodput(stall, interval, mtbf, 600_s), 0.8748, 0.00005);
}

TEST(Reliability, ThePublishedLargeRunKeepsMoreThanNineTenthsWithTheTimesItStates) {
  Reliability r = shipped("hopper");
  r.times.storage = 2_TBps;  // Sustained, as reported beside the run.
  const Goodput g = goodput(r, {.gpus = 16384,
                                .gpus_per_node = 8,
                                .parameters = 405e9,
                                .tier = CheckpointTier::kSynchronous,
                                .spare_nodes = 64});
  EXPECT_NEAR(g.mtbf.base() / 3600, fact("llama3-405b-cluster-mtti"), 0.03);
  EXPECT_GT(g.value, fact("llama3-405b-goodput"));
  EXPECT_LT(g.value, 0.95);
}

TEST(Reliability, AFleetsMeasuredTimesBetweenFailuresAreWithinAQuarter) {
  const Hazards hazards = shipped("ampere").hazards;
  const auto mtbf = [&](int gpus) { return 1.0 / hazards.job(gpus, 8).base() / 3600.0; };
  EXPECT_NEAR(mtbf(1024) / fact("rsc1-mtti-1024-gpus"), 1.0, 0.25);
  EXPECT_NEAR(mtbf(16384) / fact("rsc1-mtti-16384-gpus"), 1.0, 0.25);
  EXPECT_NEAR(mtbf(8) / 24 / fact("rsc1-mtti-8-gpus"), 1.0, 0.25);
}

TEST(Reliability, ASpreadOfSharesSumsToTheWholePaidTime) {
  for (const int gpus : {8, 512, 4096, 16384}) {
    const Goodput g =
        goodput(shipped("hopper"),
                {.gpus = gpus, .gpus_per_node = 8, .parameters = 70e9, .host_link = 50_GBps});
    EXPECT_NEAR(g.value + g.checkpointing + g.lost_work + g.restart + g.detection + g.waiting, 1.0,
                1e-12);
  }
}

TEST(Reliability, NoOtherIntervalLosesLessThanTheBest) {
  const Reliability r = simple();
  GoodputQuestion q{
      .gpus = 1, .gpus_per_node = 1, .parameters = 2, .tier = CheckpointTier::kSynchronous};
  const Goodput best = goodput(r, q);
  // √(2 · 2 s · 1000 s)
  EXPECT_NEAR(best.interval.base(), std::sqrt(4000.0), 1e-9);
  for (const double factor : {0.3, 0.7, 0.99, 1.01, 1.5, 4.0}) {
    q.interval = best.interval * factor;
    EXPECT_LT(goodput(r, q).value, best.value) << factor;
  }
}

TEST(Reliability, CheckpointsComeAfterWholeStepsAndNeverWithinOne) {
  // √(2 · 2 s · 1000 s) = 63.2 s: three steps of 20 s lose less than four.
  GoodputQuestion q{
      .gpus = 1, .gpus_per_node = 1, .parameters = 2, .tier = CheckpointTier::kSynchronous};
  q.step = 20_s;
  EXPECT_EQ(goodput(simple(), q).interval, 60_s);
  q.step = 100_s;
  EXPECT_EQ(goodput(simple(), q).interval, 100_s);
  // 2 / 40 + 40 / 2000 = 0.07 and 2 / 80 + 80 / 2000 = 0.065.
  q.step = 40_s;
  EXPECT_EQ(goodput(simple(), q).interval, 80_s);
  q.interval = 1_s;
  EXPECT_EQ(goodput(simple(), q).interval, 40_s);
  EXPECT_EQ(steps_of(80_s, 40_s), 2);
  EXPECT_EQ(steps_of(81_s, 40_s), 3);
  EXPECT_EQ(steps_of(1_s, 40_s), 1);
}

TEST(Reliability, MoreGpusNeverStopLessOften) {
  const Reliability r = shipped("hopper");
  Hertz last;
  for (int gpus = 8; gpus <= 131072; gpus *= 2) {
    const Hertz now = r.hazards.job(gpus, 8);
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST(Reliability, AFasterTierNeverLosesMore) {
  for (const int gpus : {64, 1024, 16384}) {
    GoodputQuestion q{.gpus = gpus, .gpus_per_node = 8, .parameters = 405e9, .host_link = 50_GBps};
    q.tier = CheckpointTier::kSynchronous;
    const double slow = goodput(shipped("hopper"), q).value;
    q.tier = CheckpointTier::kAsynchronous;
    const double behind = goodput(shipped("hopper"), q).value;
    q.tier = CheckpointTier::kInMemory;
    const double memory = goodput(shipped("hopper"), q).value;
    EXPECT_GE(behind, slow);
    EXPECT_GE(memory, behind);
  }
}

TEST(Reliability, BorrowedCapacityStopsMoreOften) {
  GoodputQuestion q{.gpus = 1024, .gpus_per_node = 8, .parameters = 70e9, .host_link = 50_GBps};
  const double own = goodput(shipped("hopper"), q).value;
  q.borrowed = true;
  EXPECT_LT(goodput(shipped("hopper"), q).value, own);
}

TEST(Reliability, WhatIsSaidOfSpotReplacesTheFleets) {
  GoodputQuestion q{.gpus = 1024, .gpus_per_node = 8, .parameters = 70e9, .host_link = 50_GBps};
  const Goodput own = goodput(shipped("hopper"), q);
  q.preemption.hazard = Hertz::from_base(1e-6);
  EXPECT_EQ(goodput(shipped("hopper"), q).value, own.value);  // Nobody takes what is not borrowed.
  q.borrowed = true;
  // 128 nodes, each taken once in 10⁶ s; or ten of them.
  EXPECT_NEAR((goodput(shipped("hopper"), q).hazard - own.hazard).base(), 128e-6, 1e-12);
  q.preemption.nodes = 10;
  EXPECT_NEAR((goodput(shipped("hopper"), q).hazard - own.hazard).base(), 10e-6, 1e-12);
  q.preemption.wait = Seconds();
  q.interval = own.interval;
  q.spare_nodes = own.spare_nodes;
  q.preemption.loss = Seconds::from_base(1000);  // 10 · 10⁻⁶ · 1000 s of every second.
  EXPECT_NEAR(goodput(shipped("hopper"), q).lost_work - own.lost_work, 0.01, 1e-9);
}

TEST(Reliability, SparesCoverTheRepairsThatAreUnderWay) {
  EXPECT_NEAR(poisson_tail(1.0, 0), 1.0 - std::exp(-1.0), 1e-12);
  EXPECT_NEAR(poisson_tail(1.0, 1), 1.0 - 2.0 * std::exp(-1.0), 1e-12);
  // 1000 nodes of which 10 are out: at least those ten, and not twice as many.
  const int spares = best_spares(1000, 10.0);
  EXPECT_GT(spares, 10);
  EXPECT_LT(spares, 25);
  EXPECT_EQ(best_spares(1, 1e-6), 0);
}

TEST(Reliability, WhereNothingFailsCheckpointsAloneAreLost) {
  Reliability r = simple();
  r.hazards.gpu = Hertz();
  GoodputQuestion q{
      .gpus = 1, .gpus_per_node = 1, .parameters = 2, .tier = CheckpointTier::kSynchronous};
  // 2 s a day.
  EXPECT_NEAR(goodput(r, q).value, 1.0 - 2.0 / 86400, 1e-12);
  q.step = 1000_s;
  EXPECT_EQ(goodput(r, q).interval, 87000_s);
  q.interval = 4000_s;
  EXPECT_NEAR(goodput(r, q).value, 1.0 - 2.0 / 4000, 1e-12);
}

TEST(Reliability, EveryShareIsANumberHoweverOftenPartsFail) {
  for (const double per_hour : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.0})
    for (const int gpus : {1, 8, 4096, 100000})
      for (const bool borrowed : {false, true}) {
        Reliability r = shipped("hopper");
        r.hazards = {};
        r.hazards.gpu = r.hazards.host = r.hazards.preemption = Hertz::from_base(per_hour / 3600);
        const Goodput g = goodput(
            r, {.gpus = gpus, .parameters = 70e9, .host_link = 50_GBps, .borrowed = borrowed});
        for (const double share : {g.value, g.checkpointing, g.lost_work, g.restart, g.detection,
                                   g.waiting, g.interval.base(), g.in_repair, g.with_spares}) {
          EXPECT_TRUE(std::isfinite(share)) << per_hour << " " << gpus;
          EXPECT_GE(share, 0.0);
        }
        EXPECT_LE(g.value, 1.0);
        if (per_hour == 1.0 && gpus > 8) {
          EXPECT_EQ(g.value, kLeastGoodput);
        }
      }
}

TEST(Reliability, ManyRepairsAtOnceAreCountedAsFewAre) {
  // With a mean of 10⁶ the spread is a thousand: half are above, and 0.135 % three spreads above.
  EXPECT_NEAR(poisson_tail(1e6, 1000000), 0.5, 1e-3);
  EXPECT_NEAR(poisson_tail(1e6, 1003000), 0.00135, 2e-5);
  EXPECT_EQ(poisson_tail(1e6, 0), 1.0);
  const int spares = best_spares(10000000, 1e6);
  EXPECT_GT(spares, 1001000);
  EXPECT_LT(spares, 1005000);
}

TEST(Reliability, WithoutSparesALargeRunIsSaidToNeedThem) {
  const Goodput g = goodput(shipped("hopper"), {.gpus = 16384,
                                                .gpus_per_node = 8,
                                                .parameters = 405e9,
                                                .host_link = 50_GBps,
                                                .spare_nodes = 0});
  EXPECT_EQ(g.value, kLeastGoodput);  // e^-6.6 of the time nothing is in repair.
  EXPECT_GT(g.best_spares, g.in_repair);
  EXPECT_GT(g.with_spares, 0.8);
}

TEST(Reliability, AMissingFactIsNamed) {
  const auto read = read_reliability({}, "hopper");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("hazard-gpu"), std::string::npos);
}

// Where two nodes are in repair, sixteen copies of two nodes each lose one: the others take 11
// micro-batches instead of 10.
TEST(Reliability, FewerCopiesTakeMoreMicroBatchesEach) {
  const ElasticJob job{.copies = 16, .copy_nodes = 2, .micro_batches = 10};
  EXPECT_EQ(job.pace(32, 0), 1);
  EXPECT_NEAR(job.pace(32, 1), 10.0 / 11, 1e-12);
  EXPECT_NEAR(job.pace(32, 2), 10.0 / 11, 1e-12);
  EXPECT_EQ(job.pace(32, 31), 0);
  const ElasticJob small{.copies = 64, .copy_nodes = 0.5, .micro_batches = 1};
  EXPECT_EQ(small.pace(32, 1), 0.5);  // 64 micro-batches on 62 copies are two rounds.
}

// Whatever the machine, the repair and the spares.
TEST(Reliability, GoingOnIsNeverWorseThanTheBetterOfWaitingAndSpares) {
  for (const int gpus : {16, 64, 1024, 16384})
    for (const double days : {0.05, 1.0, 20.0})
      for (const int spares : {-1, 0, 2}) {
        Reliability r = shipped("hopper");
        r.times.repair = Seconds::from_base(86400 * days);
        GoodputQuestion q{.gpus = gpus, .gpus_per_node = 8, .parameters = 8e9};
        if (spares >= 0) q.spare_nodes = spares;
        const Goodput waits = goodput(r, q);
        q.elastic = ElasticJob{.copies = gpus / 8, .copy_nodes = 1, .micro_batches = 16};
        const Goodput goes = goodput(r, q);
        const int nodes = gpus / 8;
        EXPECT_LE(goes.paid_factor(nodes), waits.paid_factor(nodes) * (1 + 1e-9))
            << gpus << " " << days << " " << spares;
        const double sum = goes.value + goes.checkpointing + goes.lost_work + goes.restart +
                           goes.detection + goes.waiting;
        if (goes.value > kLeastGoodput) {
          EXPECT_NEAR(sum, 1, 1e-9);
        }
      }
}

}  // namespace
}  // namespace loadfactor::training
