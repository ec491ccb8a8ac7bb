#include "observe/account.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "observe/testing/made_cluster.h"

namespace loadfactor::observe {
namespace {

using testing::add;
using testing::Gpu;
using testing::hours;
using testing::job_of;
using testing::kFrom;
using testing::kHourSeconds;
using testing::kUnknown;
using testing::labels_of;
using testing::share;

TEST(Account, ATryThatWasQueuedAgainFailsWithoutTheJob) {
  auto cluster = hours(10);
  NodeRecord node;
  node.name = "n1";
  node.gpus = 1;
  cluster.add_nodes({node});
  cluster.add_jobs({job_of("7", JobEnd::kFailed, 0, 3), job_of("7", JobEnd::kFinished, 4, 10)});
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(share(account, Loss::kFailed), 0.3, 1e-6);
  EXPECT_NEAR(share(account, Loss::kUnallocated), 0.1, 1e-6);
  EXPECT_NEAR(share(account, Loss::kLoad), 0.6, 1e-6);
}

TEST(Account, ALogThatNamesNoMachineIsOfTheOneThatJobsRanOn) {
  for (const bool is_one : {true, false}) {
    auto cluster = hours(10);
    add(cluster, {.node = ""}, 0, 10, 0, 0);
    std::vector<JobRecord> jobs{job_of("7", JobEnd::kFinished, 0, 10)};
    if (!is_one) jobs.push_back(job_of("8", JobEnd::kFinished, 0, 10));
    if (!is_one) jobs.back().nodes = {"n2"};
    cluster.add_jobs(std::move(jobs));
    cluster.finish();
    const Account account = make_account(cluster, kUnknown, {});
    EXPECT_NEAR(share(account, Loss::kUnallocated), is_one ? 0 : 1, 1e-6);
  }
}

// Two jobs of one GPU each on a node of two: which GPU computed while each ran is told by its
// tensor cores alone.
TEST(Account, AJobHoldsTheGpuThatComputesWhileItRuns) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1"}, 0, 4, 0, 0);
  add(cluster, {.uuid = "GPU-1"}, 4, 8, 0.4, 0);
  add(cluster, {.uuid = "GPU-1"}, 8, 10, 0, 0);
  add(cluster, {.uuid = "GPU-2"}, 0, 1, 0, 0);
  add(cluster, {.uuid = "GPU-2"}, 1, 6, 0.4, 0);
  add(cluster, {.uuid = "GPU-2"}, 6, 10, 0, 0);
  cluster.add_jobs({job_of("1", JobEnd::kFinished, 1, 6), job_of("2", JobEnd::kFailed, 4, 8)});
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(account.all[Cause::kIdle], 0, 1e-6);
  EXPECT_NEAR(share(account, Loss::kLoad), 0.25, 1e-6);
  EXPECT_NEAR(share(account, Loss::kFailed), 0.2, 1e-6);
}

// Two jobs at once on a node without metrics: 2 GPUs for 10 hours, 1 GPU for 4 of them.
TEST(Account, JobsOnNodesWithoutMetricsAreInTheAccount) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1"}, 0, 10, 0.4, 0.9);
  JobRecord seen = job_of("1", JobEnd::kFinished, 0, 10);
  JobRecord dark = job_of("2", JobEnd::kFinished, 0, 10);
  JobRecord short_one = job_of("3", JobEnd::kFinished, 2, 6);
  JobRecord before = job_of("4", JobEnd::kFinished, -5, -1);
  dark.nodes = short_one.nodes = {"n2"};
  before.nodes = {"n3"};
  dark.gpus = 2;
  cluster.add_jobs({seen, dark, short_one, before});
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 4U);
  EXPECT_EQ(cluster.gpus().back().model, "H100");
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(account.all.total() / kHourSeconds, 40, 0.05);
  EXPECT_NEAR(account.all[Cause::kHeldUnseen] / kHourSeconds, 24, 0.05);
  EXPECT_NEAR(account.all[Cause::kUnallocated] / kHourSeconds, 6, 0.05);
  EXPECT_NEAR(account.all.of(Loss::kLoad) / kHourSeconds, 34, 0.05);
}

