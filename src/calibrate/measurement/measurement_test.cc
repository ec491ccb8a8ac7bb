#include "calibrate/measurement/measurement.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::calibrate {
namespace {

constexpr const char* kProbe = R"({"schema": "probe/1",
 "machine": {"device": "NVIDIA H200", "date": "2026-11-15T06:05:54Z", "power_limit_w": 700},
 "measurements": {
  "gemm": [{"dtype": "bf16", "m": 1, "n": 4096, "k": 4096, "seconds": 1.4e-5, "error": 0.002},
           {"dtype": "bf16", "m": 2, "n": 4096, "k": 4096, "seconds": 1.4e-5, "error": null},
           {"dtype": "bf16", "m": 4, "n": 4096, "k": 4096, "seconds": 1.4e-5, "error": 0.5},
           {"dtype": "bf16", "m": 8, "n": 4096, "k": 4096, "seconds": 1.4e-5, "unwritten": 3}],
  "copy": [{"what": "h2d", "bytes": 1024, "seconds": 1e-6, "correct": false}]}})";

TEST(MeasurementTest, AProbeKeepsTheRowsItsOwnChecksPassed) {
  const auto probe = read_probe("probe.json", kProbe);
  ASSERT_TRUE(probe.has_value()) << render(probe.error());
  EXPECT_EQ(probe->device, "NVIDIA H200");
  EXPECT_EQ(probe->date, "2026-11-15");
  EXPECT_DOUBLE_EQ(probe->power_limit_w, 700);
  ASSERT_EQ(probe->section("gemm").size(), 1u);
  EXPECT_EQ(probe->section("gemm")[0].number("n"), 4096.0);
  EXPECT_EQ(probe->section("gemm")[0].word("dtype"), "bf16");
  EXPECT_TRUE(probe->section("copy").empty());
  // What was left out is told, with its place.
  ASSERT_EQ(probe->notices.size(), 2u);
  EXPECT_NE(probe->notices[0].text.find("probe.json:5: 3 of 4 rows of 'gemm' have wrong results"),
            std::string::npos)
      << probe->notices[0].text;
  EXPECT_TRUE(probe->section("nothing").empty());
}

TEST(MeasurementTest, AProbeThatMeasuredNothingIsRefused) {
  const auto probe = read_probe("probe.json", R"({"schema": "probe/1", "measurements": {}})");
  ASSERT_FALSE(probe.has_value());
  EXPECT_EQ(probe.error().code, lf::kNoMeasurement);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

TEST(MeasurementTest, TimesThatAreNoneAreLeftOutAndToldOrRefused) {
  const std::string some = replaced(
      kProbe, R"({"dtype": "bf16", "m": 2)",
      R"({"dtype": "bf16", "m": 3, "n": 1, "k": 1, "seconds": -1e-5}, {"dtype": "bf16", "m": 2)");
  const auto probe = read_probe("probe.json", some);
  ASSERT_TRUE(probe.has_value()) << render(probe.error());
  EXPECT_EQ(probe->section("gemm").size(), 1u);
  EXPECT_NE(probe->notices.at(1).text.find("1 of 5 rows of 'gemm' have no time above 0"),
            std::string::npos)
      << probe->notices[1].text;
  const auto none = read_probe("probe.json", replaced(kProbe, "1.4e-5", "0"));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, lf::kNoMeasurement);
  EXPECT_NE(none.error().message.find("none of its 4 kernels"), std::string::npos);
}

