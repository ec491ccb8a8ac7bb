// Metrics of runs and logs of servers, as their tools keep them.
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"

namespace loadfactor::calibrate {
namespace {

TrainingLog log_of(const std::string& file, const std::string& text) {
  const auto read = read_measurement(file, text);
  EXPECT_TRUE(read) << (read ? "" : render(read.error()));
  const auto* log = read ? std::get_if<TrainingLog>(&*read) : nullptr;
  EXPECT_NE(log, nullptr) << text;
  return log == nullptr ? TrainingLog{} : *log;
}

ServingFile serving_of(const std::string& text) {
  const auto read = read_measurement("server.log", text);
  EXPECT_TRUE(read) << (read ? "" : render(read.error()));
  const auto* file = read ? std::get_if<ServingFile>(&*read) : nullptr;
  EXPECT_NE(file, nullptr) << text;
  return file == nullptr ? ServingFile{} : *file;
}

TEST(RunMetrics, AMetricOfMlflowIsKnownByTheNameOfItsFile) {
  const std::string text =
      "1763370000000 6.5 10\n1763370100000 6.4 20\n1763370200000 6.4 30\n1763370300000 6.6 40\n";
  EXPECT_NEAR(log_of("mlruns/0/ab/metrics/train_step_timing", text).typical_step()->base(), 6.45,
              0.06);
  // The moments of any other metric say how long ten steps took.
  EXPECT_NEAR(log_of("mlruns/0/ab/metrics/loss", text).typical_step()->base(), 10, 1e-9);
}

TEST(RunMetrics, TheTrackingServersAnswerIsReadStepByStep) {
  const auto log = log_of("history.json",
                          R"({"metrics":[
      {"key":"loss","value":8.1,"timestamp":1763370000000,"step":1},
      {"key":"step_time","value":2.5,"timestamp":1763370000000,"step":1},
      {"key":"step_time","value":2.5,"timestamp":1763370002500,"step":2}]})");
  ASSERT_EQ(log.steps.size(), 2U);
  EXPECT_NEAR(log.typical_step()->base(), 2.5, 1e-9);
  EXPECT_TRUE(log.framework.empty());
}

TEST(RunMetrics, HistoriesOfWeightsAndBiasesComeAsLinesOrAsATable) {
  const auto lines =
      log_of("wandb-history.jsonl",
             "{\"_step\":10,\"_runtime\":100.0,\"_timestamp\":1763370100.0,\"loss\":7.1}\n"
             "{\"_step\":20,\"_runtime\":130.0,\"_timestamp\":1763370130.0,\"loss\":7.0}\n"
             "{\"_step\":30,\"_runtime\":160.0,\"_timestamp\":1763370160.0,\"loss\":NaN}\n");
  ASSERT_EQ(lines.steps.size(), 1U);
  EXPECT_NEAR(lines.typical_step()->base(), 3, 1e-9);
  const auto sound =
      log_of("wandb-history.jsonl",
             "{\"_step\":10,\"_runtime\":100.0,\"loss\":7.1}\n{\"_step\":20,\"_runtime\":130.0}\n");
  EXPECT_NEAR(sound.typical_step()->base(), 3, 1e-9);
  const auto table = log_of("export.csv",
                            "\"Step\",\"run - throughput(tps)\",\"run - loss\"\n"
                            "10,5000,7.1\n20,5100,7.0\n");
  EXPECT_EQ(table.steps.size(), 2U);
}

TEST(RunMetrics, RatesOfTorchtitanAreTakenPerGpu) {
  const auto log = log_of("export.csv", "Step,throughput(tps),loss\n10,5000,7.1\n20,5000,7.0\n");
  ASSERT_EQ(log.steps.size(), 2U);
  EXPECT_EQ(log.steps[0].tokens_per_second, 5000);
  EXPECT_NEAR(log.with_work(10000, 1).typical_step()->base(), 2, 1e-9);
}

TEST(RunMetrics, MetricsWithoutATimeAreRefused) {
  for (const char* text :
       {"Step,loss\n10,7.1\n20,7.0\n", "{\"_step\":1,\"loss\":1}\n{\"_step\":2,\"loss\":1}\n",
        R"({"metrics":[{"key":"loss","value":8.1,"step":1}]})",
        "{\"_step\":5,\"_runtime\":9}\n{\"_step\":5,\"_runtime\":19}\n",
        "{\"_step\":5,\"_runtime\":9}\n{\"_step\":4,\"_runtime\":19}\n"}) {
    const auto read = read_measurement("file", text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, lf::kNoMeasurement) << text;
  }
}

TEST(ServerLog, LinesOfVllmBecomeThePointOfTheUsualBatch) {
  const std::string line =
      "INFO 11-17 09:00:00 [loggers.py:123] Engine 000: Avg prompt throughput: 1000.0 tokens/s, "
      "Avg generation throughput: ";
  const std::string rest = " reqs, Waiting: 0 reqs, GPU KV cache usage: 1.0%\n";
  const auto file = serving_of(
      "INFO [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: "
      "model='Qwen/Qwen3-8B', dtype=torch.bfloat16\n" +
      line + "100.0 tokens/s, Running: 1" + rest + line + "3200.0 tokens/s, Running: 32" + rest +
      line + "3300.0 tokens/s, Running: 33" + rest + line + "3100.0 tokens/s, Running: 31" + rest +
      line + "0.0 tokens/s, Running: 0" + rest);
  ASSERT_EQ(file.points.size(), 1U);
  EXPECT_NEAR(file.points[0].concurrency, 32, 1e-9);
  EXPECT_NEAR(file.points[0].output_throughput, 3200, 1e-9);
  EXPECT_EQ(file.points[0].model, "Qwen/Qwen3-8B");
  EXPECT_EQ(file.points[0].tool, "vllm-log");
}

TEST(ServerLog, SoDoThoseOfSglang) {
  const auto file = serving_of(
      "[2026-11-17 09:00:00] Decode batch. #running-req: 64, #token: 70000, token usage: 0.12, "
      "cuda graph: True, gen throughput (token/s): 4800.50, #queue-req: 0\n");
  ASSERT_EQ(file.points.size(), 1U);
  EXPECT_EQ(file.points[0].concurrency, 64);
  EXPECT_EQ(file.points[0].output_throughput, 4800.5);
}

TEST(ServerLog, AServerThatGeneratesNothingIsRefused) {
  for (const char* text : {"Avg generation throughput: 0.0 tokens/s, Running: 0 reqs\n",
                           "Avg generation throughput: nan tokens/s, Running: 3 reqs\n",
                           "Avg generation throughput: 12 tokens/s\n",
                           "gen throughput (token/s): -5, #running-req: 3\n"}) {
    const auto read = read_measurement("server.log", text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, lf::kNoMeasurement) << text;
  }
}

TEST(ServingResults, SglangAppendsOneObjectForEachRun) {
  const std::string run =
      R"({"backend":"sglang","completed":10,"total_input_tokens":10000,"total_output_tokens":2000,)"
      R"("output_throughput":500.0,"request_throughput":2.5,"mean_ttft_ms":30,"mean_tpot_ms":8,)"
      R"("max_concurrency":4})";
  const auto file = serving_of(run + "\n" + run + "\n");
  ASSERT_EQ(file.points.size(), 2U);
  EXPECT_EQ(file.points[1].tool, "sglang");
  EXPECT_EQ(file.points[1].input_tokens, 1000);
}

}  // namespace
}  // namespace loadfactor::calibrate