TEST(Account, AGpuWithoutAWorkingSensorIsPaidAndItsUseUnknown) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1", .pod = "train-0"}, 0, 10, 0.4, 0.9);
  add(cluster, {.uuid = "GPU-2", .pod = "train-1"}, 0, 10, NAN, NAN);
  add(cluster, {.uuid = "GPU-3"}, 0, 10, NAN, NAN);
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 3U);
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(share(account, Loss::kLoad), 2.0 / 3, 0.001);
  EXPECT_NEAR(account.all[Cause::kHeldUnseen] / account.all.total(), 1.0 / 3, 0.001);
  EXPECT_NEAR(share(account, Loss::kUnallocated), 1.0 / 3, 0.001);
  EXPECT_NEAR(account.known_seconds / account.all.total(), 1.0 / 3, 0.001);
}

TEST(Account, GpusWithoutMetricsAreWhatTheirJobsAskedFor) {
  auto cluster = hours(10);
  add(cluster, {.uuid = "GPU-1"}, 0, 10, 0.4, 0.9);
  JobRecord dark = job_of("2", JobEnd::kFinished, 0, 10);
  dark.nodes = {"n2"};
  dark.accelerator = "a100";
  cluster.add_jobs({dark});
  cluster.finish();
  ASSERT_EQ(cluster.gpus().size(), 2U);
  EXPECT_EQ(cluster.gpus().back().model, "a100");
}

TEST(Account, MetricsThatDoNotNameTheirHostAreNotCountedTwice) {
  for (const char* node : {"", "10.0.0.7"}) {
    auto cluster = hours(10);
    add(cluster, {.node = node}, 0, 10, 0.4, 0.9);
    JobRecord one = job_of("1", JobEnd::kFinished, 0, 10);
    JobRecord other = job_of("2", JobEnd::kFinished, 0, 10);
    other.nodes = {"n2"};
    cluster.add_jobs({one, other});
    cluster.finish();
    EXPECT_EQ(cluster.gpus().size(), 1U) << node;
  }
}

TEST(Account, ASensorThatTellsNothingHasNoMean) {
  auto cluster = hours(4);
  add(cluster, {.pod = "train-0"}, 0, 4, 0.4, 0.9);
  add(cluster, {.uuid = "GPU-2", .pod = "idle-0"}, 0, 4, 0, 0);
  JobRecord dark = job_of("2", JobEnd::kFinished, 0, 4);
  JobRecord counted = job_of("3", JobEnd::kFinished, 0, 4);
  dark.name = "dark";
  counted.name = "counted";
  dark.nodes = {"n2"};
  counted.nodes = {"n3"};
  counted.busy = 0.25;
  cluster.add_jobs({dark, counted});
  cluster.finish();
  std::map<std::string, WorkloadUse> uses;
  for (const WorkloadUse& use : make_account(cluster, kUnknown, {}).uses) uses[use.name] = use;
  EXPECT_NEAR(uses["train"].busy.at_work().value_or(-1), 0.9, 1e-3);
  EXPECT_NEAR(uses["train"].tensor.at_work().value_or(-1), 0.4, 1e-3);
  EXPECT_FALSE(uses["train"].dram.overall().has_value());
  EXPECT_FALSE(uses["idle"].busy.at_work().has_value());
  EXPECT_EQ(uses["idle"].busy.overall(), 0.0);
  EXPECT_FALSE(uses["dark"].busy.overall().has_value());
  EXPECT_NEAR(uses["counted"].busy.at_work().value_or(-1), 0.25, 1e-9);
  EXPECT_FALSE(uses["counted"].tensor.overall().has_value());
}

// Kernels that move nothing are no work, and what GPU_UTIL shows of them is told.
TEST(Account, ASensorIsToldOfAWorkloadThatNeverWorked) {
  auto cluster = hours(4);
  add(cluster, {.pod = "spin-0"}, 0, 4, 0, 1);
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  ASSERT_EQ(account.uses.size(), 1U);
  const WorkloadUse& spin = account.uses.front();
  EXPECT_EQ(spin.active_seconds, 0);
  EXPECT_NEAR(share(account, Loss::kWaiting), 1, 1e-9);
  EXPECT_NEAR(spin.busy.overall().value_or(-1), 1, 1e-9);
  EXPECT_EQ(spin.tensor.overall(), 0.0);
  EXPECT_FALSE(spin.dram.overall().has_value());
}