TEST(MeasurementTest, WhatAProbeWarnsOfIsPassedOn) {
  const auto probe = read_probe(
      "probe.json", replaced(replaced(kProbe, R"("power_limit_w": 700)",
                                      R"("power_limit_w": 350, "power_limit_default_w": 700)"),
                             R"("measurements": {)",
                             R"("warnings": ["clocks are held back"],
 "failures": [{"section": "copy", "reason": "out of memory"}], "measurements": {)"));
  ASSERT_TRUE(probe.has_value()) << render(probe.error());
  std::string all;
  for (const Notice& notice : probe->notices) all += notice.text + "\n";
  for (const char* words :
       {"warns: clocks are held back", "'copy' broke off: out of memory", "350 W of 700 W"})
    EXPECT_NE(all.find(words), std::string::npos) << all;
}

TEST(MeasurementTest, ASliceOfADeviceIsNotTheChip) {
  const auto probe = read_probe(
      "probe.json", replaced(kProbe, R"("power_limit_w": 700)", R"("partitioned": true)"));
  ASSERT_FALSE(probe.has_value());
  EXPECT_EQ(probe.error().where.line, 2u);
  EXPECT_NE(probe.error().message.find("partitioned"), std::string::npos);
}

TEST(MeasurementTest, AnotherVersionAndAnEmptyFileAreCalledSo) {
  const auto newer = read_measurement("probe.json", replaced(kProbe, "probe/1", "probe/2"));
  ASSERT_FALSE(newer.has_value());
  EXPECT_EQ(newer.error().code, lf::kWrongSchema);
  EXPECT_NE(newer.error().message.find("not 'probe/2'"), std::string::npos);
  for (const char* text : {"", " \n\t\n"}) {
    const auto empty = read_measurement("x.log", text);
    ASSERT_FALSE(empty.has_value());
    EXPECT_EQ(empty.error().code, lf::kEmptyFile);
  }
}

constexpr const char* kNccl = R"(# nThread 1 nGpus 2 minBytes 8 maxBytes 134217728 step: 2(factor)
# Using devices
#  Rank  0 Group  0 Pid  1234 on   node device  0 [0x00] NVIDIA H100
#  Rank  1 Group  0 Pid  1234 on   node device  1 [0x01] NVIDIA H100
#
#                                                       out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    25.10   41.78   41.78      0    24.90   42.11   42.11      0
   134217728      33554432     float     sum      -1    812.5  165.19  165.19      0    811.0  165.50  165.50      0
# Avg bus bandwidth    : 103.6
)";

TEST(MeasurementTest, NcclTestsPrintSizesAndMicroseconds) {
  const auto read = read_measurement("all_reduce_perf.txt", kNccl);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  const auto& points = std::get<CollectiveFile>(*read).points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].operation, "all_reduce");
  EXPECT_EQ(points[1].ranks, 2);
  EXPECT_DOUBLE_EQ(points[1].bytes.base(), 134217728.0);
  EXPECT_DOUBLE_EQ(points[1].duration.base(), 812.5e-6);
}

TEST(MeasurementTest, RowsOfWrongResultsAreLeftOutAndTold) {
  const std::string one = replaced(kNccl, "41.78      0", "41.78     17");
  const auto read = read_measurement("all_reduce_perf.txt", one);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  const auto& found = std::get<CollectiveFile>(*read);
  EXPECT_EQ(found.points.size(), 1u);
  ASSERT_EQ(found.notices.size(), 1u);
  EXPECT_NE(found.notices[0].text.find("all_reduce_perf.txt:9: 1 row of wrong results"),
            std::string::npos)
      << found.notices[0].text;
  const auto none =
      read_measurement("all_reduce_perf.txt", replaced(one, "165.19      0", "165.19      1"));
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("nothing but 2 rows of wrong results"), std::string::npos);
}

TEST(MeasurementTest, LinesThatAreBlankButForTheirEndAreSkipped) {
  const auto read = read_measurement("all_reduce_perf.txt", std::string(kNccl) + "\r\n\t\r\n");
  ASSERT_TRUE(read.has_value()) << render(read.error());
  EXPECT_EQ(std::get<CollectiveFile>(*read).points.size(), 2u);
}

