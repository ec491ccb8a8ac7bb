// What labels make of series: GPUs and their parts, copies of a model, clusters.
#include "observe/cluster.h"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "observe/account.h"

namespace loadfactor::observe {
namespace {

constexpr double kFrom = 1762732800;
constexpr int kMinutes = 60;

Cluster hour() {
  return Cluster(Grid{kFrom, kFrom + 3600, 60});
}

void add(Cluster& cluster, const std::string& metric, const Labels& labels, double value) {
  const int series = cluster.series(metric, labels);
  for (int i = 0; i < kMinutes && series >= 0; ++i) cluster.sample(series, kFrom + 60 * i, value);
}
void count(Cluster& cluster, const std::string& metric, const Labels& labels, double rate) {
  const int series = cluster.series(metric, labels);
  for (int i = 0; i <= kMinutes && series >= 0; ++i)
    cluster.sample(series, kFrom + 60 * i, rate * 60 * i);
}
Account account_of(const Cluster& cluster) {
  return make_account(cluster, [](const ReplicaTrack&) { return std::optional<double>(); }, {});
}

// An MI300X in CPX mode is told as eight GPUs; one in QPX mode, of which one part is seen.
TEST(Cluster, PartitionsOfACardAreNoWholeGpus) {
  for (const bool has_serial : {true, false}) {
    auto cluster = hour();
    for (int i = 0; i < 8; ++i) {
      Labels labels{{"gpu_id", std::to_string(i)},
                    {"hostname", "n1"},
                    {"gpu_uuid", fmt::format("u{}", i)},
                    {"gpu_partition_id", std::to_string(i)},
                    {"gpu_compute_partition_type", "CPX"}};
      if (has_serial) labels.push_back({"serial_number", "s1"});
      add(cluster, "gpu_gfx_activity", labels, i < 4 ? 100 : 0);
    }
    add(cluster, "GPU_GFX_ACTIVITY",
        {{"gpu_id", "8"},
         {"hostname", "n1"},
         {"gpu_partition_id", "0"},
         {"gpu_compute_partition_type", "qpx"}},
        100);
    add(cluster, "amd_gpu_gfx_activity",
        {{"gpu_id", "12"},
         {"hostname", "n1"},
         {"gpu_partition_id", "0"},
         {"gpu_compute_partition_type", "spx"}},
        100);
    cluster.finish();
    EXPECT_EQ(cluster.whole_gpus(), 3);
    EXPECT_EQ(cluster.gpus()[2].weight, 1.0 / 8);
    const Account account = account_of(cluster);
    EXPECT_NEAR(account.all.total(), 3 * 3600, 1);
    EXPECT_NEAR(account.all.of(Loss::kLoad) / account.all.total(), (0.5 + 0.25 + 1) / 3, 1e-3);
  }
}

TEST(Cluster, OfTheClocksOfACardThatOfItsCoresCounts) {
  auto cluster = hour();
  const auto labels = [](const char* kind) {
    return Labels{{"gpu_id", "0"}, {"hostname", "n1"}, {"clock_type", kind}};
  };
  add(cluster, "gpu_clock", labels("GPU_CLOCK_TYPE_SYSTEM"), 1600);
  add(cluster, "gpu_clock", labels("GPU_CLOCK_TYPE_MEMORY"), 900);
  cluster.finish();
  EXPECT_EQ(cluster.gpus().front().clock[30], 100);
}

// Two pods are named at the same time for all of an hour, with and without numbered slices; the
// third follows the first on a GPU of their own.
TEST(Cluster, PodsThatShareAGpuEachHoldTheirPart) {
  for (const char* slice : {"", "::1"}) {
    auto cluster = hour();
    const auto labels = [&](const std::string& uuid, const char* pod) {
      return Labels{{"UUID", uuid}, {"Hostname", "n1"}, {"namespace", "lab"}, {"pod", pod}};
    };
    add(cluster, "DCGM_FI_DEV_GPU_UTIL", labels("GPU-1", "a-0"), 50);
    add(cluster, "DCGM_FI_DEV_GPU_UTIL", labels(std::string("GPU-1") + slice, "b-0"), 50);
    const int first = cluster.series("DCGM_FI_DEV_GPU_UTIL", labels("GPU-2", "a-0"));
    const int then = cluster.series("DCGM_FI_DEV_GPU_UTIL", labels("GPU-2", "c-0"));
    for (int i = 0; i <= 30; ++i) cluster.sample(first, kFrom + 60 * i, 100);
    for (int i = 30; i < 60; ++i) cluster.sample(then, kFrom + 60 * i, 100);
    cluster.finish();
    EXPECT_EQ(cluster.whole_gpus(), 2);
    const Account account = account_of(cluster);
    EXPECT_NEAR(account.all.total(), 2 * 3600, 1);
    std::map<std::string, double> held;
    for (const WorkloadUse& use : account.uses) held[use.name] = use.use.total() / 3600;
    EXPECT_NEAR(held["a"], 1, 0.02);
    EXPECT_NEAR(held["b"], 0.5, 0.02);
    EXPECT_NEAR(held["c"], 0.5, 0.02);
  }
}

TEST(Cluster, RanksOfOneCopyRepeatEachOtherAndCopiesDoNot) {
  auto cluster = hour();
  for (int copy = 0; copy < 2; ++copy)
    for (int rank = 0; rank < 4; ++rank) {
      const Labels labels{{"instance", "h1:8000"},
                          {"model_name", "m"},
                          {"dp_rank", std::to_string(copy)},
                          {"tp_rank", std::to_string(rank)}};
      add(cluster, "sglang:num_running_reqs", labels, 10 + copy);
      add(cluster, "sglang:token_usage", labels, 0.4);
      count(cluster, "sglang:generation_tokens_total", labels, 100);
    }
  cluster.finish();
  ASSERT_EQ(cluster.replicas().size(), 2U);
  for (const ReplicaTrack& replica : cluster.replicas()) {
    EXPECT_EQ(replica.running[30], replica.copy == "0" ? 10 : 11);
    EXPECT_FLOAT_EQ(replica.cache[30], 0.4F);
    EXPECT_NEAR(replica.counts.tokens_out, 100 * 3600, 1);
  }
}

// SGLang counts tokens where requests come in, before they are given to a copy.
TEST(Cluster, WhatAProcessCountsForAllOfItsCopiesIsOfAllAlike) {
  auto cluster = hour();
  for (int copy = 0; copy < 4; ++copy)
    add(cluster, "sglang:num_running_reqs",
        {{"instance", "h1:8000"}, {"model_name", "m"}, {"dp_rank", std::to_string(copy)}}, copy);
  count(cluster, "sglang:generation_tokens_total", {{"instance", "h1:8000"}, {"model_name", "m"}},
        100);
  cluster.finish();
  ASSERT_EQ(cluster.replicas().size(), 4U);
  for (const ReplicaTrack& replica : cluster.replicas()) {
    EXPECT_EQ(std::to_string(static_cast<int>(replica.running[30])), replica.copy);
    EXPECT_NEAR(replica.counts.tokens_out, 25 * 3600, 1);
  }
}

// Ranks that divide the attention of one copy: each has its own of both numbers.
TEST(Cluster, RanksThatDivideAttentionShareACopy) {
  auto cluster = hour();
  for (int rank = 0; rank < 8; ++rank)
    add(cluster, "sglang:num_running_reqs",
        {{"instance", "h1:8000"},
         {"dp_rank", std::to_string(rank)},
         {"tp_rank", std::to_string(rank)}},
        3);
  cluster.finish();
  EXPECT_EQ(cluster.replicas().front().running[30], 24);
  EXPECT_EQ(cluster.replicas().size(), 1U);
}

TEST(Cluster, RequestsThatAreNotCountedFollowFromWhatComesAsOften) {
  const Labels labels{{"instance", "h1:8000"}, {"model_name", "m"}};
  for (const bool has_both : {false, true}) {
    auto cluster = hour();
    count(cluster, "sglang:e2e_request_latency_seconds_count", labels, 2);
    if (has_both) count(cluster, "sglang:num_requests_total", labels, 3);
    cluster.finish();
    EXPECT_TRUE(cluster.replicas().front().has_requests);
    EXPECT_NEAR(cluster.replicas().front().counts.requests, (has_both ? 3 : 2) * 3600, 1);
  }
  auto cluster = hour();
  count(cluster, "sglang:generation_tokens_total", labels, 2);
  cluster.finish();
  EXPECT_FALSE(cluster.replicas().front().has_requests);
}

JobRecord job_of(const std::string& cluster, const std::string& account) {
  JobRecord job;
  job.cluster = cluster;
  job.id = "7";
  job.name = "train";
  job.account = account;
  job.start = kFrom;
  job.end = kFrom + 3600;
  job.nodes = {"n1"};
  job.gpus = 1;
  return job;
}

TEST(Cluster, WhatIsCalledAlikeInTwoClustersStaysApart) {
  auto cluster = hour();
  for (const char* name : {"east", "west"})
    add(cluster, "DCGM_FI_DEV_GPU_UTIL", {{"gpu", "0"}, {"Hostname", "n1.site"}, {"cluster", name}},
        name == std::string("east") ? 100 : 20);
  JobRecord failed = job_of("west", "lab");
  failed.end_state = JobEnd::kFailed;
  cluster.add_jobs({job_of("east", "lab"), failed});
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 2U);
  std::map<std::string, WorkloadUse> uses;
  for (const WorkloadUse& use : account_of(cluster).uses) uses[use.team] = use;
  EXPECT_NEAR(uses["east/lab"].use[Cause::kLoad], 3600, 60);
  EXPECT_NEAR(uses["west/lab"].use[Cause::kFailed], 0.2 * 3600, 60);
  EXPECT_TRUE(cluster.ambiguous_hosts().empty());
}

TEST(Cluster, OneClusterIsOneWhoeverNamesIt) {
  auto cluster = hour();
  add(cluster, "DCGM_FI_DEV_GPU_UTIL", {{"gpu", "0"}, {"Hostname", "n1"}, {"cluster", "prod"}},
      100);
  cluster.add_jobs({job_of("hpc", "lab")});
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 1U);
  EXPECT_EQ(cluster.gpus().front().node, "n1");
  EXPECT_TRUE(cluster.gpus().front().is_ever_held());
}

