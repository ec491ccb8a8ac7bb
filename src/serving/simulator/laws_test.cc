// What must hold in every simulation, whatever its rules.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "serving/simulator/simulation.h"
#include "serving/testing/random_scenario.h"
#include "sim/poisson_arrivals.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {
namespace {

using testing::RandomScenario;

TEST(SimulationLawsTest, EveryRequestEndsOnceAndTimesAreInOrder) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomScenario s = testing::random_scenario(seed, seed % 2 == 0);
    sim::RecordedArrivals arrivals(s.arrivals);
    const SimulationResult r = simulate(s.rules, arrivals, {.keeps_log = true});
    ASSERT_EQ(r.requests(), std::ssize(s.arrivals.time)) << seed;
    ASSERT_EQ(r.outcomes.size(), s.arrivals.size()) << seed;
    std::int64_t out = 0;
    for (const RequestOutcome& o : r.outcomes) {
      if (o.outcome != Outcome::kServed) continue;
      ASSERT_LE(o.arrival, o.first) << seed;
      ASSERT_LE(o.first, o.end) << seed;
      out += o.output;
    }
    ASSERT_EQ(out, r.total.tokens_out) << seed;
    ASSERT_EQ(r.ttft.count(), r.total.requests) << seed;
  }
}

TEST(SimulationLawsTest, APartOfTheStreamIsWhatTheWholeSaysOfItsRequests) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomScenario s = testing::random_scenario(seed, seed % 2 == 0);
    sim::RecordedArrivals arrivals(s.arrivals);
    const SimulationResult whole = simulate(s.rules, arrivals, {.keeps_log = true});
    const std::size_t count = s.arrivals.size();
    const CountedTime part{.from = s.arrivals.time[count / 4],
                           .until = s.arrivals.time[3 * count / 4]};
    sim::RecordedArrivals again(s.arrivals);
    const SimulationResult counted = simulate_part(s.rules, again, {}, part);
    std::int64_t requests = 0;
    sim::LatencyHistogram ttft;
    for (const RequestOutcome& o : whole.outcomes) {
      if (!part.has(o.arrival)) continue;
      ++requests;
      if (o.outcome == Outcome::kServed) ttft.add(o.first - o.arrival);
    }
    ASSERT_EQ(counted.requests(), requests) << seed;
    ASSERT_EQ(counted.ttft, ttft) << seed;
    ASSERT_EQ(counted.end, whole.end) << seed;
  }
}

TEST(SimulationLawsTest, WhatIsNotKeptChangesNothingOfTheRest) {
  const MissLimits bounds{.first_token = sim::kSecond,
                          .per_token = 20 * sim::kMillisecond,
                          .most_first = 1'000'000,
                          .most_each = 1'000'000};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomScenario s = testing::random_scenario(seed, seed % 2 == 0);
    const auto run = [&](bool keeps_all) {
      sim::RecordedArrivals arrivals(s.arrivals);
      return simulate(s.rules, arrivals,
                      {.limits = {sim::kSecond, 20 * sim::kMillisecond},
                       .keeps_all = keeps_all,
                       .stops_beyond = bounds});
    };
    const SimulationResult all = run(true);
    const SimulationResult few = run(false);
    ASSERT_EQ(few.ttft, all.ttft) << seed;
    ASSERT_EQ(few.tpot, all.tpot) << seed;
    ASSERT_EQ(few.end, all.end) << seed;
    ASSERT_EQ(few.total.good_requests, all.total.good_requests) << seed;
    ASSERT_EQ(few.first_missed, all.first_missed) << seed;
    ASSERT_EQ(few.each_missed, all.each_missed) << seed;
    ASSERT_EQ(few.paid_replica_seconds, all.paid_replica_seconds) << seed;
    ASSERT_EQ(few.itl.count() + few.e2e.count(), 0) << seed;
    ASSERT_TRUE(few.delivered.empty()) << seed;
  }
}

// A deployment with prompts of up to a million tokens, from next to no load to all at once.
struct LongScenario {
  sim::StepTable table;
  ClusterRules rules;
  sim::PoissonDemand demand;
};

