// GPUs that tell no UUID are one by their place, whatever their cluster and their node are called.
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
  std::string index = "0";
  std::string node = "n1";
  std::string cluster;
  std::string instance = "10.0.0.1:9400";
};

Labels labels_of(const Told& told) {
  Labels labels{{"gpu", told.index},
                {"Hostname", told.node},
                {"instance", told.instance},
                {"modelName", "H100"}};
  if (!told.uuid.empty()) labels.push_back({"UUID", told.uuid});
  if (!told.cluster.empty()) labels.push_back({"cluster", told.cluster});
  return labels;
}

void tell(Cluster& cluster, const std::string& metric, const Told& told, double from, double to,
          double value) {
  const int series = cluster.series(metric, labels_of(told));
  for (double t = kFrom + from * kHourSeconds; t < kFrom + to * kHourSeconds; t += 60)
    cluster.sample(series, t, value);
}

constexpr const char* kTensor = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE";
constexpr const char* kBusy = "DCGM_FI_DEV_GPU_UTIL";

double paid_hours(const Cluster& cluster) {
  return make_account(cluster, kUnknown, {}).all.total() / kHourSeconds;
}

// One collector leaves the UUID out, and tells another sensor.
TEST(Place, WhatIsToldWithoutUuidIsOfTheGpuThatStandsThere) {
  auto cluster = hours(10);
  tell(cluster, kTensor, {.uuid = "GPU-1"}, 0, 10, 0.4);
  tell(cluster, kBusy, {.node = "n1.example.com", .instance = "recorder"}, 0, 10, 90);
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 1U);
  const GpuTrack& gpu = cluster.gpus().front();
  EXPECT_EQ(gpu.key, "GPU-1");
  EXPECT_EQ(gpu.busy[60], 9000);
  EXPECT_EQ(gpu.tensor[60], 4000);
  EXPECT_NEAR(paid_hours(cluster), 10, 0.1);
  EXPECT_EQ(cluster.gaps().joined, 1U);
  EXPECT_EQ(cluster.gaps().duplicates, 0U);
}

TEST(Place, GpusOfOtherPlacesStayApart) {
  auto cluster = hours(10);
  tell(cluster, kTensor, {.uuid = "GPU-1"}, 0, 10, 0.4);
  tell(cluster, kBusy, {.index = "1"}, 0, 10, 90);
  tell(cluster, kBusy, {.node = "n2", .instance = "10.0.0.2:9400"}, 0, 10, 90);
  cluster.finish();
  EXPECT_EQ(cluster.gpus().size(), 3U);
  EXPECT_EQ(cluster.gaps().joined, 0U);
}

// A card was replaced: what is told by place is of the one that stood there then.
TEST(Place, OfTwoThatStoodThereEachHasItsOwnTime) {
  auto cluster = hours(10);
  tell(cluster, kTensor, {.uuid = "GPU-1"}, 0, 5, 0.4);
  tell(cluster, kTensor, {.uuid = "GPU-2"}, 5, 10, 0.4);
  tell(cluster, kBusy, {.instance = "recorder"}, 0, 5, 50);
  tell(cluster, kBusy, {.instance = "recorder"}, 5, 10, 90);
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 2U);
  EXPECT_EQ(cluster.gpus()[0].busy[60], 5000);
  EXPECT_EQ(cluster.gpus()[0].busy[500], kNoShare);
  EXPECT_EQ(cluster.gpus()[1].busy[60], kNoShare);
  EXPECT_EQ(cluster.gpus()[1].busy[500], 9000);
  EXPECT_NEAR(paid_hours(cluster), 10, 0.3);
}

TEST(Place, AClusterThatIsRenamedIsOneWithoutUuidsToo) {
  auto cluster = hours(20);
  for (const char* index : {"0", "1"}) {
    tell(cluster, kTensor, {.index = index, .cluster = "old"}, 0, 10, 0.4);
    tell(cluster, kTensor, {.index = index, .cluster = "new"}, 10, 20, 0.4);
  }
  cluster.finish();
  EXPECT_FALSE(cluster.is_of_many());
  EXPECT_EQ(cluster.whole_gpus(), 2);
  EXPECT_NEAR(paid_hours(cluster), 40, 0.2);
  EXPECT_EQ(cluster.renamed_clusters().at("old"), "new");
}

