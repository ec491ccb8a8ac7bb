// What jobs of a batch system say of a cluster.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/observe/observe.h"
#include "engine/observe/testing/observed.h"

namespace loadfactor::engine {
namespace {

using testing::kHead;
using testing::kMidnight;
using testing::observed;
using testing::says;

const std::string kFirst = "2|b|COMPLETED|2026-11-10T10:00:00|2026-11-10T12:00:00|gres/gpu=6|n2\n";
const std::string kSecond = "3|b|COMPLETED|2026-11-10T11:00:00|2026-11-10T13:00:00|gres/gpu=6|n2\n";

TEST(ObserveJobs, JobsThatOverlapEachHoldTheirOwnGpusInAnyOrder) {
  const std::string told = kHead + kFirst + kSecond, turned = kHead + kSecond + kFirst;
  for (const std::string& text : {told, turned}) {
    const ObserveAnswer answer = observed({{"jobs.txt", text}}, 13);
    EXPECT_EQ(answer.gpus, 12);
    EXPECT_NEAR(answer.bill.value().base(), 36, 1e-6);
    EXPECT_NEAR(answer.load_factor.value(), 24.0 / 36, 1e-3);
  }
}

TEST(ObserveJobs, AJobThatIsToldTwiceStandsOnce) {
  const std::string text = kHead + kFirst + kSecond;
  const ObserveAnswer once = observed({{"jobs.txt", text}}, 13);
  const ObserveAnswer twice = observed({{"jobs.txt", text}, {"again.txt", text}}, 13);
  EXPECT_EQ(once.gpus, twice.gpus);
  EXPECT_NEAR(once.bill.value().base(), twice.bill.value().base(), 1e-6);
  EXPECT_NEAR(once.load_factor.value(), twice.load_factor.value(), 1e-9);
}

TEST(ObserveJobs, TheWindowEndsWhenItIsSaidTo) {
  const ObserveAnswer answer = observed({{"jobs.txt", kHead + kFirst}}, 20);
  EXPECT_NEAR(answer.bill.value().base(), 6 * 10, 1e-6);
  EXPECT_NEAR(answer.load_factor.value(), 2.0 / 10, 1e-3);
}

const std::string kUsual = "JobID|User|Account|State|Start|End|AllocTRES|NodeList|JobName\n";

std::string stamp(double hour) {
  const auto minutes = static_cast<int>(std::lround(60 * hour));
  constexpr int kDayMinutes = 24 * 60;
  return fmt::format("2026-11-{:02}T{:02}:{:02}:00", 10 + minutes / kDayMinutes,
                     minutes % kDayMinutes / 60, minutes % 60);
}

// A job of twenty minutes in every hour of ten days, so that slots of any length cut it.
TEST(ObserveJobs, JobsOutsideOfTheWindowAreCountedWithTheOptionThatShowsThem) {
  const std::string before =
      "1|a|COMPLETED|2026-10-20T00:00:00|2026-10-21T00:00:00|gres/gpu=6|n1\n";
  const std::string after = "9|a|COMPLETED|2026-11-20T00:00:00|2026-11-21T00:00:00|gres/gpu=6|n1\n";
  const std::string text = kHead + before + kFirst + after;
  const ObserveAnswer answer = observed({{"jobs.txt", text}}, 20);
  const auto argument = [&](std::string_view id, std::string_view name) {
    for (const Notice& notice : answer.notices)
      for (const auto& each : notice.arguments)
        if (notice.id == id && each.name == name) return each.text;
    return std::string();
  };
  EXPECT_EQ(argument("jobs-before-window", "jobs"), "1");
  // From 20 October 0 h to 10 November 20 h.
  EXPECT_EQ(argument("jobs-before-window", "since"), "22d");
  EXPECT_EQ(argument("jobs-after-window", "first"), "9");
  EXPECT_EQ(argument("jobs-after-window", "now"), "2026-11-21T00:00:00Z");
  const std::string inside = kHead + kFirst;
  EXPECT_FALSE(says(observed({{"jobs.txt", inside}}, 20), "jobs-before-window"));
}

// A GPU that does nothing for two days, held by one job in the first of these hours.
std::string advice_of_idle_job(double from, double to, double end) {
  std::string metrics;
  for (int minute = 0; minute <= 48 * 60; minute += 5)
    metrics +=
        fmt::format("DCGM_FI_DEV_GPU_UTIL{{UUID=\"G\",gpu=\"0\",Hostname=\"n1\"}} 0 {:.0f}\n",
                    1e3 * (kMidnight + 60 * minute));
  const std::string jobs =
      kHead + fmt::format("1|ann|COMPLETED|{}|{}|gres/gpu=1|n1\n", stamp(from), stamp(to));
  const ObserveAnswer answer = observed({{"m.prom", metrics}, {"jobs.txt", jobs}}, end);
  for (const AdviceRow& row : answer.advice)
    if (row.kind == AdviceRow::Kind::kReclaim) return row.whom;
  return {};
}

TEST(ObserveJobs, OnlyWhatHoldsGpusStillOrHeldThemLongIsAskedForThem) {
  EXPECT_EQ(advice_of_idle_job(0, 6, 48), "");
  EXPECT_NE(advice_of_idle_job(42, 48, 48), "");
  EXPECT_NE(advice_of_idle_job(0, 30, 48), "");
}

TEST(ObserveJobs, JobsThatAreShorterThanASlotKeepTheirGpuHours) {
  std::string text = kHead;
  for (int hour = 0; hour < 240; ++hour)
    text += fmt::format("{}|b|COMPLETED|{}|{}|gres/gpu=4|n1\n", hour, stamp(hour + 0.35),
                        stamp(hour + 0.35 + 1.0 / 3));
  for (const double step : {60.0, 1200.0, 3600.0, 86400.0}) {
    ObserveInputs inputs;
    inputs.files = {{"jobs.txt", text}};
    inputs.now = kMidnight + 240 * 3600;
    inputs.is_end_said = true;
    inputs.since = 365 * 86400.0;
    inputs.step = step;
    Diagnostics diagnostics;
    const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
    ASSERT_TRUE(answer) << render(diagnostics);
    EXPECT_EQ(answer->step, step);
    const double window = 240 - 0.35;
    EXPECT_NEAR(answer->load_factor.value(), 80 / window, 1e-9) << step;
    EXPECT_EQ(answer->gpus, 4);
    double hours = 0;
    for (const LossLeaf& leaf : answer->leaves) hours += leaf.gpu_hours;
    EXPECT_NEAR(hours, 4 * window, 1e-6) << step;
  }
}

TEST(ObserveJobs, AStepThatIsTooFineForTheWindowIsRefused) {
  ObserveInputs inputs;
  const std::string text = kHead + "1|b|RUNNING|2020-01-01T00:00:00|Unknown|gres/gpu=4|n1\n";
  inputs.files = {{"jobs.txt", text}};
  inputs.now = kMidnight;
  inputs.is_end_said = true;
  inputs.since = 3650 * 86400.0;
  inputs.step = 1;
  Diagnostics diagnostics;
  EXPECT_FALSE(observe_cluster(inputs, testing::shipped(), diagnostics));
  EXPECT_NE(render(diagnostics).find("--step"), std::string::npos);
}

// More jobs than two bytes can number; every second one failed.
TEST(ObserveJobs, EveryOneOfAHundredThousandJobsHasItsOwnEnd) {
  std::string text = kUsual;
  constexpr int kJobs = 100'000;
  for (int i = 0; i < kJobs; ++i)
    text += fmt::format(
        "{}|b|lab|{}|2026-11-10T{:02}:00:00|2026-11-10T{:02}:30:00|gres/gpu=1|n{}|j{}\n", i,
        i % 2 == 0 ? "COMPLETED" : "FAILED", i % 20, i % 20, i / 20, i);
  const ObserveAnswer answer = observed({{"jobs.txt", text}}, 20);
  EXPECT_EQ(answer.gpus, kJobs / 20);
  EXPECT_NEAR(answer.losses[static_cast<std::size_t>(observe::Loss::kFailed)], 0.25, 1e-9);
  EXPECT_NEAR(answer.load_factor.value(), 0.25, 1e-9);
  const auto workloads =
      std::count_if(answer.groups.begin(), answer.groups.end(),
                    [](const UseGroup& group) { return group.by == GroupBy::kWorkload; });
  EXPECT_EQ(workloads, kJobs);
}

TEST(ObserveJobs, AQueueInAFileTellsOfThePresentAlone) {
  const std::string queue =
      "JOBID|USER|ACCOUNT|STATE|START_TIME|END_TIME|TRES_PER_NODE|NODELIST|NAME\n"
      "1|a|lab|RUNNING|2026-11-08T00:00:00|2026-11-12T00:00:00|gres:gpu:2|n1|train\n";
  const ObserveAnswer answer = observed({{"queue.txt", queue}}, 12);
  EXPECT_NEAR(answer.to - answer.from, 60, 1e-6);
  EXPECT_NEAR(answer.load_factor.value(), 1, 1e-9);
  EXPECT_TRUE(says(answer, "present-alone"));
  const std::string told =
      kUsual + "1|a|lab|RUNNING|2026-11-08T00:00:00|Unknown|gres/gpu=2|n1|train\n";
  const ObserveAnswer past = observed({{"jobs.txt", told}}, 12);
  EXPECT_NEAR(past.to - past.from, 60 * 3600, 1e-6);
  EXPECT_FALSE(says(past, "present-alone"));
}

TEST(ObserveJobs, AQueueBesideMetricsDoesNotShortenTheWindow) {
  const std::string queue =
      "JOBID|USER|STATE|START_TIME|TRES_PER_NODE|NODELIST\n"
      "1|a|RUNNING|2026-11-10T06:00:00|gres:gpu:1|n1\n";
  std::string metrics;
  for (int minute = 0; minute <= 12 * 60; ++minute)
    metrics +=
        fmt::format("DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-1\",Hostname=\"n1.site\"}} 50 {:.0f}\n",
                    1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"queue.txt", queue}, {"m.prom", metrics}}, 12);
  EXPECT_NEAR(answer.to - answer.from, 12 * 3600, 60);
  EXPECT_TRUE(says(answer, "queue-alone"));
  EXPECT_FALSE(says(answer, "unseen-nodes"));
  EXPECT_EQ(answer.gpus, 1);
}