// A GPU had the sensor once, and another workload then.
TEST(Account, ASensorThatToldOnlyOfOthersTellsNothing) {
  auto cluster = hours(4);
  add(cluster, {.pod = "early-0"}, 0, 2, 0.4, 0.9);
  const int late = cluster.series("DCGM_FI_DEV_GPU_UTIL", testing::labels_of({.pod = "late-0"}));
  for (double t = testing::kFrom + 7200; t < testing::kFrom + 14400; t += 60)
    cluster.sample(late, t, 80);
  cluster.finish();
  for (const WorkloadUse& use : make_account(cluster, kUnknown, {}).uses) {
    if (use.name != "late") continue;
    EXPECT_NEAR(use.busy.at_work().value_or(-1), 0.8, 1e-3);
    EXPECT_LT(use.tensor.seconds + use.tensor.rest_seconds, 600);
  }
}

TEST(Account, EverySecondIsLoadOrOneLoss) {
  auto cluster = hours(10);
  add(cluster, {.pod = ""}, 0, 2, 0, 0);
  add(cluster, {.pod = "train-0"}, 2, 6, 0.4, 0.99);
  add(cluster, {.pod = "train-0"}, 6, 6.1, 0, 0);
  add(cluster, {.pod = "train-0"}, 6.1, 8, 0.4, 0.99);
  add(cluster, {.pod = "train-0"}, 8, 10, 0, 0);
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(account.all.total(), 10 * kHourSeconds, 1);
  EXPECT_NEAR(share(account, Loss::kUnallocated), 0.2, 0.002);
  EXPECT_NEAR(share(account, Loss::kLoad), 0.59, 0.002);
  EXPECT_NEAR(account.all[Cause::kPause] / account.all.total(), 0.01, 0.002);
  EXPECT_NEAR(share(account, Loss::kIdle), 0.2, 0.002);
}

TEST(Account, BusyWithoutWorkIsSpinning) {
  auto cluster = hours(4);
  add(cluster, {.pod = "train-0"}, 0, 2, 0.4, 1);
  add(cluster, {.pod = "train-0"}, 2, 4, 0, 1);
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(account.all[Cause::kSpinning] / account.all.total(), 0.5, 0.01);
}

TEST(Account, AHundredPercentUtilAtFourPercentTensorIsNotFull) {
  auto cluster = hours(4);
  add(cluster, {.pod = "train-0"}, 0, 4, 0.04, 1);
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(share(account, Loss::kLoad), 0.4, 0.01);
}

double now_share(const Account& account, Loss loss) {
  CauseSeconds all;
  for (const auto& [kind, use] : account.now.kinds) all += use;
  return all.of(loss) / all.total();
}

// Seven GPUs half of the time at half of their tensor cores' best, and one whose sensor is dead.
TEST(Account, AGpuWithoutATensorSensorLeavesTheOthersAsTheyAre) {
  auto cluster = hours(24);
  for (int i = 0; i < 8; ++i) {
    const Gpu gpu{.uuid = "GPU-" + std::to_string(i), .pod = "train-0"};
    add(cluster, gpu, 0, 12, i == 3 ? NAN : 0.4, 1);
    add(cluster, gpu, 12, 24, i == 3 ? NAN : 0.2, 1);
  }
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(share(account, Loss::kLoad), (7 * 0.75 + 1) / 8, 0.002);
  EXPECT_NEAR(now_share(account, Loss::kLoad), (7 * 0.5 + 1) / 8, 0.002);
  EXPECT_TRUE(account.load_is_busy);
  EXPECT_TRUE(account.now.load_is_busy);
  EXPECT_NEAR(account.busy_gpus, 1, 1e-9);
}

