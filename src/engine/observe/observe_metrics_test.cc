// What metrics and logs of GPUs say of a cluster.
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/observe/observe.h"
#include "engine/observe/testing/observed.h"

namespace loadfactor::engine {
namespace {

using testing::kMidnight;
using testing::observed;
using testing::says;

TEST(ObserveMetrics, PartsOfAGpuArePaidForOnce) {
  std::string metrics;
  for (int minute = 0; minute <= 60; ++minute)
    for (int part = 1; part <= 7; ++part)
      metrics += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-1\",GPU_I_ID=\"{}\",GPU_I_PROFILE="
          "\"1g.10gb\",Hostname=\"n1\",modelName=\"NVIDIA H100 80GB HBM3\"}} 0.4 {:.0f}\n",
          part, 1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"metrics.prom", metrics}}, 1);
  EXPECT_NEAR(answer.bill.value().base(), 1, 0.02);
}

std::string instances(int from, int to, const std::vector<std::string>& profiles) {
  std::string text;
  for (int minute = from; minute <= to; ++minute)
    for (std::size_t i = 0; i < profiles.size(); ++i)
      text += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-1\",GPU_I_ID=\"{}\",GPU_I_PROFILE=\"{}\","
          "Hostname=\"n1\",namespace=\"lab\",pod=\"train-0\"}} 0.4 {:.0f}\n",
          10 * from + static_cast<int>(i), profiles[i], 1e3 * (kMidnight + 60 * minute));
  return text;
}

// Cut as 3g and 3g for five hours, then anew as a 7g for five more.
TEST(ObserveMetrics, AGpuIsOneHoweverItIsCut) {
  const std::string text =
      instances(0, 299, {"3g.40gb", "3g.40gb"}) + instances(300, 600, {"7g.80gb"});
  const ObserveAnswer answer = observed({{"m.prom", text}}, 10);
  EXPECT_EQ(answer.gpus, 1);
  EXPECT_NEAR(answer.bill.value().base(), 10, 0.02);
  EXPECT_NEAR(answer.load_factor.value(), (5 * 6.0 / 7 + 5) / 10, 2e-3);
  EXPECT_NEAR(answer.losses[static_cast<std::size_t>(observe::Loss::kUnallocated)], 0.5 / 7, 2e-3);
}

std::string smi_log(int from, int to, int busy) {
  std::string text = "timestamp, index, utilization.gpu [%]\n";
  for (int minute = from; minute <= to; ++minute)
    for (int gpu = 0; gpu < 4; ++gpu)
      text += fmt::format("2026/11/10 {:02}:{:02}:00.000, {}, {} %\n", minute / 60, minute % 60,
                          gpu, busy);
  return text;
}

TEST(ObserveLogs, LogsOfTwoMachinesThatNumberTheirGpusAlikeStayApart) {
  const std::string one = smi_log(0, 600, 80), other = smi_log(0, 600, 20);
  const ObserveAnswer answer = observed({{"logs/n1.csv", one}, {"logs/n2.csv", other}}, 10);
  EXPECT_EQ(answer.gpus, 8);
  EXPECT_EQ(answer.nodes, 2);
  EXPECT_NEAR(answer.load_factor.value(), 0.5, 1e-3);
  EXPECT_TRUE(says(answer, "machines-by-file"));
}

TEST(ObserveLogs, ALogThatGoesOnInAnotherFileIsOfOneMachine) {
  const std::string first = smi_log(0, 300, 80), then = smi_log(301, 600, 20);
  const ObserveAnswer answer = observed({{"a.csv", first}, {"b.csv", then}}, 10);
  EXPECT_EQ(answer.gpus, 4);
  EXPECT_EQ(answer.nodes, 1);
  EXPECT_TRUE(says(answer, "one-machine"));
}

