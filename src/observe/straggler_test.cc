#include "observe/straggler.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "observe/testing/made_cluster.h"

namespace loadfactor::observe {
namespace {

using testing::add;
using testing::hours;
using testing::job_of;

std::set<std::string> names_of(const Cluster& cluster) {
  std::set<std::string> names;
  for (const Straggler& found : find_stragglers(cluster).found)
    names.insert(cluster.gpus()[static_cast<std::size_t>(found.gpu)].key);
  return names;
}

std::string gpu_name(int i) {
  return "GPU-" + std::to_string(i);
}

// GPUs of one kind differ by less than a percent.
double own_speed(int i) {
  return 1 + 0.004 * ((i * 7) % 5 - 2);
}

TEST(Straggler, IsFoundAndNobodyElseIs) {
  auto cluster = hours(6);
  for (int i = 0; i < 16; ++i) {
    const double own = 0.4 * (1 + 0.004 * ((i * 7) % 5 - 2));
    add(cluster, {.uuid = "GPU-" + std::to_string(i), .pod = "train-0"}, 0, 6,
        i == 5 ? 0.85 * own : own, 1);
  }
  cluster.finish();
  const auto test = find_stragglers(cluster);
  ASSERT_EQ(test.found.size(), 1U);
  EXPECT_EQ(cluster.gpus()[static_cast<std::size_t>(test.found[0].gpu)].key, "GPU-5");
  EXPECT_NEAR(test.found[0].ratio, 0.85, 0.02);
  EXPECT_LT(test.found[0].probability, 0.01);
}

TEST(Straggler, TwoThatAreSlowDoNotHideEachOther) {
  for (const int gpus : {6, 8, 16}) {
    auto cluster = hours(6);
    for (int i = 0; i < gpus; ++i)
      add(cluster, {.uuid = gpu_name(i), .pod = "train-0"}, 0, 6,
          0.4 * own_speed(i) *
              (i == 2   ? 0.85
               : i == 5 ? 0.87
                        : 1),
          1);
    cluster.finish();
    EXPECT_EQ(names_of(cluster), (std::set<std::string>{"GPU-2", "GPU-5"})) << gpus;
  }
}

// A stage of a pipeline is slower by its work: a quarter of a job is no straggler.
TEST(Straggler, APartOfAJobThatIsSlowerByItsWorkIsNotNamed) {
  auto cluster = hours(6);
  for (int i = 0; i < 32; ++i)
    add(cluster, {.uuid = gpu_name(i), .pod = "train-0"}, 0, 6,
        0.4 * own_speed(i) * (i < 8 ? 0.9 : 1), 1);
  cluster.finish();
  EXPECT_EQ(names_of(cluster), std::set<std::string>());
}

// Two jobs of one name, one of a model that keeps tensor cores half as busy: beside all GPUs of
// that name a slow one is nothing unusual.
TEST(Straggler, AJobIsJudgedByItselfAndNotByOthersOfItsName) {
  auto cluster = hours(6);
  std::vector<JobRecord> jobs{job_of("1", JobEnd::kFinished, 0, 6),
                              job_of("2", JobEnd::kFinished, 0, 6)};
  for (int i = 0; i < 16; ++i) {
    const bool is_second = i >= 8;
    add(cluster, {.uuid = gpu_name(i), .node = is_second ? "n2" : "n1"}, 0, 6,
        (is_second ? 0.2 : 0.4) * own_speed(i) * (i == 3 ? 0.85 : 1), 1);
  }
  jobs[1].nodes = {"n2"};
  jobs[0].gpus = jobs[1].gpus = 8;
  cluster.add_jobs(jobs);
  cluster.finish();
  EXPECT_EQ(names_of(cluster), std::set<std::string>{"GPU-3"});
}

// A GPU that is slow in the second of its jobs alone, beside a first one whose GPUs differ.
TEST(Straggler, AGpuOfSeveralJobsIsJudgedInEach) {
  auto cluster = hours(12);
  std::vector<JobRecord> jobs{job_of("1", JobEnd::kFinished, 0, 6),
                              job_of("2", JobEnd::kFinished, 6, 12)};
  jobs[0].name = "sweep";
  jobs[0].gpus = jobs[1].gpus = 8;
  for (int i = 0; i < 8; ++i) {
    add(cluster, {.uuid = gpu_name(i)}, 0, 6, 0.3 + 0.03 * ((i * 5) % 8), 1);
    add(cluster, {.uuid = gpu_name(i)}, 6, 12, 0.4 * own_speed(i) * (i == 6 ? 0.9 : 1), 1);
  }
  cluster.add_jobs(jobs);
  cluster.finish();
  EXPECT_EQ(names_of(cluster), std::set<std::string>{"GPU-6"});
}

std::vector<double> losses_of(const Cluster& cluster) {
  return gpus_lost(find_stragglers(cluster).found);
}

TEST(Straggler, JobsOfOneGpuWaitForNobody) {
  auto cluster = hours(6);
  std::vector<JobRecord> jobs;
  for (int i = 0; i < 16; ++i) {
    const std::string node = "n" + std::to_string(i);
    add(cluster, {.uuid = gpu_name(i), .node = node}, 0, 6,
        0.4 * own_speed(i) * (i == 5 ? 0.85 : 1), 1);
    jobs.push_back(job_of(std::to_string(i), JobEnd::kFinished, 0, 6));
    jobs.back().nodes = {node};
  }
  cluster.add_jobs(jobs);
  cluster.finish();
  const auto lost = losses_of(cluster);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_NEAR(lost[0], 0.15, 0.02);
}

TEST(Straggler, PodsOfADeploymentWaitForNobody) {
  auto cluster = hours(6);
  for (int i = 0; i < 16; ++i)
    add(cluster,
        {.uuid = gpu_name(i),
         .pod = "batch-6f7d9c8b5d-x24b" + std::string(1, "bcdfghjklmnpqrst"[i])},
        0, 6, 0.4 * own_speed(i) * (i == 5 ? 0.85 : 1), 1);
  cluster.finish();
  const auto lost = losses_of(cluster);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_NEAR(lost[0], 0.15, 0.02);
}

TEST(Straggler, AJobRunsAtThePaceOfItsSlowestGpuAlone) {
  auto cluster = hours(6);
  for (int i = 0; i < 16; ++i)
    add(cluster, {.uuid = gpu_name(i), .pod = "train-0"}, 0, 6,
        0.4 * own_speed(i) *
            (i == 2   ? 0.80
             : i == 5 ? 0.85
                      : 1),
        1);
  cluster.finish();
  const auto test = find_stragglers(cluster);
  ASSERT_EQ(test.found.size(), 2U);
  const auto lost = gpus_lost(test.found);
  EXPECT_NEAR(lost[0] + lost[1], 16 * (1 - test.found[0].ratio), 1e-9);
  EXPECT_NEAR(lost[1], 16 * (1 - test.found[1].ratio) / 2, 1e-9);
}

}  // namespace
}  // namespace loadfactor::observe