TEST(MeasurementTest, RanksMayStandAfterTheTable) {
  const std::string text = kNccl;
  const std::size_t table = text.find("     1048576");
  const auto read = read_measurement("all_reduce_perf.txt",
                                     "# size count type redop root time algbw busbw #wrong\n" +
                                         text.substr(table) + text.substr(0, table));
  ASSERT_TRUE(read.has_value()) << render(read.error());
  for (const auto& point : std::get<CollectiveFile>(*read).points) EXPECT_EQ(point.ranks, 2);
}

TEST(MeasurementTest, TheRankLinesNameTheDevice) {
  const auto read = read_measurement("all_reduce_perf.txt", kNccl);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  EXPECT_EQ(std::get<CollectiveFile>(*read).device, "NVIDIA H100");
  const auto json = read_measurement(
      "x.json", R"({"name": "all_gather_perf", "devices": [{"name": "NVIDIA H100 80GB HBM3"},
      {"name": "NVIDIA H100 80GB HBM3"}], "results": [{"size": 4096, "time": 12.5}]})");
  ASSERT_TRUE(json.has_value()) << render(json.error());
  EXPECT_EQ(std::get<CollectiveFile>(*json).device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(std::get<CollectiveFile>(*json).points.at(0).ranks, 2);
}

TEST(MeasurementTest, ATableWithoutItsHeadIsPointedAt) {
  const auto read = read_measurement(
      "all_reduce.txt", "# all_reduce_perf\n\n 1048576 262144 float sum -1 25.1 41.7 41.7 0\n");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, lf::kNoMeasurement);
  EXPECT_EQ(read.error().where.line, 3u);
}

TEST(MeasurementTest, RanksThatAreNotListedAreCountedFromTheHead) {
  const std::string head = "# Collective test starting: all_reduce_perf\n# nThread 2 nGpus 4 x\n";
  const std::string rank = "#  Rank  0 Group  0 Pid   42 on  n1 device  0 [0x00] NVIDIA H100\n";
  const std::string row = " 1048576  262144  float  sum  -1  38.21  27.44  48.02  0\n";
  const auto ranks_of = [&](int listed) {
    std::string text = head;
    for (int i = 0; i < listed; ++i) text += rank;
    const auto read = read_measurement("log.txt", text + row);
    return read ? std::get<CollectiveFile>(*read).points.at(0).ranks : 0;
  };
  EXPECT_EQ(ranks_of(1), 8);
  EXPECT_EQ(ranks_of(8), 8);
  EXPECT_EQ(ranks_of(16), 16);  // Two processes.
}

TEST(MeasurementTest, ATableThatNamesNoProgramIsToldByItsBandwidths) {
  const auto table = [](const std::string& columns) {
    return "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor)\n"
           "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
           "    67108864      16777216     float " +
           columns + "      0\n";
  };
  const auto operation = [&](const std::string& columns) {
    const auto read = read_measurement("out.txt", table(columns));
    return read ? std::get<CollectiveFile>(*read).points.at(0).operation : read.error().hint;
  };
  // The factors of eight ranks are 7/4 and 7/8.
  EXPECT_EQ(operation("sum -1 335.54 200.00 350.00"), "all_reduce");
  EXPECT_EQ(operation("sum -1 335.54 200.00 175.00"), "reduce_scatter");
  // Gathering and exchanging have the same factor; to one rank is neither.
  EXPECT_NE(operation("none -1 335.54 200.00 175.00").find("all_gather_perf.txt"),
            std::string::npos);
  EXPECT_NE(operation("sum 0 335.54 200.00 200.00").find("name the file"), std::string::npos);
}

TEST(MeasurementTest, NcclTestsAsJson) {
  const auto read =
      read_measurement("x.json", R"({"name": "all_gather_perf", "config": {"nranks": 8},
      "results": [{"size": 4096, "out_of_place": {"time": 12.5}}, {"size": -1, "time": 3}]})");
  ASSERT_TRUE(read.has_value()) << render(read.error());
  const auto& points = std::get<CollectiveFile>(*read).points;
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].operation, "all_gather");
  EXPECT_DOUBLE_EQ(points[0].duration.base(), 12.5e-6);
}