TEST(ObserveLogs, ALogBesideJobsIsOfTheNodeThatItIsNamedAfter) {
  const std::string log = smi_log(0, 600, 80);
  const std::string jobs = testing::kHead +
                           "1|u|COMPLETED|2026-11-10T00:00:00|2026-11-10T10:00:00|gres/gpu=4|n1\n"
                           "2|u|COMPLETED|2026-11-10T00:00:00|2026-11-10T10:00:00|gres/gpu=4|n12\n";
  for (const char* name : {"n1.csv", "logs/smi-n1.csv", "n1_smi.txt"}) {
    const ObserveAnswer answer = observed({{name, log}, {"jobs.txt", jobs}}, 10);
    EXPECT_EQ(answer.gpus, 8) << name;
    EXPECT_EQ(answer.nodes, 2);
    EXPECT_FALSE(says(answer, "unplaced-logs"));
  }
  EXPECT_TRUE(says(observed({{"smi.csv", log}, {"jobs.txt", jobs}}, 10), "unplaced-logs"));
}

std::string refusal_of(const std::string& text, double now_hour) {
  ObserveInputs inputs;
  inputs.files = {{"m", text}};
  inputs.now = kMidnight + 3600 * now_hour;
  inputs.is_end_said = true;
  Diagnostics diagnostics;
  EXPECT_FALSE(observe_cluster(inputs, testing::shipped(), diagnostics));
  if (diagnostics.empty()) return {};
  const Error& error = diagnostics.errors().front();
  return error.message + "; " + error.hint;
}

TEST(ObserveMetrics, WhereNothingIsOfTheWindowTheTimesThatAreToldAreNamed) {
  std::string text;
  for (int minute = 0; minute <= 600; ++minute)
    text += fmt::format("DCGM_FI_DEV_GPU_UTIL{{UUID=\"G\",Hostname=\"n1\"}} 50 {:.0f}\n",
                        1e3 * (kMidnight + 60 * minute));
  for (const double hour : {-24.0, 24.0 * 365}) {
    const std::string said = refusal_of(text, hour);
    EXPECT_NE(said.find("2026-11-10T00:00:00Z to 2026-11-10T10:00:00Z"), std::string::npos) << said;
    EXPECT_NE(said.find("--now 2026-11-10T10:00:00Z"), std::string::npos) << said;
  }
}

TEST(ObserveMetrics, WhereEverySensorIsAbsentThatIsWhatIsSaid) {
  std::string text = "timestamp, index, utilization.gpu [%], power.draw [W]\n";
  for (int minute = 10; minute < 60; ++minute)
    text += fmt::format("2026/11/10 00:{}:00.000, 0, [N/A], 650 W\n", minute);
  const std::string said = refusal_of(text, 1);
  EXPECT_NE(said.find("50 samples are marks of a sensor that is not there"), std::string::npos)
      << said;
}

// One hour is full by its own measure, whatever it did.
TEST(ObserveMetrics, TheLoadOfAShortWindowIsAnUpperBound) {
  for (const int hours : {2, 20}) {
    std::string text;
    for (int minute = 0; minute <= 60 * hours; ++minute)
      text += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-1\",Hostname=\"n1\",namespace=\"lab\","
          "pod=\"train-0\"}} 0.3 {:.0f}\n",
          1e3 * (kMidnight + 60 * minute));
    const ObserveAnswer answer = observed({{"m.prom", text}}, hours);
    EXPECT_EQ(says(answer, "few-full-hours"), hours < 10);
    EXPECT_EQ(answer.load_factor.source() == "upper bound", hours < 10);
  }
}

// Pods that are replaced every six hours, three at a time; one token per second each, and four in
// the tenth hour.
TEST(ObserveMetrics, PodsThatReplaceEachOtherAreNotReplicasAtOnce) {
  std::string text;
  double tokens = 0;
  for (int minute = 0; minute <= 24 * 60; ++minute) {
    tokens += minute / 60 == 10 ? 240 : 60;
    for (int i = 0; i < 3; ++i) {
      const std::string labels = fmt::format("namespace=\"lab\",pod=\"chat-6f7d9c8b5{}-xb24{}\"",
                                             "2456789"[minute / 360], "245"[i]);
      text += fmt::format("vllm:generation_tokens_total{{{},model_name=\"m\"}} {} {:.0f}\n", labels,
                          tokens, 1e3 * (kMidnight + 60 * minute));
      text += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-{}\",Hostname=\"n1\",{}}} 0.4 {:.0f}\n", i,
          labels, 1e3 * (kMidnight + 60 * minute));
    }
  }
  const ObserveAnswer answer = observed({{"m.prom", text}}, 24);
  ASSERT_EQ(answer.services.size(), 1U);
  const ServiceRow& row = answer.services.front();
  EXPECT_EQ(row.replicas, 3);
  EXPECT_NEAR(row.load_factor, 27.0 / 96, 5e-3);
  EXPECT_NEAR(row.busiest_hour, 1, 0.05);
  EXPECT_FALSE(row.cache);
}