TEST(ObserveJobs, AListOfNodesWithFewerGpusThanAJobHeldIsSaid) {
  const std::string nodes = "PARTITION|NODELIST|STATE|GRES\nall|n2|idle|gpu:h100:4\n";
  const ObserveAnswer answer = observed({{"jobs.txt", kHead + kFirst}, {"nodes.txt", nodes}}, 12);
  EXPECT_EQ(answer.gpus, 6);
  EXPECT_NEAR(answer.load_factor.value(), 1, 1e-9);
  EXPECT_TRUE(says(answer, "short-nodes"));
}

TEST(ObserveJobs, WhatACheckpointSavesIsNotAskedForWhereItIsSaid) {
  const std::string text =
      kHead + "1|b|FAILED|2026-11-10T00:00:00|2026-11-10T10:00:00|gres/gpu=1|n1\n";
  EXPECT_TRUE(says(observed({{"jobs.txt", text}}, 10), "failed-work"));
  ObserveInputs inputs;
  inputs.files = {{"jobs.txt", text}};
  inputs.now = kMidnight + 36000;
  inputs.is_end_said = true;
  inputs.checkpoint = 3600;
  Diagnostics diagnostics;
  const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(says(*answer, "failed-work"));
  EXPECT_NEAR(answer->load_factor.value(), 0.95, 1e-9);
}

