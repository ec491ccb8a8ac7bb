// Where requests go and what ends their stay, on steps whose times are counted in the head: a
// prompt takes a millisecond for each token, and a step of answers ten.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "serving/simulator/simulation.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {
namespace {

constexpr Ticks kMs = sim::kMillisecond;
constexpr int kSequences = 8;
constexpr int kTokens = 2048;

sim::StepTable plain_steps() {
  sim::StepTable table;
  table.max_seqs = kSequences;
  table.max_tokens = kTokens;
  table.decode_base.assign(kSequences + 1, 10 * kMs);
  for (int tokens = 0; tokens <= kTokens; ++tokens) table.mixed_base.push_back(tokens * kMs);
  table.sequence_base.assign(kSequences + 1, 0);
  for (std::uint32_t row = 0; row < kSequences + 2; ++row) table.attention_row.push_back(row);
  table.attention.assign(kSequences + 1, {});
  table.prefill.assign(1, {});
  return table;
}

struct Asked {
  Ticks at = 0;
  int in = 64;
  int out = 3;
  std::int64_t session = 0;
  std::vector<std::uint64_t> blocks = {};
  Ticks patience = sim::kNever;
};

class RoutingTest : public ::testing::Test {
 protected:
  RoutingTest() : steps_(plain_steps()) { add_group(3); }

  GroupRules& add_group(int replicas) {
    GroupRules& group = rules_.groups.emplace_back();
    group.steps = &steps_;
    group.replicas = replicas;
    group.scheduler = {.token_budget = kTokens, .max_seqs = kSequences, .kv_blocks = 4000};
    return group;
  }
  GroupRules& first() { return rules_.groups.front(); }

  std::vector<RequestOutcome> run(const std::vector<Asked>& requests) {
    sim::ArrivalBatch batch;
    for (const Asked& one : requests) {
      batch.time.push_back(one.at);
      batch.tokens_in.push_back(one.in);
      batch.tokens_out.push_back(one.out);
      batch.session.push_back(one.session);
      batch.patience.push_back(one.patience);
      batch.prefix_blocks.insert(batch.prefix_blocks.end(), one.blocks.begin(), one.blocks.end());
      batch.prefix_end.push_back(static_cast<std::uint32_t>(batch.prefix_blocks.size()));
    }
    EXPECT_EQ(find_fault(rules_), "");
    sim::RecordedArrivals stream(batch);
    SimulationOptions options;
    options.keeps_log = true;
    auto result = simulate(rules_, stream, options);
    EXPECT_EQ(result.outcomes.size(), requests.size());
    return result.outcomes;
  }
  std::vector<int> places(const std::vector<Asked>& requests) {
    std::vector<int> result;
    for (const auto& outcome : run(requests)) result.push_back(outcome.replica);
    return result;
  }

  sim::StepTable steps_;
  ClusterRules rules_;
};

TEST_F(RoutingTest, OneRequestTakesItsPromptAndAStepForEachFurtherToken) {
  const auto outcome = run({{.at = 5 * kMs, .in = 64, .out = 3}}).at(0);
  EXPECT_EQ(outcome.first, (5 + 64) * kMs);
  EXPECT_EQ(outcome.end, (5 + 64 + 20) * kMs);
  EXPECT_EQ(outcome.outcome, Outcome::kServed);
}

TEST_F(RoutingTest, TurnsAreTakenInARound) {
  first().router.routing = Routing::kRoundRobin;
  const auto found = places({{.at = 1}, {.at = 2}, {.at = 3}, {.at = 4}, {.at = 5}, {.at = 6}});
  EXPECT_EQ(std::set<int>(found.begin(), found.begin() + 3).size(), 3U);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(found[i], (found[i - 1] + 1) % 3);
}

TEST_F(RoutingTest, TheLeastLoadedIsTheFirstOfThoseWithTheFewestRequests) {
  // The first is long; two go elsewhere, are done, and the next finds the second replica empty.
  const auto found = places(
      {{.at = 0, .out = 900}, {.at = 1}, {.at = 2}, {.at = 2000 * kMs}, {.at = 2000 * kMs + 1}});
  EXPECT_EQ(found, (std::vector<int>{0, 1, 2, 1, 2}));
}

TEST_F(RoutingTest, ASessionStaysWhereItIsAndSessionsSpread) {
  first().router.routing = Routing::kSessionAffinity;
  std::vector<Asked> requests;
  for (int i = 0; i < 300; ++i) requests.push_back({.at = i * 500 * kMs, .session = 1 + i % 60});
  const auto found = places(requests);
  int of_replica[3] = {};
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(found[i], found[i % 60]);
    ++of_replica[found[i]];
  }
  for (const int count : of_replica) EXPECT_GT(count, 40);  // 100 each on average.
  // Without a session, the least loaded.
  EXPECT_EQ(places({{.at = 0, .out = 900}, {.at = 1}}), (std::vector<int>{0, 1}));
}

