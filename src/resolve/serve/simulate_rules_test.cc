// The rules and the requests of a simulation, as a scenario and its flags say them.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/serve/testing/served.h"

namespace loadfactor::engine {
namespace {

using sim::kSecond;
using testing::notes;
using testing::Scene;
using testing::simulated;
using testing::told;

Scene deployed(const std::string& keys) {
  return {.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 2" +
                        (keys.empty() ? "" : ", " + keys) + "}"};
}

serving::ScalingRules scaling_of(const testing::Simulated& found) {
  return found->rules.groups.back().scaling;
}

TEST(SimulateRulesTest, AGroupIsItsReplicasWithTheirGpus) {
  const auto plain = simulated(deployed(""));
  ASSERT_FALSE(plain.setups.empty()) << render(plain.problems);
  EXPECT_EQ(plain->rules.groups.size(), 1U);
  EXPECT_EQ(plain->rules.groups[0].replicas, 2);
  EXPECT_EQ(plain->rules.groups[0].gpus_per_replica, 1);
  EXPECT_FALSE(plain->scales());
  const auto wide = simulated({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 2, pp: 4, "
                                             "dp: 3, replicas: 2}"});
  EXPECT_EQ(wide->rules.groups[0].replicas, 6);  // Each rank has requests of its own.
  EXPECT_EQ(wide->rules.groups[0].gpus_per_replica, 8);
  EXPECT_GT(wide->front, plain->front);  // A prompt goes through four stages one by one.
  const auto shared = simulated({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 2, cp: 4}"});
  EXPECT_EQ(shared->rules.groups[0].gpus_per_replica, 8);
  EXPECT_EQ(shared->rules.groups[0].replicas, 1);
}

TEST(SimulateRulesTest, AFlagsRouterGoesBeforeTheScenarios) {
  const auto routing = [](const testing::Simulated& found) {
    return found->rules.groups.front().router.routing;
  };
  using serving::Routing;
  EXPECT_EQ(routing(simulated(deployed(""))), Routing::kLeastLoaded);
  EXPECT_EQ(routing(simulated(deployed("router: round-robin"))), Routing::kRoundRobin);
  SimulateInputs flag;
  flag.router = "least-loaded";
  EXPECT_EQ(routing(simulated(deployed("router: round-robin"), flag)), Routing::kLeastLoaded);
  flag.router = "of-nobody";
  EXPECT_EQ(simulated(deployed(""), flag).code(), lf::kUnknownRouter);
  EXPECT_EQ(simulated(deployed("router: of-nobody")).code(), lf::kUnknownRouter);
  const auto sessions = simulated(deployed("router: session"));
  EXPECT_EQ(told(*sessions, "idle-router", "no_sessions"), "");
  const auto aware = simulated(deployed("router: cache-aware"));
  EXPECT_EQ(told(*aware, "idle-router", "no_prefixes"), "");
  const auto useful = simulated(deployed("router: cache-aware, prefix_hits: 50 %"));
  EXPECT_FALSE(notes(*useful, "idle-router"));
}

TEST(SimulateRulesTest, ScalingToATargetIsAsWritten) {
  const auto found =
      simulated(deployed("scaling: {most: 8, target: 20, interval: 30 s, "
                         "seen_after: 5 s, cooldown: 90 s, start: 40 s}"));
  const auto scaling = scaling_of(found);
  EXPECT_EQ(scaling.scaling, serving::Scaling::kTarget);
  EXPECT_EQ(scaling.min_replicas, 1);
  EXPECT_EQ(scaling.max_replicas, 8);
  EXPECT_EQ(scaling.target_load, 20);
  EXPECT_EQ(scaling.interval, 30 * kSecond);
  EXPECT_EQ(scaling.scrape_delay, 5 * kSecond);
  EXPECT_EQ(scaling.cooldown, 90 * kSecond);
  EXPECT_EQ(scaling.start_time, 40 * kSecond);
  EXPECT_TRUE(found->scales());
  EXPECT_EQ(scaling_of(simulated(deployed("scaling: {most: 8}"))).start_time, 180 * kSecond);
  EXPECT_EQ(
      scaling_of(simulated(deployed("scaling: {most: 8, provision: 60 s, load: 35 s}"))).start_time,
      95 * kSecond);
  EXPECT_EQ(scaling_of(simulated(deployed("scaling: {most: 8, load: 35 s}"))).start_time,
            35 * kSecond);
}

TEST(SimulateRulesTest, ScalingWithinABandIsAsWritten) {
  const auto scaling =
      scaling_of(simulated(deployed("scaling: {least: 2, most: 8, above: 30, below: 6}")));
  EXPECT_EQ(scaling.scaling, serving::Scaling::kThreshold);
  EXPECT_EQ(scaling.scale_up_load, 30);
  EXPECT_EQ(scaling.scale_down_load, 6);
  EXPECT_EQ(scaling.min_replicas, 2);
}

// A replica of four ranks is four to the simulator, each with a quarter of its requests.
TEST(SimulateRulesTest, ScalingCountsRanksWhereScenariosCountReplicas) {
  const auto found = simulated({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, dp: 4, "
                                              "scaling: {least: 1, most: 3, target: 42}}"});
  const auto scaling = scaling_of(found);
  EXPECT_EQ(scaling.min_replicas, 4);
  EXPECT_EQ(scaling.max_replicas, 12);
  EXPECT_EQ(scaling.target_load, 10);
  EXPECT_EQ(told(*found, "scaled-ranks", "ranks"), "4");
  EXPECT_FALSE(notes(*simulated(deployed("scaling: {most: 8}")), "scaled-ranks"));
  const auto few = simulated({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, dp: 4, "
                                            "scaling: {least: 1, most: 3, target: 2}}"});
  EXPECT_EQ(scaling_of(few).target_load, 1);
}

TEST(SimulateRulesTest, FlagsScaleFromTheReplicasThereAre) {
  SimulateInputs flag;
  flag.most_replicas = 5;
  flag.start_time = Seconds::from_base(20);
  const auto scaling = scaling_of(simulated(deployed(""), flag));
  EXPECT_EQ(scaling.scaling, serving::Scaling::kTarget);
  EXPECT_EQ(scaling.min_replicas, 2);
  EXPECT_EQ(scaling.max_replicas, 5);
  EXPECT_EQ(scaling.target_load, 32);
  EXPECT_EQ(scaling.start_time, 20 * kSecond);
  flag.target_load = 7;
  flag.most_replicas = 1;
  const auto low = scaling_of(simulated(deployed(""), flag));
  EXPECT_EQ(low.target_load, 7);
  EXPECT_EQ(low.min_replicas, 1);
}

TEST(SimulateRulesTest, PatienceIsOfTheFlagElseOfTheScenario) {
  const auto written = simulated(deployed("timeout: 60 s, first_token_timeout: 5 s"));
  EXPECT_EQ(written->rules.groups[0].total_timeout, 60 * kSecond);
  EXPECT_EQ(written->rules.groups[0].first_token_timeout, 5 * kSecond);
  SimulateInputs flag;
  flag.timeout = Seconds::from_base(30);
  flag.first_token_timeout = Seconds::from_base(3);
  const auto flagged = simulated(deployed("timeout: 60 s, first_token_timeout: 5 s"), flag);
  EXPECT_EQ(flagged->rules.groups[0].total_timeout, 30 * kSecond);
  EXPECT_EQ(flagged->rules.groups[0].first_token_timeout, 3 * kSecond);
  EXPECT_EQ(simulated(deployed(""))->rules.groups[0].total_timeout, sim::kNever);
}

TEST(SimulateRulesTest, ASchedulerHasTheBatchTheCacheAndTheRulesOfItsPool) {
  const auto found = simulated(deployed("max_seqs: 100, chunk: 512, max_waiting: 9"));
  const auto& scheduler = found->pools.front()->scheduler;
  EXPECT_EQ(scheduler.max_seqs, 100);
  EXPECT_EQ(scheduler.token_budget, 512);
  EXPECT_EQ(scheduler.max_waiting, 9);
  EXPECT_EQ(scheduler.max_context, found->model->context);
  EXPECT_FALSE(scheduler.has_prefix_cache);
  EXPECT_FALSE(scheduler.has_priorities);
  EXPECT_EQ(scheduler.preemption, serving::Preemption::kRecompute);
  const auto& pool = *found->pools.front();
  EXPECT_EQ(scheduler.kv_blocks, static_cast<std::int64_t>(pool.room) / scheduler.block_tokens);
  SimulateInputs measured;
  measured.kv_tokens = 64'000;
  measured.max_waiting = 4;
  const auto stated = simulated(deployed("urgent: 10 %, prefix_hits: 20 %"), measured);
  EXPECT_EQ(stated->pools.front()->kv_tokens, 64'000);
  EXPECT_EQ(stated->pools.front()->scheduler.kv_blocks,
            64'000 / stated->pools.front()->scheduler.block_tokens);
  EXPECT_EQ(stated->pools.front()->scheduler.max_waiting, 4);
  EXPECT_TRUE(stated->pools.front()->scheduler.has_priorities);
  EXPECT_TRUE(stated->pools.front()->scheduler.has_prefix_cache);
  const auto bounded = simulated(deployed("max_seqs: 4000, chunk: 8192"));
  EXPECT_EQ(bounded->pools.front()->scheduler.max_seqs, 2048);
  EXPECT_EQ(told(*bounded, "bounded", "used"), "2,048");
  EXPECT_FALSE(notes(*found, "bounded"));
}

// 8 KV heads of 128 in 32 layers, keys and values, in two bytes: 131,072 bytes a token.
TEST(SimulateRulesTest, SwappingTakesHostMemoryInBlocks) {
  const auto swapped = simulated(deployed("preemption: swap, swap_space: 10 GB"));
  const auto& scheduler = swapped->pools.front()->scheduler;
  EXPECT_EQ(scheduler.preemption, serving::Preemption::kSwap);
  EXPECT_EQ(scheduler.host_blocks,
            static_cast<std::int64_t>(10e9 / (131072.0 * scheduler.block_tokens)));
  const auto unsaid = simulated(deployed("preemption: swap"));
  EXPECT_EQ(unsaid->pools.front()->scheduler.host_blocks,
            unsaid->pools.front()->scheduler.kv_blocks);
  const auto again = simulated(deployed("preemption: recompute"));
  EXPECT_EQ(again->pools.front()->scheduler.preemption, serving::Preemption::kRecompute);
}

const char* const kSplit =
    "{gpu: h100-sxm, engine: vllm, prefill: {tp: 1, replicas: 2}, decode: {tp: 1, replicas: 3}";

TEST(SimulateRulesTest, PromptsAndAnswersApartMoveTheirCacheOverLinks) {
  const auto plain = simulated({.deployment = std::string(kSplit) + "}"});
  ASSERT_FALSE(plain.setups.empty()) << render(plain.problems);
  ASSERT_EQ(plain->rules.groups.size(), 2U);
  EXPECT_EQ(plain->rules.groups[0].replicas, 2);
  EXPECT_EQ(plain->rules.groups[1].replicas, 3);
  EXPECT_EQ(plain->rules.groups[0].decode_group, 1);
  const double block = 131072.0 * plain->pools.front()->scheduler.block_tokens;
  const auto& usual = *plain->rules.groups[0].transfer;
  const double per_gigabyte = plain->constants[serving::Constant::kTransfer];
  EXPECT_NEAR(static_cast<double>(usual.per_block_replica_link), block / 1e9 * per_gigabyte * 1e12,
              1);
  const auto written =
      simulated({.deployment = std::string(kSplit) +
                               ", transfer: {link: 50 GB/s, shared: 400 GB/s, latency: 20 us}}"});
  const auto& transfer = *written->rules.groups[0].transfer;
  EXPECT_NEAR(static_cast<double>(transfer.per_block_replica_link), block / 50e9 * 1e12, 1);
  EXPECT_NEAR(static_cast<double>(transfer.per_block_shared_link), block / 400e9 * 1e12, 1);
  EXPECT_EQ(transfer.latency, kSecond / 50'000);
  EXPECT_FALSE(notes(*plain, "scaled-pool"));
  SimulateInputs flag;
  flag.most_replicas = 5;
  EXPECT_TRUE(notes(*simulated({.deployment = std::string(kSplit) + "}"}, flag), "scaled-pool"));
}

TEST(SimulateRulesTest, AReplicaThatFailsFailsWithAllItsRanks) {
  auto found = simulated({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, dp: 2, replicas: 3, "
                                        "failures: [{at: 100 s, repair: 50 s, replica: 2}]}"});
  ASSERT_FALSE(found.setups.empty()) << render(found.problems);
  Diagnostics problems;
  ASSERT_TRUE(add_simulated_failures(*found, problems));
  const auto& failures = found->rules.groups.back().failures;
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].replica, 2);
  EXPECT_EQ(failures[1].replica, 3);
  EXPECT_EQ(failures[0].time, 100 * kSecond);
  EXPECT_EQ(failures[0].repair, 50 * kSecond);
  auto beyond = simulated(deployed("failures: [{at: 1 s, repair: 1 s, replica: 3}]"));
  EXPECT_FALSE(add_simulated_failures(*beyond, problems));
  EXPECT_EQ(problems.errors()[0].code, lf::kUnsoundRules);
  auto last = simulated(deployed("failures: [{at: 1 s, repair: 1 s, replica: 2}]"));
  Diagnostics none;
  EXPECT_TRUE(add_simulated_failures(*last, none));
}

TEST(SimulateRulesTest, BoundsOfTheSloAreLimitsInTicks) {
  const auto found = [] {
    auto scene = deployed("");
    scene.slo = "{ttft_p90: 1 s, ttft_p95: 2 s, tpot_p95: 40 ms, e2e_p95: 20 s}";
    return simulated(scene);
  }();
  EXPECT_EQ(found->limits.first_token, 2 * kSecond);  // The highest percentile.
  EXPECT_EQ(found->limits.per_token, kSecond / 25);
  EXPECT_EQ(found->limits.whole, 20 * kSecond);
}

TEST(SimulateRulesTest, AnEngineOfWholeBatchesIsNotSimulated) {
  EXPECT_EQ(simulated({.deployment = "{gpu: h100-sxm, engine: transformers, tp: 1}"}).code(),
            lf::kUnsoundRules);
}

TEST(SimulateRulesTest, ModelsOnOnePoolHaveOneKindOfGpuAndSeedsOfTheirOwn) {
  const std::string other =
      "  others:\n    - model: llama-3.2-1b\n      demand: {requests_per_second: 1, tokens_in: "
      "100, tokens_out: 10}\n      deployment: {engine: vllm, tp: 1, gpu: ";
  auto scene = deployed("");
  scene.beside = other + "h100-sxm}\n";
  const auto two = simulated(scene);
  ASSERT_EQ(two.setups.size(), 2U) << render(two.problems);
  EXPECT_EQ(two.setups[0]->seed, 1U);
  EXPECT_EQ(two.setups[1]->seed, 2U);
  EXPECT_EQ(two.setups[1]->model->name, "llama-3.2-1b");
  scene.beside = other + "l40s}\n";
  EXPECT_EQ(simulated(scene).code(), lf::kContradictoryKeys);
}

TEST(SimulateRulesTest, APaceIsSaidWithItsRun) {
  SimulateInputs request;
  request.pace = 1.25;
  request.pace_source = "bench.json";
  const auto found = simulated(deployed(""), request);
  EXPECT_EQ(told(*found, "anchored", "factor"), "1.250");
  EXPECT_FALSE(notes(*simulated(deployed("")), "anchored"));
}

}  // namespace
}  // namespace loadfactor::engine