TEST(MeasurementTest, NcclTestsAsJsonNameProgramAndDevicesInTheirOwnWay) {
  const std::string text = R"({"version": 1, "args": ["./build/all_reduce_perf", "-g", "2"],
      "config": {"nthreads": 1, "ngpus": 2},
      "devices": [{"rank": 0, "device": 0, "device_name": "NVIDIA H200"},
                  {"rank": 1, "device": 1, "device_name": "NVIDIA H200"}],
      "results": [{"size": 1048576, "out_of_place": {"time": 23.8, "nwrong": 0}},
                  {"size": 2097152, "out_of_place": {"time": 27.6, "nwrong": 3}}]})";
  const auto read = read_measurement("out.json", text);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  const auto& found = std::get<CollectiveFile>(*read);
  ASSERT_EQ(found.points.size(), 1u);
  EXPECT_EQ(found.points[0].operation, "all_reduce");
  EXPECT_EQ(found.points[0].ranks, 2);
  EXPECT_EQ(found.device, "NVIDIA H200");
  EXPECT_EQ(found.notices.size(), 1u);
  const auto alone = read_measurement("out.json", replaced(text, "all_reduce_perf", "prog"));
  ASSERT_FALSE(alone.has_value());
  EXPECT_NE(alone.error().hint.find("all_gather_perf.json"), std::string::npos);
}

constexpr const char* kVllm =
    R"({"model_id": "m", "completed": 10, "max_concurrency": 8, "request_rate": "inf",
    "total_input_tokens": 10000, "total_output_tokens": 2000, "request_throughput": 1.0,
    "output_throughput": 200.0, "mean_ttft_ms": 100.0, "mean_tpot_ms": 20.0})";

TEST(MeasurementTest, ATimeBelowNoughtIsPointedAt) {
  const auto read = read_measurement(
      "bench.json", replaced(kVllm, "\"mean_tpot_ms\": 20.0", "\"mean_tpot_ms\": -2"));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, lf::kNoMeasurement);
  EXPECT_EQ(read.error().where.line, 3u);
}

TEST(MeasurementTest, RequestsThatFailedAreToldAndManyOfThemRefused) {
  const auto few = read_measurement(
      "bench.json", replaced(kVllm, "\"completed\": 10", "\"completed\": 100, \"failed\": 2"));
  ASSERT_TRUE(few.has_value()) << render(few.error());
  const auto& notices = std::get<ServingFile>(*few).notices;
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].text.find("2 of 102 requests failed"), std::string::npos);
  const auto most = read_measurement(
      "bench.json",
      replaced(kVllm, "\"completed\": 10", "\"completed\": 12, \"num_prompts\": 500"));
  ASSERT_FALSE(most.has_value());
  EXPECT_NE(most.error().message.find("488 of 500 requests failed"), std::string::npos);
  const auto none = read_measurement("bench.json", R"({"completed": 0, "output_throughput": 0})");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, lf::kNoMeasurement);
}