// Four blocks of sixteen tokens. The second request loads the replica that knows three of the
// third's: 4 - 3 + weight against 4.
TEST_F(RoutingTest, TheCacheIsWeighedAgainstTheLoad) {
  first().router.routing = Routing::kCacheAware;
  first().scheduler.has_prefix_cache = true;
  const std::vector<Asked> requests = {
      {.at = 0, .in = 65, .out = 2, .blocks = {1, 2, 3, 4}},
      {.at = 10'000 * kMs, .in = 65, .out = 500, .blocks = {7, 8, 9, 10}},
      {.at = 10'100 * kMs, .in = 65, .out = 2, .blocks = {1, 2, 3, 11}}};
  first().router.load_weight = 2;
  EXPECT_EQ(places(requests), (std::vector<int>{0, 0, 0}));
  first().router.load_weight = 4;
  EXPECT_EQ(places(requests), (std::vector<int>{0, 0, 1}));
  first().router.load_weight = 3;  // Equal: the first.
  EXPECT_EQ(places(requests), (std::vector<int>{0, 0, 0}));
}

// Time is up at 103 ms; the step that runs then began at 97 and is not broken off.
TEST_F(RoutingTest, AWholeRequestIsCancelledAfterTheStepInWhichItsTimeIsUp) {
  first().total_timeout = 100 * kMs;
  const auto found = run({{.at = 3 * kMs, .in = 64, .out = 100}, {.at = 4 * kMs, .out = 3}});
  EXPECT_EQ(found[0].outcome, Outcome::kCancelled);
  EXPECT_EQ(found[0].end, (3 + 64 + 4 * 10) * kMs);
  EXPECT_EQ(found[1].outcome, Outcome::kServed);
}

TEST_F(RoutingTest, AFirstTokenThatHasComeIsNotLate) {
  first().first_token_timeout = 100 * kMs;
  const auto found = run({{.at = 0, .in = 64, .out = 100}, {.at = 1, .in = 200, .out = 2}});
  EXPECT_EQ(found[0].outcome, Outcome::kServed);
  EXPECT_EQ(found[1].outcome, Outcome::kCancelled);
  EXPECT_EQ(found[1].end, 1 + 200 * kMs);  // With its prompt, on a replica of its own.
}

TEST_F(RoutingTest, WhoeverIsLessPatientLeavesSooner) {
  rules_.clients_leave = true;
  first().total_timeout = 500 * kMs;
  const auto found = run({{.at = 0, .out = 200, .patience = 80 * kMs},
                          {.at = 0, .out = 200, .patience = 900 * kMs},
                          {.at = 0, .out = 200}});
  // Prompts take 64 ms; the first step that ends when patience has, or the time that all have.
  EXPECT_EQ(found[0].end, (64 + 2 * 10) * kMs);
  EXPECT_EQ(found[1].end, (64 + 44 * 10) * kMs);
  EXPECT_EQ(found[2].end, (64 + 44 * 10) * kMs);
}

// 64 tokens are four blocks of sixteen, 65 are five: 5 ms each and 3 ms before they are there.
TEST_F(RoutingTest, BlocksOfPromptsTravelToWhereAnswersAreWritten) {
  first().replicas = 1;
  first().decode_group = 1;
  add_group(1);
  rules_.transfer = {.latency = 3 * kMs, .per_block_replica_link = 5 * kMs};
  const auto even = run({{.in = 64, .out = 3}}).at(0);
  EXPECT_EQ(even.first, 64 * kMs);
  EXPECT_EQ(even.end, (64 + 4 * 5 + 3 + 2 * 10) * kMs);
  const auto odd = run({{.in = 65, .out = 3}}).at(0);
  EXPECT_EQ(odd.end, (65 + 5 * 5 + 3 + 2 * 10) * kMs);
  // A link of the group goes before that of the cluster.
  rules_.groups.front().transfer = TransferRules{.latency = 1 * kMs};
  EXPECT_EQ(run({{.in = 64, .out = 3}}).at(0).end, (64 + 1 + 20) * kMs);
}

TEST_F(RoutingTest, TimeThatIsUpOnTheWayEndsTheWay) {
  first().replicas = 1;
  first().decode_group = 1;
  first().total_timeout = 70 * kMs;
  add_group(1);
  rules_.transfer = {.latency = 50 * kMs};
  const auto found = run({{.in = 64, .out = 3}, {.at = 1000 * kMs, .in = 10, .out = 1}});
  EXPECT_EQ(found[0].outcome, Outcome::kCancelled);
  EXPECT_EQ(found[0].end, 70 * kMs);
  EXPECT_EQ(found[1].outcome, Outcome::kServed);
}

TEST_F(RoutingTest, WhatNoReplicaHoldsIsTurnedAway) {
  first().scheduler.max_context = 100;
  const auto found = run({{.in = 64, .out = 36}, {.at = 1, .in = 64, .out = 37}});
  EXPECT_EQ(found[0].outcome, Outcome::kServed);
  EXPECT_EQ(found[1].outcome, Outcome::kTurnedAway);
}

}  // namespace
}  // namespace loadfactor::serving
