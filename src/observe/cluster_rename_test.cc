// A GPU is one by its UUID, whatever metrics call its cluster, its host and its exporter.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "observe/account.h"
#include "observe/testing/made_cluster.h"

namespace loadfactor::observe {
namespace {

using testing::hours;
using testing::kFrom;
using testing::kHourSeconds;
using testing::kUnknown;

struct Told {
  std::string uuid;
  std::string cluster;
  std::string node = "n1";
  std::string instance = "10.0.0.1:9400";
  std::string pod = "train-0";
};

Labels labels_of(const Told& told) {
  return {{"UUID", told.uuid},       {"Hostname", told.node}, {"instance", told.instance},
          {"cluster", told.cluster}, {"modelName", "H100"},   {"namespace", "lab"},
          {"pod", told.pod}};
}

void tell(Cluster& cluster, const Told& told, double from, double to, double tensor = 0.4) {
  const int series = cluster.series("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", labels_of(told));
  for (double t = kFrom + from * kHourSeconds; t < kFrom + to * kHourSeconds; t += 60)
    cluster.sample(series, t, tensor);
}

std::map<std::string, double> hours_by_team(const Cluster& cluster) {
  std::map<std::string, double> hours;
  for (const WorkloadUse& use : make_account(cluster, kUnknown, {}).uses)
    hours[use.team + "/" + use.name] += use.use.total() / kHourSeconds;
  return hours;
}

JobRecord job_on(const std::string& node, const std::string& cluster) {
  JobRecord job = testing::job_of("7", JobEnd::kFinished, 0, 20);
  job.cluster = cluster;
  job.account = "lab";
  job.nodes = {node};
  return job;
}

TEST(RenamedCluster, IsOneAndItsGpusAndPodsAreOneEach) {
  for (const bool with_jobs : {false, true}) {
    auto cluster = hours(20);
    for (const char* uuid : {"GPU-1", "GPU-2"}) {
      tell(cluster, {.uuid = uuid, .cluster = "old", .instance = "10.0.0.1:9400"}, 0, 10);
      tell(cluster, {.uuid = uuid, .cluster = "new", .instance = "10.0.0.9:9400"}, 10, 20);
    }
    if (with_jobs) cluster.add_jobs({job_on("n1", "hpc")});
    cluster.finish();
    EXPECT_FALSE(cluster.is_of_many());
    EXPECT_EQ(cluster.whole_gpus(), 2);
    const auto teams = hours_by_team(cluster);
    EXPECT_EQ(teams.size(), 1U) << teams.begin()->first;
    double all = 0;
    for (const auto& [team, held] : teams) all += held;
    EXPECT_NEAR(all, 40, 0.1);
    EXPECT_EQ(cluster.renamed_clusters().at("old"), "new");
    EXPECT_EQ(cluster.gaps().moved, 0U);
  }
}

// Two servers scrape one exporter and call the cluster differently, all the time.
TEST(RenamedCluster, TwoNamesAtTheSameTimeAreOneCluster) {
  auto cluster = hours(20);
  tell(cluster, {.uuid = "GPU-1", .cluster = "a"}, 0, 20);
  tell(cluster, {.uuid = "GPU-1", .cluster = "b"}, 0, 20);
  cluster.finish();
  EXPECT_FALSE(cluster.is_of_many());
  EXPECT_EQ(cluster.gpus().size(), 1U);
  EXPECT_NEAR(hours_by_team(cluster).at("lab/train"), 20, 0.1);
}

TEST(RenamedCluster, ALabelThatComesLaterNamesWhatWasThere) {
  auto cluster = hours(20);
  tell(cluster, {.uuid = "GPU-1", .cluster = ""}, 0, 10);
  tell(cluster, {.uuid = "GPU-1", .cluster = "prod"}, 10, 20);
  tell(cluster, {.uuid = "GPU-9", .cluster = "other"}, 0, 20);
  cluster.finish();
  EXPECT_EQ(cluster.whole_gpus(), 2);
  EXPECT_NEAR(hours_by_team(cluster).at("prod/lab/train"), 20, 0.1);
  EXPECT_NEAR(hours_by_team(cluster).at("other/lab/train"), 20, 0.1);
}

// Both clusters stand beside each other: one GPU of two was carried over.
TEST(MovedGpu, IsCountedOnceWhereItWasSeenLast) {
  auto cluster = hours(20);
  tell(cluster, {.uuid = "GPU-1", .cluster = "east", .node = "e1"}, 0, 10);
  tell(cluster, {.uuid = "GPU-1", .cluster = "west", .node = "w1"}, 10, 20);
  for (const char* uuid : {"GPU-2", "GPU-3", "GPU-4"})
    tell(cluster, {.uuid = uuid, .cluster = "east", .node = "e1"}, 0, 20);
  for (const char* uuid : {"GPU-5", "GPU-6", "GPU-7"})
    tell(cluster, {.uuid = uuid, .cluster = "west", .node = "w1"}, 0, 20);
  cluster.finish();
  EXPECT_TRUE(cluster.is_of_many());
  EXPECT_EQ(cluster.whole_gpus(), 7);
  EXPECT_EQ(cluster.gpus().front().cluster, "west");
  EXPECT_EQ(cluster.gpus().front().node, "west/w1");
  EXPECT_EQ(cluster.gaps().moved, 1U);
  const auto teams = hours_by_team(cluster);
  EXPECT_NEAR(teams.at("east/lab/train"), 70, 0.2);
  EXPECT_NEAR(teams.at("west/lab/train"), 70, 0.2);
}

// A service keeps its counters when its cluster is renamed: what came is that of one replica.
TEST(RenamedCluster, AReplicaIsOne) {
  auto cluster = hours(20);
  for (const auto& [name, from] : {std::pair{"old", 0}, {"new", 10}}) {
    tell(cluster, {.uuid = "GPU-1", .cluster = name, .pod = "chat-0"}, from, from + 10);
    const Labels pod{
        {"namespace", "lab"}, {"pod", "chat-0"}, {"cluster", name}, {"model_name", "m"}};
    const int tokens = cluster.series("vllm:generation_tokens_total", pod);
    const int running = cluster.series("vllm:num_requests_running", pod);
    for (int i = 60 * from; i <= 60 * (from + 10); ++i) {
      cluster.sample(tokens, kFrom + 60 * i, 600.0 * i);
      cluster.sample(running, kFrom + 60 * i, 3);
    }
  }
  cluster.finish();
  ASSERT_EQ(cluster.replicas().size(), 1U);
  const ReplicaTrack& replica = cluster.replicas().front();
  double tokens = 0;
  for (const float part : replica.tokens_out) tokens += part;
  EXPECT_NEAR(tokens, 600 * 1200, 1);
  EXPECT_EQ(replica.running[100], 3);
  EXPECT_EQ(replica.running[1100], 3);
  ASSERT_GE(replica.owner, 0);
  EXPECT_EQ(cluster.owners()[static_cast<std::size_t>(replica.owner)].replicas.size(), 1U);
}

// An exporter that is started anew at another address, told of in any order of its series.
TEST(Instance, ThatChangesRepeatsNothing) {
  for (const bool is_later_first : {false, true}) {
    auto cluster = hours(20);
    for (int part = 0; part < 2; ++part) {
      const bool is_later = (part == 1) != is_later_first;
      const int from = is_later ? 600 : 0;
      const Told told{.uuid = "GPU-1", .cluster = "", .instance = is_later ? "a:1" : "b:1"};
      tell(cluster, told, from / 60.0, from / 60.0 + 10);
      const int series = cluster.series("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", labels_of(told));
      for (int i = from; i <= from + 599; ++i) cluster.sample(series, kFrom + 60 * i, i);
    }
    cluster.finish();
    EXPECT_EQ(cluster.gaps().duplicates, 0U);
    EXPECT_EQ(cluster.gaps().restarts, 0U);
    EXPECT_NEAR(cluster.gpus().front().faults.remapped_rows, 2 * 599, 1e-6);
  }
}

TEST(Counters, ThatBeginAnewAreSaidOnceForEachRestartOfTheirProgram) {
  auto cluster = hours(20);
  for (const char* metric : {"vllm:generation_tokens_total", "vllm:prompt_tokens_total"}) {
    const int series =
        cluster.series(metric, {{"namespace", "lab"}, {"pod", "chat-0"}, {"model_name", "m"}});
    for (int i = 0; i < 1200; ++i) cluster.sample(series, kFrom + 60 * i, 10 * (i % 400));
  }
  cluster.finish();
  EXPECT_EQ(cluster.gaps().restarts, 2U);
  EXPECT_EQ(cluster.gaps().first_restart, "chat-0");
}

}  // namespace
}  // namespace loadfactor::observe