// Both clusters have a node of that name, all the time.
TEST(Place, TwoClustersBesideEachOtherStayTwo) {
  auto cluster = hours(20);
  tell(cluster, kTensor, {.cluster = "east"}, 0, 20, 0.4);
  tell(cluster, kTensor, {.cluster = "west"}, 0, 20, 0.4);
  cluster.finish();
  EXPECT_TRUE(cluster.is_of_many());
  EXPECT_EQ(cluster.whole_gpus(), 2);
}

// One was given up a day before the other was built, with hosts of the same names.
TEST(Place, AClusterThatComesMuchLaterIsAnother) {
  auto cluster = hours(20);
  tell(cluster, kTensor, {.cluster = "east"}, 0, 5, 0.4);
  tell(cluster, kTensor, {.cluster = "west"}, 15, 20, 0.4);
  cluster.finish();
  EXPECT_EQ(cluster.whole_gpus(), 2);
}

TEST(Place, ANodeThatIsRenamedKeepsItsGpusWithoutUuids) {
  auto cluster = hours(20);
  for (const char* index : {"0", "1"}) {
    tell(cluster, kTensor, {.index = index, .node = "old"}, 0, 10, 0.4);
    tell(cluster, kTensor, {.index = index, .node = "new"}, 10, 20, 0.4);
  }
  cluster.finish();
  EXPECT_EQ(cluster.whole_gpus(), 2);
  EXPECT_EQ(cluster.gpus().front().node, "new");
  EXPECT_NEAR(paid_hours(cluster), 40, 0.2);
}

// Jobs that ran before a node was renamed name it as it was called then.
TEST(Place, JobsOfARenamedNodeFindItsGpus) {
  for (const char* uuid : {"GPU-1", ""}) {
    auto cluster = hours(20);
    tell(cluster, kTensor, {.uuid = uuid, .node = "old"}, 0, 10, 0.4);
    tell(cluster, kTensor, {.uuid = uuid, .node = "new"}, 10, 20, 0.4);
    auto before = testing::job_of("1", JobEnd::kFinished, 0, 10);
    auto after = testing::job_of("2", JobEnd::kFinished, 10, 20);
    before.nodes = {"old"};
    after.nodes = {"new"};
    cluster.add_jobs({before, after});
    cluster.finish();
    EXPECT_EQ(cluster.whole_gpus(), 1) << uuid;
    const auto account = make_account(cluster, kUnknown, {});
    EXPECT_NEAR(account.all.total() / kHourSeconds, 20, 0.2);
    EXPECT_NEAR(account.all[Cause::kUnallocated] / kHourSeconds, 0, 0.2);
    EXPECT_EQ(cluster.renamed_nodes().at("old"), "new");
  }
}

// The exporter names its pod as its host, and the batch system the node.
TEST(Place, ANodeOfTwoNamesAtOnceGoesByThatOfTheBatchSystem) {
  auto cluster = hours(10);
  tell(cluster, kTensor, {.uuid = "GPU-1", .node = "exporter-x2x9k"}, 0, 10, 0.4);
  tell(cluster, kBusy, {.uuid = "GPU-1", .node = "n1", .instance = "other:1"}, 0, 10, 90);
  cluster.add_jobs({testing::job_of("1", JobEnd::kFinished, 0, 10)});
  cluster.finish();
  EXPECT_EQ(cluster.whole_gpus(), 1);
  EXPECT_EQ(cluster.gpus().front().node, "n1");
  EXPECT_EQ(make_account(cluster, kUnknown, {}).all[Cause::kUnallocated], 0);
}

// Half of the cards of one node were put into another one, which is no name of the first.
TEST(Place, CardsThatWereCarriedDoNotRenameTheirNode) {
  auto cluster = hours(20);
  for (int i = 0; i < 4; ++i) {
    const std::string uuid = "GPU-" + std::to_string(i), index = std::to_string(i);
    const double half = i < 2 ? 20 : 10;
    tell(cluster, kTensor, {.uuid = uuid, .index = index, .node = "n1"}, 0, half, 0.4);
    if (i >= 2) tell(cluster, kTensor, {.uuid = uuid, .index = index, .node = "n2"}, 10, 20, 0.4);
  }
  cluster.finish();
  EXPECT_TRUE(cluster.renamed_nodes().empty());
}

}  // namespace
}  // namespace loadfactor::observe
