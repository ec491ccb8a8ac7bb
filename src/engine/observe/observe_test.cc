// What a log of a training run says of it.
#include "engine/observe/observe.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/testing/shipped_core.h"

namespace loadfactor::engine {
namespace {

// Every tenth step of 2 s, stopped at step 1000 for ten minutes and taken up again at 800.
std::string log_text() {
  std::string text = "world_size ........ 16\n";
  const auto lines = [&](int from, int to, int second) {
    for (int n = from; n <= to; n += 10, second += 20)
      text += fmt::format(
          " [2026-11-10 {:02}:{:02}:{:02}] iteration {:8}/ 9000 | elapsed time per iteration (ms): "
          "2000.0 |\n{}",
          second / 3600, second / 60 % 60, second % 60, n,
          n % 200 == 0 ? fmt::format("saving checkpoint at iteration {:8} to /data\n", n) : "");
  };
  lines(10, 1000, 20);
  lines(810, 2000, 2620);
  return text;
}

TEST(ObserveTraining, ALogAloneSaysGoodputAndTheBestDistanceOfCheckpoints) {
  const std::string text = log_text();
  Diagnostics diagnostics;
  ObserveInputs inputs;
  inputs.files.push_back({"train.log", text});
  const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  ASSERT_TRUE(answer) << render(diagnostics);
  ASSERT_EQ(answer->training.size(), 1U);
  const TrainingRow& run = answer->training.front();
  EXPECT_EQ(answer->gpus, 16);
  EXPECT_EQ(run.steps, 2000);
  EXPECT_EQ(run.repeated, 200);
  EXPECT_EQ(run.restarts, 1);
  EXPECT_NEAR(run.step.base(), 2, 1e-9);
  EXPECT_NEAR(run.goodput, 4000.0 / 5000, 1e-9);
  EXPECT_NEAR(run.save_every.value_or(Seconds()).base(), 400, 1e-9);
  EXPECT_NEAR(answer->load_factor.value(), run.goodput, 1e-9);
  double whole = 0;
  for (const double share : answer->losses) whole += share;
  EXPECT_NEAR(whole, 1, 1e-9);
}

// One scrape of a GPU that works, of one without a working sensor, and of a job on a node without
// an exporter.
TEST(ObserveMetrics, OneScrapeStandsForTheIntervalBeforeIt) {
  const std::string metrics =
      "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-1\",Hostname=\"n1\"} 50\n"
      "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-2\",Hostname=\"n1\"} 9223372036854775794\n";
  const std::string jobs =
      "JobID|User|State|Start|End|AllocTRES|NodeList\n"
      "1|ann|RUNNING|2026-11-10T00:00:00|Unknown|gres/gpu=2|n[1-2]\n";
  Diagnostics diagnostics;
  ObserveInputs inputs;
  inputs.files = {{"metrics.prom", metrics}, {"jobs.txt", jobs}};
  inputs.now = 1794312000;  // 2026-11-10T12:00:00Z.
  inputs.interval = 60;
  inputs.price = DollarsPerGpuSecond::from_base(1);
  const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  ASSERT_TRUE(answer) << render(diagnostics);
  EXPECT_EQ(answer->gpus, 3);
  EXPECT_NEAR(answer->bill.value().base(), 180, 1e-6);
  EXPECT_NEAR(answer->load_factor.value(), 0.5, 1e-3);
  EXPECT_NEAR(answer->load_factor.low(), 0.5 / 3, 1e-3);
  std::vector<std::string> said;
  for (const Notice& notice : answer->notices) said.push_back(notice.id);
  EXPECT_EQ(std::count(said.begin(), said.end(), "unseen-gpus"), 1);
  EXPECT_EQ(std::count(said.begin(), said.end(), "unseen-time"), 0);
  EXPECT_EQ(std::count(said.begin(), said.end(), "load-is-allocation"), 0);
}

}  // namespace
}  // namespace loadfactor::engine