TEST(ObserveMetrics, HoursThatNobodySawAreUnknownAndWidenTheRangeOfTheirTeam) {
  std::string text;
  for (int minute = 0; minute <= 24 * 60; ++minute)
    if (minute < 360 || minute > 720)
      text += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-1\",Hostname=\"n1\",namespace=\"lab\","
          "pod=\"train-0\"}} 0.4 {:.0f}\n",
          1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"m.prom", text}}, 24);
  // Tuesday.
  EXPECT_TRUE(answer.week[1][3]);
  EXPECT_FALSE(answer.week[1][8]);
  const UseGroup& team = answer.groups.front();
  EXPECT_NEAR(team.load_range.low, 0.75, 0.01);
  EXPECT_NEAR(team.load_range.high, 1, 1e-6);
}

// One pod is full and one stands still; a person named both.
TEST(ObserveMetrics, AFullPodIsNotAskedForTheGpusOfOneThatIsCalledAlike) {
  std::string text;
  for (int minute = 0; minute <= 48 * 60; minute += 5)
    for (const auto& [pod, gpus, tensor] :
         {std::tuple{"train-alpha", 1, 0.4}, {"train-gamma", 8, 0.0}})
      for (int gpu = 0; gpu < gpus; ++gpu)
        text += fmt::format(
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"{0}-{1}\",Hostname=\"n1\",namespace=\"lab\","
            "pod=\"{0}\"}} {2} {3:.0f}\n",
            pod, gpu, tensor, 1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"m.prom", text}}, 48);
  ASSERT_EQ(answer.advice.size(), 1U);
  EXPECT_EQ(answer.advice.front().kind, AdviceRow::Kind::kReclaim);
  EXPECT_EQ(answer.advice.front().whom, "lab/train-gamma");
  EXPECT_NEAR(answer.advice.front().saves.base(), 8 * 730, 10);
}

// Eight pods of one deployment: five compute, three have stood still since they began, two days
// before the end of a week.
TEST(ObserveMetrics, PodsThatStandStillAreAskedForTheirGpusBesideThoseThatWork) {
  std::string text;
  for (int minute = 0; minute <= 7 * 24 * 60; minute += 5)
    for (int pod = 0; pod < 8; ++pod)
      if (pod < 5 || minute >= 5 * 24 * 60)
        text += fmt::format(
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"G{0}\",Hostname=\"n1\",namespace=\"lab\","
            "pod=\"notebook-{0}\"}} {1} {2:.0f}\n",
            pod, pod < 5 ? 0.4 : 0.0, 1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"m.prom", text}}, 7 * 24);
  ASSERT_EQ(answer.advice.size(), 1U);
  const AdviceRow& row = answer.advice.front();
  EXPECT_EQ(row.kind, AdviceRow::Kind::kReclaim);
  EXPECT_NEAR(row.count, 3, 1e-6);
  EXPECT_NEAR(row.of, 8, 0.1);
  EXPECT_NEAR(row.saves.base(), 3 * 730, 1);
}

TEST(ObserveMetrics, EnginesThatAreRenamedOrJoinedWithNoGpuAreSaid) {
  std::string text;
  for (int minute = 0; minute <= 120; ++minute)
    text += fmt::format(
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-1\",Hostname=\"h1\"}} 0.4 {0:.0f}\n"
        "vllm_num_requests_running{{model_name=\"m\"}} 1 {0:.0f}\n"
        "vllm:generation_tokens_total{{model_name=\"m\",instance=\"h1:8000\"}} {1} {0:.0f}\n",
        1e3 * (kMidnight + 60 * minute), 60 * minute);
  const ObserveAnswer answer = observed({{"m.prom", text}}, 2);
  EXPECT_TRUE(says(answer, "renamed-metrics"));
  EXPECT_TRUE(says(answer, "unjoined-service"));
}

}  // namespace
}  // namespace loadfactor::engine