// Two clusters of eight GPUs in two nodes, one full by day and one by night.
TEST(ObserveJobs, EachClusterGivesBackItsOwn) {
  std::string jobs = "Cluster|JobID|User|State|Start|End|AllocTRES|NodeList\n";
  const auto add = [&](const char* cluster, int id, int from, int to, int gpus, const char* nodes) {
    jobs += fmt::format(
        "{}|{}|b|COMPLETED|2026-11-{:02}T{:02}:00:00|2026-11-{:02}T{:02}:00:00|gres/gpu={}|{}\n",
        cluster, id, 10 + from / 24, from % 24, 10 + to / 24, to % 24, gpus, nodes);
  };
  add("east", 1, 0, 12, 16, "n[1-2]");
  add("east", 2, 24, 36, 16, "n[1-2]");
  add("west", 3, 12, 24, 16, "n[1-2]");
  add("west", 4, 36, 48, 16, "n[1-2]");
  const ObserveAnswer in_turn = observed({{"jobs.txt", jobs}}, 48);
  EXPECT_EQ(in_turn.gpus, 32);
  for (const AdviceRow& row : in_turn.advice) EXPECT_NE(row.kind, AdviceRow::Kind::kGiveBack);
  // One more node that nobody ever needed beside the others.
  add("west", 5, 0, 6, 8, "n3");
  const ObserveAnswer spare = observed({{"jobs.txt", jobs}}, 48);
  ASSERT_EQ(spare.advice.size(), 1U);
  EXPECT_EQ(spare.advice.front().kind, AdviceRow::Kind::kGiveBack);
  EXPECT_EQ(spare.advice.front().other, "west");
  EXPECT_EQ(spare.advice.front().count, 8);
  EXPECT_EQ(spare.advice.front().figure, 16);
  EXPECT_NEAR(spare.advice.front().saves.base(), 8 * 730, 1);
}

