// What must hold in every simulation, whatever its rules.
#include <algorithm>
#include <cmath>
#include <cstdint>
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