LongScenario long_scenario(std::uint64_t seed) {
  testing::Rng rng(seed);
  LongScenario s;
  GroupRules group;
  group.scheduler.max_seqs = static_cast<int>(testing::pick(rng, 1, 16));
  group.scheduler.token_budget = group.scheduler.max_seqs << testing::pick(rng, 0, 9);
  s.table = testing::random_table(rng, group.scheduler.max_seqs, group.scheduler.token_budget);
  s.table.prefill = {{0, 0, testing::pick(rng, 0, 200'000)}};
  const auto longest = std::int32_t{1} << testing::pick(rng, 4, 20);
  for (std::int64_t i = testing::pick(rng, 1, 3); i > 0; --i)
    s.demand.lengths.push_back({static_cast<std::int32_t>(testing::pick(rng, 1, longest)),
                                static_cast<std::int32_t>(testing::pick(rng, 1, 300))});
  group.scheduler.kv_blocks = (longest + 300) / 16 * testing::pick(rng, 1, 4) + 2;
  group.replicas = static_cast<int>(testing::pick(rng, 1, 3));
  s.rules.groups.push_back(group);
  s.demand.count = testing::pick(rng, 1, 60);
  s.demand.per_second = std::pow(10.0, static_cast<double>(testing::pick(rng, -9, 3)));
  if (testing::one_in(rng, 8)) s.demand.per_second = 0;
  s.demand.seed = seed;
  return s;
}

// How many requests come while there is simulated time.
std::int64_t count_in_time(const sim::PoissonDemand& demand) {
  sim::PoissonArrivals arrivals(demand);
  sim::ArrivalBatch batch;
  arrivals.pull(batch, static_cast<std::size_t>(demand.count));
  return std::count_if(batch.time.begin(), batch.time.end(),
                       [](Ticks time) { return time <= sim::kHorizon; });
}

// Replicas that are paid for, one after the other or by how many there were.
void expect_counted_time(const SimulationResult& result) {
  for (const GroupWork& group : result.groups) {
    double paid = 0;
    double time = 0;
    for (std::size_t count = 0; count < group.seconds_with.size(); ++count) {
      paid += static_cast<double>(count) * group.seconds_with[count];
      time += group.seconds_with[count];
    }
    EXPECT_NEAR(paid, group.paid_replica_seconds, 1e-6 * (1 + group.paid_replica_seconds));
    EXPECT_NEAR(time, sim::seconds_of(result.end).base(), 1e-6 * (1 + time));
  }
}

TEST(SimulationLawsTest, LongPromptsAtAnyRateKeepTheOrderOfTimeAndLoseNoRequest) {
  int cut = 0, whole = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    LongScenario s = long_scenario(seed);
    s.rules.groups.front().steps = &s.table;
    ASSERT_EQ(find_fault(s.rules), "") << seed;
    const auto kind = seed % 4 == 0 ? SimulatorKind::kPlain : SimulatorKind::kSkipAhead;
    sim::PoissonArrivals arrivals(s.demand);
    const SimulationResult r = simulate(s.rules, arrivals, {.keeps_log = true, .engine = kind});
    std::int64_t ended = 0;
    for (const RequestOutcome& o : r.outcomes) {
      if (o.outcome != Outcome::kServed || o.end < 0) continue;
      ++ended;
      ASSERT_LE(0, o.arrival) << seed;
      ASSERT_LE(o.arrival, o.first) << seed;
      ASSERT_LE(o.first, o.end) << seed;
    }
    const std::int64_t came = count_in_time(s.demand);
    ASSERT_EQ(ended, r.total.requests) << seed;
    ASSERT_EQ(r.requests() + r.unfinished, came) << seed;
    ASSERT_EQ(r.is_cut, r.unfinished > 0 || came < s.demand.count) << seed;
    (r.is_cut ? cut : whole) += 1;
    expect_counted_time(r);
  }
  EXPECT_GT(cut, 25);
  EXPECT_GT(whole, 25);
}

TEST(SimulationLawsTest, TheTimeOfManyReplicasIsMoreThanTheClockOfOne) {
  testing::Rng rng(5);
  const sim::StepTable table = testing::random_table(rng, 4, 64);
  ClusterRules rules;
  GroupRules group;
  group.scheduler = {.token_budget = 64, .max_seqs = 4, .kv_blocks = 100};
  group.steps = &table;
  group.replicas = 400;
  rules.groups.push_back(group);
  sim::PoissonArrivals arrivals({{{100, 1000}}, 0.001, 4000, 1});
  const SimulationResult r = simulate(rules, arrivals, {});
  EXPECT_GT(r.groups[0].paid_replica_seconds, 2 * sim::seconds_of(sim::kNever).base());
  EXPECT_GT(r.groups[0].busy, Seconds());
  EXPECT_LT(r.groups[0].busy.base(), r.groups[0].paid_replica_seconds);
}

// Requests that set a flag once so many of them have been handed out.
class FlaggingArrivals : public sim::ArrivalStream {
 public:
  FlaggingArrivals(sim::PoissonDemand demand, std::int64_t last)
      : arrivals_(std::move(demand)), left_(last) {}
  void pull(sim::ArrivalBatch& batch, std::size_t most) override {
    arrivals_.pull(batch, most);
    left_ -= static_cast<std::int64_t>(batch.size());
    if (left_ <= 0) flag = true;
  }
  std::atomic<bool> flag = false;

 private:
  sim::PoissonArrivals arrivals_;
  std::int64_t left_;
};

TEST(SimulationLawsTest, ARunEndsSoonAfterItsStopIsSet) {
  testing::Rng rng(5);
  const sim::StepTable table = testing::random_table(rng, 8, 64);
  ClusterRules rules;
  GroupRules group;
  group.scheduler = {.token_budget = 64, .max_seqs = 8, .kv_blocks = 100};
  group.steps = &table;
  rules.groups.push_back(group);
  for (const auto kind : {SimulatorKind::kSkipAhead, SimulatorKind::kPlain}) {
    for (const double rate : {0.0, 1.0, 100.0}) {
      // All at once is one long call of one replica; otherwise the stream itself is long.
      const sim::PoissonDemand demand{{{100, 5}}, rate, 40'000, 1};
      sim::PoissonArrivals all(demand);
      const SimulationResult whole = simulate(rules, all, {.engine = kind});
      FlaggingArrivals some(demand, 4096);
      const SimulationResult r = simulate(rules, some, {.stop = &some.flag, .engine = kind});
      EXPECT_FALSE(whole.is_cut);
      EXPECT_TRUE(r.is_cut);
      EXPECT_LT(r.requests(), 4096) << rate;
      EXPECT_LE(r.work.events, 2 * sim::StopSignal::kLooks) << rate;
      EXPECT_GT(whole.work.events, 10 * sim::StopSignal::kLooks) << rate;
    }
  }
}

TEST(SimulationLawsTest, ARunThatStopsAtTooManyMissesSaysWhatTheWholeRunSays) {
  int decided = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomScenario s = testing::random_scenario(seed, seed % 2 == 0);
    sim::RecordedArrivals once(s.arrivals);
    const SimulationResult whole = simulate(s.rules, once, {.keeps_log = true});
    MissLimits limits{.first_token = static_cast<Ticks>(whole.ttft.quantile(0.8)),
                      .per_token = static_cast<Ticks>(whole.tpot.quantile(0.7)),
                      .most_first = std::ssize(s.arrivals.time) * static_cast<int>(seed % 5) / 10,
                      .most_each = std::ssize(s.arrivals.time) * static_cast<int>(seed % 7) / 10};
    std::int64_t first = 0;
    std::int64_t each = 0;
    for (const RequestOutcome& o : whole.outcomes) {
      if (o.outcome != Outcome::kServed) continue;
      first += o.first - o.arrival > limits.first_token ? 1 : 0;
      each += o.output > 1 && (o.end - o.first) / (o.output - 1) > limits.per_token ? 1 : 0;
    }
    const bool is_missed =
        first > limits.most_first || each > limits.most_each || whole.turned_away > 0;
    sim::RecordedArrivals again(s.arrivals);
    const SimulationResult cut = simulate(s.rules, again, {.stops_beyond = limits});
    ASSERT_EQ(cut.is_decided, is_missed) << seed;
    if (!is_missed) {
      ASSERT_EQ(cut.ttft, whole.ttft) << seed;
    }
    decided += is_missed ? 1 : 0;
  }
  EXPECT_GT(decided, 100);
  EXPECT_LT(decided, 350);
}

TEST(SimulationLawsTest, BlocksAreNeverNegativeNorMoreThanThereAre) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomScenario s = testing::random_scenario(seed, seed % 2 == 0);
    std::int64_t blocks = 0;
    for (const GroupRules& g : s.rules.groups)
      blocks += g.scheduler.kv_blocks * std::max(g.replicas, g.scaling.max_replicas);
    sim::RecordedArrivals arrivals(s.arrivals);
    const SimulationResult r =
        simulate(s.rules, arrivals, {.sample_interval = 7 * sim::kMillisecond});
    for (const SeriesPoint& p : r.series.points()) {
      ASSERT_GE(p.used_blocks, 0) << seed;
      ASSERT_LE(p.used_blocks, blocks) << seed;
      ASSERT_GE(p.waiting, 0) << seed;
    }
  }
}