// A table that was written at noon, read two days later by the clock.
TEST(ObserveJobs, WhatRunsInATableThatWasKeptRunsToItsLastTime) {
  const std::string text =
      "JobID|User|State|Start|End|Elapsed|AllocTRES|NodeList\n"
      "1|b|COMPLETED|2026-11-10T00:00:00|2026-11-10T06:00:00|06:00:00|gres/gpu=4|n1\n"
      "2|b|RUNNING|2026-11-10T06:00:00|Unknown|06:00:00|gres/gpu=2|n1\n";
  ObserveInputs inputs;
  inputs.files = {{"jobs.txt", text}};
  inputs.now = kMidnight + 60 * 3600;
  inputs.price = DollarsPerGpuSecond::from_base(1.0 / 3600);
  Diagnostics diagnostics;
  auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  ASSERT_TRUE(answer) << render(diagnostics);
  EXPECT_NEAR(answer->to, kMidnight + 12 * 3600, 1);
  EXPECT_NEAR(answer->bill.value().base(), 4 * 12, 1e-6);
  EXPECT_TRUE(says(*answer, "running-until"));
  // Beside an end that is said the job ran until then.
  inputs.now = kMidnight + 24 * 3600;
  inputs.is_end_said = true;
  answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  ASSERT_TRUE(answer) << render(diagnostics);
  EXPECT_NEAR(answer->bill.value().base(), 4 * 24, 1e-6);
  EXPECT_FALSE(says(*answer, "running-until"));
}

TEST(ObserveJobs, InstancesThatABatchSystemCountsAreNoWholeGpus) {
  const std::string text =
      kHead +
      "1|b|COMPLETED|2026-11-10T00:00:00|2026-11-10T07:00:00|gres/gpu:a100_1g.10gb=7|n1\n"
      "2|b|COMPLETED|2026-11-10T00:00:00|2026-11-10T07:00:00|gres/gpu:a100_3g.40gb=2|n2\n";
  const ObserveAnswer answer = observed({{"jobs.txt", text}}, 7);
  EXPECT_EQ(answer.gpus, 2);
  EXPECT_NEAR(answer.bill.value().base(), 14, 1e-6);
  EXPECT_NEAR(answer.load_factor.value(), 13.0 / 14, 1e-9);
}

ObserveAnswer by_the_catalogue(const std::string& jobs, double end_hour) {
  Diagnostics diagnostics;
  ObserveInputs inputs;
  inputs.files.push_back({"jobs.txt", jobs});
  inputs.now = kMidnight + 3600 * end_hour;
  inputs.is_end_said = true;
  auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer ? *std::move(answer) : ObserveAnswer{};
}

TEST(ObserveJobs, AKindWithoutAPriceIsInTheLoadFactor) {
  const ObserveAnswer answer = by_the_catalogue(
      kHead +
          "1|a|COMPLETED|2026-11-10T00:00:00|2026-11-11T00:00:00|gres/gpu:h100=8,gres/gpu=8|n1\n"
          "2|a|COMPLETED|2026-11-10T12:00:00|2026-11-10T18:00:00|gres/gpu:odd=8,gres/gpu=8|n2\n",
      24);
  EXPECT_NEAR(answer.load_factor.value(), (24 + 6) / 48.0, 1e-3);
  ASSERT_TRUE(answer.load_now);
  EXPECT_NEAR(answer.load_now->value(), 0.5, 1e-3);
  EXPECT_EQ(answer.load_now->source(), "upper bound");
  EXPECT_NEAR(answer.idle_per_hour.base(), 0, 1e-9);
  EXPECT_TRUE(says(answer, "weighted-by-hours"));
}