TEST(Cluster, AJobThatMayBeOfEitherClusterIsSaid) {
  auto cluster = hour();
  for (const char* name : {"east", "west"})
    add(cluster, "DCGM_FI_DEV_GPU_UTIL", {{"gpu", "0"}, {"Hostname", "n1"}, {"cluster", name}},
        100);
  cluster.add_jobs({job_of("", "lab")});
  cluster.finish();
  EXPECT_EQ(cluster.ambiguous_hosts().size(), 1U);
  EXPECT_EQ(cluster.gpus().size(), 2U);
}

TEST(Cluster, ANodeThatMayBeOfEitherClusterIsNoThirdOne) {
  auto cluster = hour();
  cluster.add_jobs({job_of("east", "lab"), job_of("west", "lab")});
  cluster.add_nodes({{.name = "n1", .gpus = 1}});
  cluster.finish();
  EXPECT_EQ(cluster.gpus().size(), 2U);
  EXPECT_EQ(cluster.ambiguous_hosts().size(), 1U);
}

TEST(Cluster, PodsOfTwoClustersAreServedApart) {
  auto cluster = hour();
  for (const char* name : {"east", "west"}) {
    const Labels pod{{"namespace", "chat"}, {"pod", "llm-0"}, {"cluster", name}};
    Labels gpu = pod;
    gpu.push_back({"UUID", std::string("GPU-") + name});
    add(cluster, "DCGM_FI_DEV_GPU_UTIL", gpu, 50);
    count(cluster, "vllm:generation_tokens_total", pod, 10);
  }
  cluster.finish();
  ASSERT_EQ(cluster.replicas().size(), 2U);
  EXPECT_NE(cluster.replicas()[0].owner, cluster.replicas()[1].owner);
  EXPECT_EQ(cluster.replicas()[0].team, "east/chat");
  EXPECT_NEAR(cluster.replicas()[0].counts.tokens_out, 36000, 1);
}

}  // namespace
}  // namespace loadfactor::observe