// Above the full level for an hour is full, and makes up for nobody who is slower.
TEST(Account, TheLastHourIsCountedAsTheWindowIs) {
  auto cluster = hours(24);
  for (int i = 0; i < 8; ++i) {
    const Gpu gpu{.uuid = "GPU-" + std::to_string(i), .pod = "train-0"};
    add(cluster, gpu, 0, 23, i == 3 ? 0.2 : 0.4, 1);
    add(cluster, gpu, 23, 24, i == 3 ? 0.2 : 0.8, 1);
  }
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  // The full level is the mean of the eight, 0.375.
  EXPECT_NEAR(now_share(account, Loss::kLoad), (7 + 0.2 / 0.375) / 8, 0.002);
  EXPECT_NEAR(share(account, Loss::kLoad), (7 + 0.2 / 0.375) / 8, 0.002);
  EXPECT_NEAR(account.now.paid_seconds, 8 * kHourSeconds, 1);
  EXPECT_NEAR(seen_share(account.now), 1, 0.02);
}

TEST(Account, MarksOfAbsentSensorsAndNanAreNoSamples) {
  auto cluster = hours(1);
  add(cluster, {.pod = "train-0"}, 0, 1, 0.4, 1);
  const int series =
      cluster.series("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", labels_of({.pod = "train-0"}));
  cluster.sample(series, kFrom + 600, 9223372036854775794.0);
  cluster.sample(series, kFrom + 660, std::nan(""));
  cluster.finish();
  EXPECT_EQ(cluster.gaps().absent_samples, 2U);
  EXPECT_NEAR(share(make_account(cluster, kUnknown, {}), Loss::kLoad), 1, 0.01);
}

TEST(Account, APercentageThatIsNeverAboveOneStaysOneAndIsSaid) {
  auto cluster = hours(2);
  const int series = cluster.series("DCGM_FI_DEV_GPU_UTIL", labels_of({.pod = "train-0"}));
  const int ratio =
      cluster.series("DCGM_FI_DEV_GPU_UTIL_RATIO", labels_of({.uuid = "GPU-2", .pod = "train-1"}));
  for (double t = kFrom; t < kFrom + 2 * kHourSeconds; t += 60) {
    cluster.sample(series, t, 1);
    cluster.sample(ratio, t, 0.8);
  }
  cluster.finish();
  EXPECT_EQ(cluster.gpus()[0].busy[30], 100);
  EXPECT_EQ(cluster.gpus()[1].busy[30], 8000);
  ASSERT_EQ(cluster.odd_scales().size(), 1U);
  EXPECT_EQ(cluster.odd_scales().front().metric, "DCGM_FI_DEV_GPU_UTIL");
  EXPECT_NEAR(share(make_account(cluster, kUnknown, {}), Loss::kLoad), 0.4, 0.01);
}

TEST(Account, ACacheThatIsToldAsAPercentageIsOneAndSaid) {
  auto cluster = hours(1);
  const int percent = cluster.series("vllm:kv_cache_usage_perc",
                                     {{"namespace", "lab"}, {"pod", "chat-0"}, {"engine", "0"}});
  for (double t = kFrom; t < kFrom + kHourSeconds; t += 60) cluster.sample(percent, t, 45);
  cluster.finish();
  ASSERT_EQ(cluster.replicas().size(), 1U);
  EXPECT_NEAR(cluster.replicas().front().cache[30], 0.45, 1e-6);
  ASSERT_EQ(cluster.odd_scales().size(), 1U);
  EXPECT_TRUE(cluster.odd_scales().front().is_percent);
}

TEST(Account, CountersThatStartAnewAndSeriesToldTwiceCountOnce) {
  auto cluster = hours(2);
  add(cluster, {.pod = "chat-0"}, 0, 2, 0.1, 1);
  for (const char* instance : {"a:8000", "b:8000"}) {
    const int series = cluster.series(
        "vllm:generation_tokens_total",
        {{"namespace", "lab"}, {"pod", "chat-0"}, {"instance", instance}, {"model_name", "m"}});
    for (int i = 0; i <= 120; ++i)
      cluster.sample(series, kFrom + 60 * i, i < 60 ? 60.0 * i : 60.0 * (i - 60));
  }
  cluster.finish();
  double tokens = 0;
  for (const float part : cluster.replicas().front().tokens_out) tokens += part;
  EXPECT_NEAR(tokens, 119 * 60, 1);
  EXPECT_EQ(cluster.gaps().duplicates, 1U);
}