// Requests in the system on average = rate of arrivals × time each stays [Little 1961].
TEST(SimulationLawsTest, LittlesLawHolds) {
  testing::Rng rng(5);
  const sim::StepTable table = testing::random_table(rng, 32, 256);
  ClusterRules rules;
  GroupRules group;
  group.scheduler = {.token_budget = 256, .max_seqs = 32, .kv_blocks = 600};
  group.steps = &table;
  group.replicas = 3;
  rules.groups.push_back(group);
  sim::PoissonArrivals arrivals({{{100, 20}, {300, 60}, {20, 5}}, 30.0, 40'000, 1});
  const SimulationResult r = simulate(rules, arrivals, {.sample_interval = 97 * sim::kMillisecond});
  ASSERT_EQ(r.total.requests, 40'000);
  double inside = 0;
  for (const SeriesPoint& p : r.series.points())
    inside += static_cast<double>(p.running + p.waiting);
  inside /= static_cast<double>(r.series.points().size());
  const double rate = 40'000 / static_cast<double>(r.end);
  EXPECT_NEAR(inside, rate * r.e2e.mean(), 0.03 * inside);
}

TEST(SimulationLawsTest, TheEngineDoesNotChangeTheSeries) {
  for (std::uint64_t seed = 2; seed <= 300; seed += 2) {
    const RandomScenario s = testing::random_scenario(seed, true);
    const auto run = [&](SimulatorKind kind) {
      sim::RecordedArrivals arrivals(s.arrivals);
      return simulate(s.rules, arrivals,
                      {.sample_interval = 13 * sim::kMillisecond + 1, .engine = kind});
    };
    const SimulationResult a = run(SimulatorKind::kSkipAhead);
    const SimulationResult b = run(SimulatorKind::kPlain);
    ASSERT_EQ(a.series.points().size(), b.series.points().size()) << seed;
    for (std::size_t i = 0; i < a.series.points().size(); ++i) {
      ASSERT_EQ(a.series.points()[i].running, b.series.points()[i].running) << seed;
      ASSERT_EQ(a.series.points()[i].waiting, b.series.points()[i].waiting) << seed;
      ASSERT_EQ(a.series.points()[i].output_tokens, b.series.points()[i].output_tokens) << seed;
      ASSERT_EQ(a.series.points()[i].replicas, b.series.points()[i].replicas) << seed;
    }
  }
}

TEST(SimulationLawsTest, WatchingADeploymentThatIsGoneEnds) {
  testing::Rng rng(5);
  const sim::StepTable table = testing::random_table(rng, 8, 64);
  GroupRules group;
  group.scheduler = {.token_budget = 64, .max_seqs = 8, .kv_blocks = 100};
  group.steps = &table;
  group.failures = {{0, 0, sim::kNever}};
  ClusterRules rules;
  rules.groups.push_back(group);
  sim::PoissonArrivals arrivals({{{10, 5}}, 1.0, 10, 1});
  const SimulationResult r = simulate(rules, arrivals, {.sample_interval = sim::kSecond});
  EXPECT_EQ(r.turned_away, 10);
}

TEST(SimulationLawsTest, MemoryFollowsTheLiveRequests) {
  testing::Rng rng(5);
  sim::StepTable table = testing::random_table(rng, 32, 256);
  ClusterRules rules;
  GroupRules group;
  group.scheduler = {.token_budget = 256, .max_seqs = 32, .kv_blocks = 600};
  group.steps = &table;
  rules.groups.push_back(group);
  sim::PoissonArrivals arrivals({{{10, 5}}, 1.0, 50'000, 1});
  const SimulationResult r = simulate(rules, arrivals, {});
  EXPECT_EQ(r.total.requests, 50'000);
  EXPECT_LT(r.most_live, 100);
  EXPECT_TRUE(r.outcomes.empty());
}

TEST(SimulationFaultTest, RulesThatContradictEachOtherAreNamed) {
  testing::Rng rng(5);
  const sim::StepTable table = testing::random_table(rng, 8, 64);
  ClusterRules rules;
  EXPECT_EQ(find_fault(rules), "no group of replicas");
  GroupRules group;
  group.scheduler = {.token_budget = 64, .max_seqs = 8, .kv_blocks = 10};
  EXPECT_EQ(find_fault(ClusterRules{.groups = {group}}), "a group has no table of step times");
  group.steps = &table;
  EXPECT_EQ(find_fault(ClusterRules{.groups = {group}}), "");
  group.scheduler.block_tokens = 24;
  EXPECT_EQ(find_fault(ClusterRules{.groups = {group}}),
            "the block size is not a power of two up to 128");
  group.scheduler.block_tokens = 16;
  group.scheduler.token_budget = 7;
  EXPECT_EQ(find_fault(ClusterRules{.groups = {group}}), "the token budget is below max_seqs");
  group.scheduler.token_budget = 65;
  EXPECT_EQ(find_fault(ClusterRules{.groups = {group}}),
            "the token budget lies outside the table of step times");
  group.scheduler.token_budget = 64;
  group.failures = {{0, 3, 0}};
  EXPECT_EQ(find_fault(ClusterRules{.groups = {group}}), "no such replica fails");
}

}  // namespace
}  // namespace loadfactor::serving