TEST(ObserveJobs, TheLastHourIsWeightedByPriceAsTheWindowIs) {
  const ObserveAnswer answer = by_the_catalogue(
      kHead +
          "1|a|COMPLETED|2026-11-10T00:00:00|2026-11-11T00:00:00|gres/gpu:h100=8,gres/gpu=8|n1\n"
          "2|a|COMPLETED|2026-11-10T00:00:00|2026-11-10T12:00:00|gres/gpu:a100=8,gres/gpu=8|n2\n",
      24);
  ASSERT_EQ(answer.prices.size(), 2U);
  const auto price_of = [&](const char* kind) {
    return answer.prices[answer.prices[0].accelerator == kind ? 0 : 1].price.base();
  };
  const double dear = price_of("h100"), cheap = price_of("a100");
  ASSERT_TRUE(answer.load_now);
  EXPECT_NEAR(answer.load_now->value(), dear / (dear + cheap), 1e-3);
  EXPECT_NEAR(answer.load_factor.value(), (dear + cheap / 2) / (dear + cheap), 1e-3);
  EXPECT_FALSE(says(answer, "weighted-by-hours"));
}

// Each kind is held whole at some time, though never both at once.
TEST(ObserveJobs, NoGpuIsGivenBackThatIsHeldWhenMostOfItsKindAre) {
  const ObserveAnswer answer = by_the_catalogue(
      kHead +
          "1|a|COMPLETED|2026-11-10T00:00:00|2026-11-10T12:00:00|gres/gpu:h100=8,gres/gpu=8|n1\n"
          "2|a|COMPLETED|2026-11-10T12:00:00|2026-11-11T00:00:00|gres/gpu:a100=8,gres/gpu=8|n2\n",
      24);
  EXPECT_FALSE(says(answer, "too-little-seen"));
  for (const AdviceRow& row : answer.advice) EXPECT_NE(row.kind, AdviceRow::Kind::kGiveBack);
}

// Two GPUs, of which one works all day, and what two jobs of one GPU each say of themselves.
ObserveAnswer shared_node(const std::string& second_times, bool has_idle) {
  std::string metrics;
  for (int i = 0; i <= 24 * 60; i += 5)
    for (int gpu = 0; gpu < 2; ++gpu)
      metrics += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-{}\",Hostname=\"n1\"}} {} {}\n", gpu,
          gpu == 0 && has_idle ? 0.4 : 0.0, static_cast<std::int64_t>(kMidnight + 60 * i) * 1000);
  const std::string jobs =
      kUsual +
      "1|a|A|COMPLETED|2026-11-10T00:00:00|2026-11-11T00:00:00|gres/gpu=1|n1|ja\n"
      "2|a|B|COMPLETED|" +
      second_times + "|gres/gpu=1|n1|jb\n";
  return observed({{"metrics.prom", metrics}, {"jobs.txt", jobs}}, 24);
}

int reclaimed(const ObserveAnswer& answer) {
  return static_cast<int>(
      std::count_if(answer.advice.begin(), answer.advice.end(),
                    [](const AdviceRow& row) { return row.kind == AdviceRow::Kind::kReclaim; }));
}

TEST(ObserveJobs, WhoseGpuWasIdleIsNotGuessedBetweenJobsOfOneTime) {
  const std::string same = "2026-11-10T00:00:00|2026-11-11T00:00:00";
  const ObserveAnswer unlike = shared_node(same, true);
  EXPECT_EQ(reclaimed(unlike), 0);
  EXPECT_TRUE(says(unlike, "guessed-gpus"));
  const ObserveAnswer both_idle = shared_node(same, false);
  EXPECT_EQ(reclaimed(both_idle), 2);
  EXPECT_FALSE(says(both_idle, "guessed-gpus"));
  // One GPU works before the second job and after it: it is the first one's.
  const ObserveAnswer later = shared_node("2026-11-10T06:00:00|2026-11-10T18:00:00", true);
  EXPECT_EQ(reclaimed(later), 1);
  EXPECT_FALSE(says(later, "guessed-gpus"));
}

