// What failed jobs cost, and what jobs that share a node hold of it.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "observe/account.h"
#include "observe/testing/made_cluster.h"

namespace loadfactor::observe {
namespace {

using testing::add;
using testing::hours;
using testing::job_of;
using testing::kFrom;
using testing::kHourSeconds;
using testing::kUnknown;

std::map<std::string, WorkloadUse> uses_of(const Account& account) {
  std::map<std::string, WorkloadUse> uses;
  for (const WorkloadUse& use : account.uses) uses[use.name] = use;
  return uses;
}

JobRecord named(JobRecord job, const std::string& name) {
  job.name = name;
  return job;
}

// A job that sleeps for all of ten hours, and one that computes for four of them and fails: what
// the GPU that computes did is the work of the second.
TEST(FailedJobs, WorkIsLostByTheJobThatDidIt) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1"}, 0, 2, 0, 0);
  add(cluster, {.uuid = "GPU-1"}, 2, 6, 0.4, 1);
  add(cluster, {.uuid = "GPU-1"}, 6, 10, 0, 0);
  add(cluster, {.uuid = "GPU-2"}, 0, 10, 0, 0);
  cluster.add_jobs({named(job_of("1", JobEnd::kFinished, 0, 10), "sleeps"),
                    named(job_of("2", JobEnd::kFailed, 2, 6), "fails")});
  cluster.finish();
  const auto uses = uses_of(make_account(cluster, kUnknown, {}));
  EXPECT_NEAR(uses.at("fails").use[Cause::kFailed] / kHourSeconds, 4, 0.05);
  EXPECT_NEAR(uses.at("sleeps").use.of(Loss::kLoad), 0, 1e-6);
  EXPECT_NEAR(uses.at("sleeps").use[Cause::kIdle] / kHourSeconds, 10, 0.05);
}

// An exporter that is dead while the first job runs says nothing of the second.
TEST(FailedJobs, TimeThatNoSampleTellsOfIsOfWhoHeldItThen) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1"}, 0, 0.05, 0, 0);
  add(cluster, {.uuid = "GPU-1"}, 6, 10, 0.4, 1);
  cluster.add_jobs({named(job_of("1", JobEnd::kFinished, 1, 6), "unseen"),
                    named(job_of("2", JobEnd::kFailed, 6, 10), "fails")});
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  const auto uses = uses_of(account);
  EXPECT_NEAR(uses.at("fails").use[Cause::kFailed] / kHourSeconds, 4, 0.05);
  EXPECT_NEAR(uses.at("unseen").use[Cause::kHeldUnseen] / kHourSeconds, 5, 0.05);
  EXPECT_NEAR(account.all.total() / kHourSeconds, 10, 0.02);
  // One of two hours between checkpoints is lost, whatever others did on that GPU.
  const Account saved = make_account(cluster, kUnknown, {.checkpoint_seconds = 7200});
  EXPECT_NEAR(saved.all[Cause::kFailed] / kHourSeconds, 1, 0.01);
}

// Ten hours of a job that fails in the tenth: a window that ends before has lost nothing that a
// checkpoint kept, one that holds the failure half the distance of two.
TEST(FailedJobs, AFailureIsOfTheWindowThatItIsSeenIn) {
  for (const auto& [window, lost] : {std::pair{4.0, 0.0}, {9.5, 0.5}, {12.0, 1.0}}) {
    auto cluster = hours(window);
    add(cluster, {.uuid = "GPU-1"}, 0, std::min(10.0, window), 0.4, 1);
    add(cluster, {.uuid = "GPU-1"}, std::min(10.0, window), window, 0, 0);
    cluster.add_jobs({named(job_of("1", JobEnd::kFailed, 0, 10), "fails")});
    cluster.finish();
    const Account saved = make_account(cluster, kUnknown, {.checkpoint_seconds = 7200});
    EXPECT_NEAR(saved.all[Cause::kFailed] / kHourSeconds, lost, 0.02) << window;
    const Account unsaved = make_account(cluster, kUnknown, {});
    EXPECT_NEAR(unsaved.all[Cause::kFailed] / kHourSeconds, std::min(10.0, window), 0.03);
  }
}

