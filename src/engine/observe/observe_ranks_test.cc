// Ranks of a run that are slow by its logs, and what logs and counters say of its MFU.
#include "engine/observe/observe_ranks.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor::engine {
namespace {

constexpr int kSteps = 60;

// A rank's steps differ by a few per mille.
double step_ms(int rank, int step, double pace) {
  return 2000.0 / pace * (1 + 0.002 * ((rank * 7 + step * 3) % 5 - 2));
}

std::string megatron_line(int step, double ms, double tflops = 0) {
  return fmt::format(
      " [2026-11-10 {:02}:{:02}:{:02}] iteration {:8}/ 9000 | elapsed time per iteration (ms): "
      "{:.1f} |{}\n",
      step * 2 / 3600, step * 2 / 60 % 60, step * 2 % 60, step, ms,
      tflops > 0 ? fmt::format(" throughput per GPU (TFLOP/s/GPU): {:.1f} |", tflops) : "");
}

std::optional<ObserveAnswer> observed_logs(const std::vector<observe::TextFile>& files,
                                           std::vector<TrainInputs> runs = {}) {
  ObserveInputs inputs;
  inputs.files = files;
  inputs.runs = std::move(runs);
  inputs.price = DollarsPerGpuSecond::from_base(1.0 / 3600);
  Diagnostics diagnostics;
  auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer;
}

// All ranks in one log, as torchrun's --tee prints it.
TEST(ObserveRanks, ARankThatIsSlowInOneLogIsNamedAndTheRunIsOne) {
  std::string text = "world_size ........ 8\n";
  for (int step = 1; step <= kSteps; ++step)
    for (int rank = 0; rank < 8; ++rank)
      text += fmt::format("[rank{}]:", rank) +
              megatron_line(step, step_ms(rank, step, rank == 5 ? 0.85 : 1));
  const auto answer = observed_logs({{"train.log", text}});
  ASSERT_EQ(answer->training.size(), 1U);
  EXPECT_EQ(answer->training[0].restarts, 0);
  EXPECT_EQ(answer->training[0].steps, kSteps);
  EXPECT_EQ(answer->ranks_tested, 8);
  ASSERT_EQ(answer->stragglers.size(), 1U);
  EXPECT_EQ(answer->stragglers[0].gpu, "rank 5 of train.log");
  EXPECT_EQ(answer->stragglers[0].sign, observe::StragglerSign::kSteps);
  EXPECT_NEAR(answer->stragglers[0].ratio, 0.85, 0.01);
  EXPECT_LE(answer->stragglers[0].probability, answer->false_alarms);
}

TEST(ObserveRanks, LogsOfRanksAreOneRun) {
  std::vector<std::string> texts(8, "world_size ........ 8\n");
  std::vector<observe::TextFile> files;
  for (int rank = 0; rank < 8; ++rank) {
    auto& text = texts[static_cast<std::size_t>(rank)];
    for (int step = 1; step <= kSteps; ++step)
      text += megatron_line(step, step_ms(rank, step, rank == 2 ? 0.8 : 1));
    files.push_back({fmt::format("logs/node{}.log", rank), text});
  }
  const auto answer = observed_logs(files);
  ASSERT_EQ(answer->training.size(), 1U);
  EXPECT_EQ(answer->gpus, 8);
  ASSERT_EQ(answer->stragglers.size(), 1U);
  EXPECT_EQ(answer->stragglers[0].node, "node 2");
  EXPECT_EQ(answer->stragglers[0].gpu, "node 2 of logs/*.log");
}

TEST(ObserveRanks, LogsThatNameNoRankAreRunsOfTheirOwn) {
  std::vector<std::string> texts(6);
  std::vector<observe::TextFile> files;
  for (int run = 0; run < 6; ++run) {
    auto& text = texts[static_cast<std::size_t>(run)];
    for (int step = 1; step <= kSteps; ++step)
      text += megatron_line(step, step_ms(run, step, run == 2 ? 0.8 : 1));
    files.push_back({fmt::format("run{}.log", run), text});
  }
  const auto answer = observed_logs(files);
  EXPECT_EQ(answer->training.size(), 6U);
  EXPECT_TRUE(answer->stragglers.empty());
}

// Steps are as long for all; one rank computes longer, and the others wait for it.
TEST(ObserveRanks, ARankThatComputesLongerHoldsUpAllOfThem) {
  std::string text = "world_size ........ 16\n";
  for (int step = 1; step <= kSteps; ++step) {
    text += megatron_line(step, 2000) + "times across ranks (ms):\n  forward-compute:\n";
    for (int rank = 0; rank < 16; ++rank)
      text += fmt::format("     rank {:2}: {:.2f}\n", rank,
                          step_ms(rank, step, rank == 3 ? 0.8 : 1) / 2);
  }
  const auto answer = observed_logs({{"train.log", text}});
  ASSERT_EQ(answer->stragglers.size(), 1U);
  EXPECT_EQ(answer->stragglers[0].gpu, "rank 3 of train.log");
  // A quarter of a second of each two seconds, of sixteen GPUs.
  ASSERT_EQ(answer->training[0].slow_ranks.size(), 1U);
  EXPECT_NEAR(answer->training[0].slow_ranks[0].gpus_lost, 16 * 0.125, 0.1);
}

TEST(ObserveRanks, RanksAtOnePaceAreNotNamed) {
  std::string text;
  for (int step = 1; step <= kSteps; ++step)
    for (int rank = 0; rank < 16; ++rank)
      text += fmt::format("{:2}: ", rank) + megatron_line(step, step_ms(rank, step, 1));
  const auto answer = observed_logs({{"train.log", text}});
  EXPECT_EQ(answer->ranks_tested, 16);
  EXPECT_EQ(answer->gpus, 16);
  EXPECT_TRUE(answer->stragglers.empty());
}

constexpr const char* kRun = R"(loadfactor: 1
name: run
train:
  model: llama-3.1-8b
  tokens: 10 B
  global_batch: 64
  sequence: 8192
  layout: {gpus: 8, zero: 3}
hardware: [h100-sxm]
)";