TEST(MeasurementTest, ResultsOfThreeLoadGeneratorsSayTheSame) {
  const char* guidellm = R"({"args": {"model": "m"}, "benchmarks": [{"metrics": {
    "request_concurrency": {"successful": {"mean": 8}}, "requests_per_second": {"successful": {"mean": 1.0}},
    "output_tokens_per_second": {"successful": {"mean": 200.0}}, "prompt_token_count": {"successful": {"mean": 1000}},
    "output_token_count": {"successful": {"mean": 200}}, "time_to_first_token_ms": {"successful": {"mean": 100.0}},
    "request_latency": {"successful": {"count": 10}}, "inter_token_latency_ms": {"successful": {"mean": 20.0}}}}]})";
  const char* aiperf =
      R"({"input_config": {"endpoint": {"model_names": ["m"]}, "loadgen": {"concurrency": 8}},
    "output_token_throughput": {"avg": 200.0}, "request_throughput": {"avg": 1.0}, "request_count": {"avg": 10},
    "input_sequence_length": {"avg": 1000}, "output_sequence_length": {"avg": 200},
    "time_to_first_token": {"avg": 100.0}, "inter_token_latency": {"avg": 20.0}})";
  for (const char* text : {kVllm, guidellm, aiperf}) {
    const auto read = read_measurement("bench.json", text);
    ASSERT_TRUE(read.has_value()) << render(read.error());
    const auto& point = std::get<ServingFile>(*read).points.at(0);
    EXPECT_EQ(point.model, "m") << point.tool;
    EXPECT_DOUBLE_EQ(point.concurrency, 8) << point.tool;
    EXPECT_DOUBLE_EQ(point.requests, 10) << point.tool;
    EXPECT_DOUBLE_EQ(point.input_tokens, 1000) << point.tool;
    EXPECT_DOUBLE_EQ(point.output_tokens, 200) << point.tool;
    EXPECT_DOUBLE_EQ(point.output_throughput, 200) << point.tool;
    EXPECT_DOUBLE_EQ(point.first_token.base(), 0.1) << point.tool;
    EXPECT_DOUBLE_EQ(point.per_token.base(), 0.02) << point.tool;
  }
}

TEST(MeasurementTest, MegatronLinesGiveTheStep) {
  std::string log = "building GPT model ...\n";
  for (int i = 1; i <= 10; ++i)
    log += " [2026-01-01] iteration " + std::to_string(i) +
           "/ 100 | consumed samples: 64 | elapsed time per iteration (ms): " +
           (i == 1 ? "9000.0" : "1250.0") +
           " | throughput per GPU (TFLOP/s/GPU): 410.5 | loss: 1 |\n";
  const auto read = read_measurement("train.log", log);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  const auto& found = std::get<TrainingLog>(*read);
  EXPECT_EQ(found.framework, "megatron");
  ASSERT_EQ(found.steps.size(), 10u);
  EXPECT_EQ(found.steps[9].step, 10);
  EXPECT_DOUBLE_EQ(found.steps[9].tflops, 410.5);
  EXPECT_NEAR(found.typical_step()->base(), 1.25, 1e-12);
  EXPECT_DOUBLE_EQ(found.spread(), 0.0);
}

TEST(MeasurementTest, TorchtitanAndDeepSpeedLines) {
  const auto titan = read_training_log(
      "a.log",
      "[rank0] step: 10  loss:  8.09  grad_norm: 1.2  memory: 47.50GiB(60.1%)  tps: 5,234  "
      "tflops: 301.20  mfu: 30.45%\n");
  ASSERT_TRUE(titan.has_value());
  EXPECT_DOUBLE_EQ(titan->steps[0].tokens_per_second, 5234);
  EXPECT_DOUBLE_EQ(titan->steps[0].tflops, 301.2);
  EXPECT_FALSE(titan->typical_step().has_value());
  const auto deepspeed =
      read_training_log("b.log",
                        "[INFO] epoch=0/micro_step=8/global_step=2, RunningAvgSamplesPerSec=12.3, "
                        "CurrSamplesPerSec=12.5, MemAllocated=3.4GB\n");
  ASSERT_TRUE(deepspeed.has_value());
  EXPECT_EQ(deepspeed->framework, "deepspeed");
  EXPECT_DOUBLE_EQ(deepspeed->steps[0].samples_per_second, 12.5);
  const auto steps =
      read_training_log("c.log", "steps: 10 loss: 5.1 iter time (s): 1.5 samples/sec: 42.7\n");
  ASSERT_TRUE(steps.has_value());
  EXPECT_DOUBLE_EQ(steps->typical_step()->base(), 1.5);
}