TEST(Account, JobsOfABatchSystemHoldGpusThatNoMetricNames) {
  Cluster cluster(Grid{kFrom, kFrom + 10 * kHourSeconds, 60});
  cluster.add_nodes({{.name = "n1", .gpus = 4, .accelerator = "h100"}});
  cluster.add_jobs({{.id = "1",
                     .account = "lab",
                     .end_state = JobEnd::kFailed,
                     .start = kFrom,
                     .end = kFrom + 5 * kHourSeconds,
                     .nodes = {"n1"},
                     .gpus = 2}});
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(share(account, Loss::kFailed), 0.25, 0.001);
  EXPECT_NEAR(share(account, Loss::kUnallocated), 0.75, 0.001);
  const Account saved = make_account(cluster, kUnknown, {.checkpoint_seconds = 7200});
  EXPECT_NEAR(share(saved, Loss::kFailed), 0.05, 0.001);
}

TEST(Workload, IsWhatItsPodsShare) {
  EXPECT_EQ(workload_of_pod("chat-7d9f8b6c5-x2x9k"), "chat");
  EXPECT_EQ(workload_of_pod("train-workers-0-3"), "train-workers");
  EXPECT_EQ(workload_of_pod("train-a-1"), "train-a");
  EXPECT_EQ(workload_of_pod("alone"), "alone");
  EXPECT_EQ(workload_of_pod("js-workers-0-3-x2x9k"), "js-workers");
  EXPECT_EQ(workload_of_pod("chat-1234567890-x2x9k"), "chat");
}

// Kubernetes makes suffixes of letters that spell no word: what has vowels was written by a person.
TEST(Workload, AWordOfFiveLettersIsPartOfTheName) {
  for (const char* name : {"train-alpha", "train-gamma", "etl-daily", "llm-qwen3", "eval-step1",
                           "chat-7d9f8b6c5-alpha", "model-turbo2000-x2x9k"})
    EXPECT_EQ(workload_of_pod(name),
              std::string_view(name).ends_with("x2x9k") ? "model-turbo2000" : name);
}

TEST(Account, RatiosToldAsPercentagesAreRatios) {
  auto cluster = hours(10);
  add(cluster, {.pod = "train-0"}, 0, 4, 0.5, 0.99);  // Half a percent, before anything is above 1.
  add(cluster, {.pod = "train-0"}, 4, 10, 46, 0.99);
  cluster.finish();
  EXPECT_EQ(cluster.gpus().front().tensor[60], 50);
  EXPECT_EQ(cluster.gpus().front().tensor[300], 4600);
}

TEST(Account, AFewRatiosAboveOneSayNothing) {
  auto cluster = hours(10);
  add(cluster, {.pod = "train-0"}, 0, 5, 0.4, 0.99);
  add(cluster, {.pod = "train-0"}, 5, 5.03, 7, 0.99);
  add(cluster, {.pod = "train-0"}, 5.03, 10, 0.4, 0.99);
  cluster.finish();
  for (int s = 0; s < 590; ++s)
    EXPECT_EQ(cluster.gpus().front().tensor[static_cast<std::size_t>(s)], 4000) << s;
}

TEST(Account, AServerYoungerThanTheWindowIsCountedFromItsFirstSample) {
  auto cluster = hours(168);
  add(cluster, {.pod = "train-0"}, 120, 168, 0.4, 0.99);
  cluster.finish();
  EXPECT_NEAR(cluster.told_seconds(), 48 * kHourSeconds, 60);
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(account.gpus, 1, 0.001);
}

TEST(Account, ListsOfNodesTellHowManyGpusAreHeld) {
  auto cluster = hours(1);
  cluster.add_nodes(
      {{.name = "n1", .gpus = 8, .gpus_in_use = 6}, {.name = "n2", .gpus = 8, .gpus_in_use = 0}});
  cluster.finish();
  const Account account = make_account(cluster, kUnknown, {});
  EXPECT_NEAR(share(account, Loss::kUnallocated), 10.0 / 16, 1e-9);
  EXPECT_NEAR(account.all[Cause::kHeldUnseen] / account.all.total(), share(account, Loss::kLoad),
              1e-9);
}

}  // namespace
}  // namespace loadfactor::observe