TEST(ObserveRuns, MfuByTheLogStandsBesideThatOfTheModelAndThePrediction) {
  TrainInputs run;
  run.scenario = config::testing::sound(kRun);
  Diagnostics diagnostics;
  const auto predicted = testing::shipped().train(run, diagnostics);
  ASSERT_TRUE(predicted && predicted->fits) << render(diagnostics);
  const double step = predicted->step_time.value().base();
  const double tflops = predicted->mfu.value() * predicted->peak.base() / 1e12;
  std::string text;
  for (int n = 1; n <= kSteps; ++n) text += megatron_line(n, 1000 * step, tflops);
  const auto answer = observed_logs({{"train.log", text}}, {run});
  ASSERT_EQ(answer->training.size(), 1U);
  const TrainingRow& row = answer->training.front();
  EXPECT_NEAR(row.mfu.value_or(0), predicted->mfu.value(), 1e-3);
  EXPECT_NEAR(row.logged_mfu.value_or(0), predicted->mfu.value(), 1e-3);
  ASSERT_TRUE(row.predicted);
  EXPECT_NEAR(row.tokens_rate.value_or(0) / row.predicted->tokens_rate, 1, 1e-3);
  const auto says_otherwise = [](const ObserveAnswer& of) {
    for (const Notice& notice : of.notices)
      if (notice.id == "mfu-by-log") return true;
    return false;
  };
  EXPECT_FALSE(says_otherwise(*answer));
  std::string other;
  for (int n = 1; n <= kSteps; ++n) other += megatron_line(n, 1000 * step, 1.5 * tflops);
  EXPECT_TRUE(says_otherwise(*observed_logs({{"train.log", other}}, {run})));
}

// Counters alone: tensor cores of 55 %, busy for nine tenths of two hours.
TEST(ObserveRuns, CountersOfAJobStandBesideThePredictionOfItsScenario) {
  TrainInputs run;
  run.scenario = config::testing::sound(kRun);
  std::string text;
  for (int minute = 0; minute <= 200; ++minute)
    for (int gpu = 0; gpu < 8; ++gpu)
      text += fmt::format(
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"GPU-{}\",Hostname=\"n1\",modelName=\"NVIDIA "
          "H100 "
          "80GB HBM3\",namespace=\"lab\",pod=\"run-0\"}} {} {:.0f}\n",
          gpu, minute % 10 == 9 ? 0.0 : 0.55, 1e3 * (1794268800 + 60 * minute));
  const auto answer = observed_logs({{"metrics.prom", text}}, {run});
  ASSERT_EQ(answer->training.size(), 1U);
  const TrainingRow& row = answer->training.front();
  EXPECT_EQ(row.scenario, "run");
  EXPECT_EQ(row.gpus, 8);
  EXPECT_NEAR(row.tensor.value_or(0), 0.55, 0.01);
  EXPECT_NEAR(row.goodput, 0.9, 0.02);
  EXPECT_TRUE(row.predicted.has_value());
  EXPECT_FALSE(row.mfu.has_value());
}

}  // namespace
}  // namespace loadfactor::engine