TEST(MeasurementTest, ALogSaysWhatRan) {
  const auto megatron = read_training_log(
      "a.log",
      "using world size: 8, data-parallel size: 4, tensor-model-parallel size: 2\n"
      "  seq_length ...................................... 8192\n"
      " iteration 1/ 10 | elapsed time per iteration (ms): 900.0 | global batch size:    64 |\n"
      " iteration 2/ 10 | elapsed time per iteration (ms): 900.0 | global batch size:   128 |\n");
  ASSERT_TRUE(megatron.has_value());
  EXPECT_DOUBLE_EQ(megatron->gpus->value, 8);
  EXPECT_DOUBLE_EQ(megatron->sequence->value, 8192);
  EXPECT_EQ(megatron->sequence->line, 2u);
  EXPECT_DOUBLE_EQ(megatron->global_batch->value, 128);  // The last, where it grows.
  EXPECT_EQ(megatron->first_line, 3u);
  EXPECT_FALSE(megatron->parameters.has_value());
  const auto torchtitan = read_training_log(
      "b.log",
      "Model llama3 8B size: 8,030,261,248 total parameters\n"
      "Trainer is initialized with local batch size 1, global batch size 8, gradient "
      "accumulation steps 1, sequence length 4096, total steps 1000\n"
      "step: 1  loss: 8.0  tps: 5,234\n");
  ASSERT_TRUE(torchtitan.has_value());
  EXPECT_DOUBLE_EQ(torchtitan->parameters->value, 8030261248.0);
  EXPECT_DOUBLE_EQ(torchtitan->global_batch->value, 8);
  EXPECT_DOUBLE_EQ(torchtitan->sequence->value, 4096);
  const auto deepspeed = read_training_log(
      "c.log",
      "  train_batch_size ............. 64\n  train_micro_batch_size_per_gpu  2\n"
      "  world_size ................... 16\nglobal_step=2, CurrSamplesPerSec=9.5\n");
  ASSERT_TRUE(deepspeed.has_value());
  EXPECT_DOUBLE_EQ(deepspeed->global_batch->value, 64);
  EXPECT_DOUBLE_EQ(deepspeed->gpus->value, 16);
}

TEST(MeasurementTest, StepsThatTookNoTimeAreToldOrRefused) {
  const std::string line = " iteration 1/ 10 | elapsed time per iteration (ms): ";
  const auto none = read_measurement("a.log", "training\n" + line + "0.0 |\n" + line + "-1 |\n");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().where.line, 2u);
  EXPECT_NE(none.error().message.find("2 lines of Megatron"), std::string::npos);
  const auto some = read_training_log("a.log", line + "0.0 |\n" + line + "900.0 |\n");
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->steps.size(), 1u);
  EXPECT_EQ(some->notices.size(), 1u);
}

TEST(MeasurementTest, RatesBecomeStepsOnceTheWorkIsKnown) {
  TrainingLog log{"torchtitan", {{.step = 1, .tokens_per_second = 4000}}};
  EXPECT_FALSE(log.typical_step().has_value());
  EXPECT_DOUBLE_EQ(log.with_work(8000, 16).typical_step()->base(), 2.0);
  log = {"deepspeed", {{.step = 1, .samples_per_second = 8}}};
  EXPECT_DOUBLE_EQ(log.with_work(8000, 16).typical_step()->base(), 2.0);
  log = {"megatron", {{.step = 1, .duration = Seconds::from_base(3), .tokens_per_second = 4000}}};
  EXPECT_DOUBLE_EQ(log.with_work(8000, 16).typical_step()->base(), 3.0);
}

TEST(MeasurementTest, WhatIsNoMeasurementIsCalledSo) {
  for (const char* text : {"", "hello", "{}", R"({"a": 1})", "1 2 3\n", "# all_reduce_perf\n"}) {
    const auto read = read_measurement("x", text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_TRUE(find_error_code(read.error().code) != nullptr) << text;
  }
}

}  // namespace
}  // namespace loadfactor::calibrate