// What stood still before the failure is no work that was lost.
TEST(FailedJobs, AFailureLosesTheWorkBeforeItAndNotAsMuchAsMayBeFoundElsewhere) {
  auto cluster = hours(12);
  add(cluster, {.uuid = "GPU-1"}, 0, 9.5, 0.4, 1);
  add(cluster, {.uuid = "GPU-1"}, 9.5, 10, 0, 0);
  add(cluster, {.uuid = "GPU-1"}, 10, 12, 0, 0);
  cluster.add_jobs({named(job_of("1", JobEnd::kFailed, 0, 10), "fails")});
  cluster.finish();
  const Account saved = make_account(cluster, kUnknown, {.checkpoint_seconds = 7200});
  EXPECT_NEAR(saved.all[Cause::kFailed] / kHourSeconds, 0.5, 0.02);
}

// A pod that Kubernetes calls failed from the eighth hour on held its GPU until the fifth.
TEST(FailedPods, LoseWhatTheyDidBeforeTheyLetTheirGpuGo) {
  auto cluster = hours(10);
  add(cluster, {.pod = "train-0"}, 0, 5, 0.4, 1);
  add(cluster, {}, 5, 10, 0, 0);
  const int phase = cluster.series("kube_pod_status_phase",
                                   {{"namespace", "lab"}, {"pod", "train-0"}, {"phase", "Failed"}});
  for (double hour = 8; hour < 10; hour += 0.5)
    cluster.sample(phase, kFrom + hour * kHourSeconds, 1);
  cluster.finish();
  const Account saved = make_account(cluster, kUnknown, {.checkpoint_seconds = 3600});
  EXPECT_NEAR(saved.all[Cause::kFailed] / kHourSeconds, 0.5, 0.02);
  const Account unsaved = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(unsaved.all[Cause::kFailed] / kHourSeconds, 5, 0.1);
}

TEST(CrowdedNodes, WhatOverlapsIsSaid) {
  for (const double end : {4.0, 8.0}) {
    auto cluster = hours(10);
    cluster.add_nodes({{.name = "n1", .gpus = 4}});
    std::vector<JobRecord> jobs{job_of("1", JobEnd::kFinished, 0, end),
                                job_of("2", JobEnd::kFinished, 4, 10)};
    jobs[0].gpus = jobs[1].gpus = 3;
    cluster.add_jobs(jobs);
    cluster.finish();
    EXPECT_EQ(cluster.crowding().jobs, end > 4 ? 1U : 0U);
    EXPECT_NEAR(cluster.crowding().gpu_seconds / kHourSeconds, 2 * (end - 4), 1e-6);
  }
}

// A node of two GPUs in four shards each: jobs of two shards and of a whole GPU.
TEST(Shards, ArePartsOfTheGpusOfTheirNode) {
  for (const bool has_metrics : {false, true}) {
    auto cluster = hours(10);
    for (int i = 0; has_metrics && i < 2; ++i)
      add(cluster, {.uuid = "GPU-" + std::to_string(i)}, 0, 10, 0.4, 1);
    cluster.add_nodes({{.name = "n1", .gpus = 2, .shards = 8, .accelerator = "h100"}});
    std::vector<JobRecord> jobs{named(job_of("1", JobEnd::kFinished, 0, 10), "small"),
                                named(job_of("2", JobEnd::kFinished, 0, 5), "whole")};
    jobs[0].gpus = 0;
    jobs[0].shards = 2;
    cluster.add_jobs(jobs);
    cluster.finish();
    EXPECT_EQ(cluster.whole_gpus(), 2);
    const Account account = make_account(cluster, kUnknown, {});
    EXPECT_NEAR(account.all.total() / kHourSeconds, 20, 0.1);
    EXPECT_NEAR(uses_of(account).at("small").use.total() / kHourSeconds, 5, 0.05);
    EXPECT_NEAR(uses_of(account).at("whole").use.total() / kHourSeconds, 5, 0.05);
    EXPECT_EQ(cluster.unknown_shards().jobs, 0U);
  }
}

TEST(Shards, OfASizeThatIsNotToldAreSaid) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1"}, 0, 10, 0.4, 1);
  JobRecord job = job_of("1", JobEnd::kFinished, 0, 10);
  job.gpus = 0;
  job.shards = 2;
  cluster.add_jobs({job});
  cluster.finish();
  EXPECT_EQ(cluster.unknown_shards().jobs, 1U);
  EXPECT_EQ(cluster.unknown_shards().first, "n1");
}

TEST(ShortWindows, TheFullestOfFewHoursIsAGuess) {
  for (const double count : {3.0, 24.0}) {
    auto cluster = hours(count);
    add(cluster, {.pod = "train-0"}, 0, count, 0.4, 1);
    cluster.finish();
    EXPECT_EQ(make_account(cluster, kUnknown, {}).uses.front().is_full_guessed, count < 10);
  }
}

}  // namespace
}  // namespace loadfactor::observe