TEST(ObserveJobs, AJobThatNamesNoKindHoldsThatOfItsNode) {
  const ObserveAnswer answer = by_the_catalogue(
      kHead +
          "1|a|COMPLETED|2026-11-10T00:00:00|2026-11-10T12:00:00|gres/gpu:h100=8,gres/gpu=8|n1\n"
          "2|a|COMPLETED|2026-11-10T12:00:00|2026-11-11T00:00:00|gres/gpu=8|n1\n",
      24);
  ASSERT_EQ(answer.prices.size(), 1U);
  EXPECT_EQ(answer.prices.front().chip, "h100-sxm");
}

TEST(ObserveJobs, WhatIsLeftOutIsSaid) {
  const std::string nodes = "PARTITION|NODELIST|STATE|GRES\ngpu|n2|mix|gpu:h100:8\n";
  const std::string text = kHead + kFirst + kSecond +
                           "4|b|COMPLETED|2026-11-10T10:00:00|2026-11-10T12:00:00|gres/shard=2|n2\n"
                           "5|b|COMPLETED|01/02/2026 10:00|01/02/2026 12:00|gres/gpu=2|n2\n";
  const ObserveAnswer answer = observed({{"jobs.txt", text}, {"nodes.txt", nodes}}, 13);
  EXPECT_TRUE(says(answer, "overlapping-jobs"));
  EXPECT_TRUE(says(answer, "jobs-of-shards"));
  EXPECT_TRUE(says(answer, "jobs-odd-date"));
  EXPECT_FALSE(says(observed({{"jobs.txt", kHead + kFirst}}, 13), "overlapping-jobs"));
}

TEST(ObserveJobs, ShardsCountWhereTheirNodeSaysHowManyItHas) {
  const std::string nodes = "PARTITION|NODELIST|STATE|GRES\ngpu|n2|mix|gpu:h100:8,shard:h100:32\n";
  const std::string text =
      kHead + "4|b|COMPLETED|2026-11-10T10:00:00|2026-11-10T12:00:00|gres/shard=2|n2\n";
  const ObserveAnswer answer = observed({{"jobs.txt", text}, {"nodes.txt", nodes}}, 12);
  EXPECT_FALSE(says(answer, "jobs-of-shards"));
  EXPECT_EQ(answer.gpus, 8);
  EXPECT_NEAR(answer.bill.value().base(), 16, 1e-6);
  EXPECT_NEAR(answer.load_factor.value(), 0.5 / 8, 1e-6);
}

const std::string kTwoNodes =
    "gpu|n1|idle|gpu:h100:8\n"
    "gpu|n2|idle|gpu:h100:8\n";

// One job on the last of seven days: 384 of 2,688 GPU-hours.
TEST(ObserveJobs, GpusOfAListOfNodesArePaidForBeforeTheFirstJobWhereTheWindowIsAskedFor) {
  const std::string jobs =
      kHead + "1|u|COMPLETED|2026-11-09T00:00:00|2026-11-10T00:00:00|gres/gpu=16|n[1-2]\n";
  for (const bool is_said : {true, false}) {
    ObserveInputs inputs;
    inputs.files = {{"jobs.txt", jobs}, {"nodes.txt", kTwoNodes}};
    inputs.now = kMidnight;
    inputs.is_end_said = true;
    inputs.is_since_said = is_said;
    Diagnostics diagnostics;
    const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
    ASSERT_TRUE(answer) << render(diagnostics);
    EXPECT_NEAR(answer->load_factor.value(), is_said ? 384.0 / 2688 : 1, 1e-6);
    EXPECT_TRUE(says(*answer, is_said ? "empty-before-first-job" : "window-from-first-job"));
  }
}

TEST(ObserveJobs, AStepThatIsTooLongForTheWindowIsRefused) {
  const std::string jobs =
      kHead + "1|u|COMPLETED|2026-11-10T00:00:00|2026-11-10T10:00:00|gres/gpu=1|n1\n";
  for (const double step : {36000.0, 30000.0, 100000.0, 600.0}) {
    ObserveInputs inputs;
    inputs.files = {{"jobs.txt", jobs}};
    inputs.now = kMidnight + 36000;
    inputs.step = step;
    Diagnostics diagnostics;
    EXPECT_EQ(observe_cluster(inputs, testing::shipped(), diagnostics).has_value(), step < 1000);
  }
}

TEST(ObserveJobs, AQueueThatTellsOfNoGpuLeavesWhatNodesSayOfTheirs) {
  const std::string queue =
      "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n7 gpu x u R 1:00:00 1 n1\n";
  const std::string nodes = "NODELIST|STATE|GRES|GRES_USED\nn1|mix|gpu:h100:8|gpu:h100:4\n";
  for (const bool has_queue : {false, true}) {
    std::vector<observe::TextFile> files{{"nodes.txt", nodes}};
    if (has_queue) files.push_back({"queue.txt", queue});
    const ObserveAnswer answer = observed(files, 10);
    EXPECT_NEAR(answer.load_factor.value(), 0.5, 1e-6) << has_queue;
    EXPECT_EQ(says(answer, "jobs-without-gpus"), has_queue);
    EXPECT_FALSE(says(answer, "window-from-first-job"));
  }
}

TEST(ObserveJobs, JobsWithoutAColumnOfGpusDoNotLeaveTheGpusFree) {
  const std::string queue =
      "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n7 gpu x u R 1:00:00 1 n1\n";
  for (const bool has_nodes : {false, true}) {
    ObserveInputs inputs;
    inputs.files = {{"queue.txt", queue}};
    if (has_nodes) inputs.files.push_back({"nodes.txt", kTwoNodes});
    inputs.now = kMidnight;
    Diagnostics diagnostics;
    EXPECT_FALSE(observe_cluster(inputs, testing::shipped(), diagnostics));
    EXPECT_NE(render(diagnostics).find("no column says how many GPUs"), std::string::npos)
        << render(diagnostics);
  }
}

// A header, or jobs that wait: of seven days that were asked for nothing was held.
TEST(ObserveJobs, ATableWithoutJobsThatRanLeavesEveryGpuFree) {
  for (const char* row : {"", "1|u|PENDING|Unknown|Unknown||None assigned\n"}) {
    const std::string jobs = kHead + row;
    ObserveInputs inputs;
    inputs.files = {{"jobs.txt", jobs}, {"nodes.txt", kTwoNodes}};
    inputs.now = kMidnight;
    inputs.is_end_said = inputs.is_live = true;
    inputs.price = DollarsPerGpuSecond::from_base(1.0 / 3600);
    Diagnostics diagnostics;
    const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
    ASSERT_TRUE(answer) << render(diagnostics);
    EXPECT_NEAR(answer->bill.value().base(), 16 * 168, 1e-6);
    EXPECT_EQ(answer->load_factor.value(), 0);
    EXPECT_NEAR(answer->losses[static_cast<std::size_t>(observe::Loss::kUnallocated)], 1, 1e-9);
    for (const char* id : {"present-alone", "empty-before-first-job", "no-owners"})
      EXPECT_FALSE(says(*answer, id)) << id;
  }
}

TEST(ObserveJobs, JobsOfAnotherTimeAreNotSaidToBeOnNodesWithoutMetrics) {
  const std::string jobs = kHead +
                           "1|u|COMPLETED|2026-11-10T00:00:00|2026-11-10T10:00:00|gres/gpu=8|n1\n" +
                           "2|u|COMPLETED|2026-08-10T00:00:00|2026-08-10T10:00:00|gres/gpu=8|n2\n";
  EXPECT_FALSE(says(observed({{"jobs.txt", jobs}}, 10), "unseen-nodes"));
}

TEST(ObserveJobs, JobsHoldTheirKindOnANodeOfTwo) {
  const std::string jobs =
      kHead + "1|u|COMPLETED|2026-11-10T00:00:00|2026-11-10T10:00:00|gres/gpu:h100=2|n3\n";
  const ObserveAnswer answer =
      observed({{"jobs.txt", jobs}, {"nodes.txt", "gpu|n3|mix|gpu:a100:4,gpu:h100:4\n"}}, 10);
  EXPECT_EQ(answer.gpus, 8);
  for (const UseGroup& group : answer.groups) {
    if (group.by == GroupBy::kAccelerator) {
      EXPECT_NEAR(group.load_factor, group.name == "h100" ? 0.5 : 0, 1e-6) << group.name;
    }
  }
  EXPECT_FALSE(says(answer, "short-nodes"));
}

}  // namespace
}  // namespace loadfactor::engine
