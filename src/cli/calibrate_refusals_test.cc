// What `calibrate` does not take at face value.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/folder.h"
#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::corpus;
using testing::data;
using testing::Folder;
using testing::loadfactor;
using testing::Outcome;
using testing::says;

std::string probe_file() {
  return data("calibration/h200-sxm/2026-11-15.json");
}

constexpr const char* kTrain = R"(loadfactor: 1
name: small
train:
  model: llama-3.1-8b
  precision: bf16
  tokens: 10 B
  sequence: 8192
  global_batch: 64
  layout: {gpus: 8, tp: 2, pp: 1, dp: 4, zero: 1, micro_batch: 1, recompute: none}
  stack: {framework: megatron-core-2026}
hardware: [h200-sxm]
)";
constexpr const char* kServe = R"(loadfactor: 1
name: chat
serve:
  model: llama-3.1-70b
  precision: fp8
  demand: {requests_per_second: 2, tokens_in: 1000, tokens_out: 200}
  deployment: {gpu: h200-sxm, engine: vllm, tp: 2, replicas: 1}
)";

std::string megatron_log(const std::string& settings) {
  return "training ...\n iteration 1/ 100 | elapsed time per iteration (ms): 6400.0 |" + settings +
         "\n iteration 2/ 100 | elapsed time per iteration (ms): 6410.0 |" + settings + "\n";
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_refused(const Outcome& outcome, const std::string& words) {
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  EXPECT_TRUE(says(outcome.err, words)) << outcome.err;
}

TEST(CalibrateRefusalTest, ALogThatContradictsTheScenarioIsRefusedAtItsLine) {
  const Folder folder("lf-refuse-log");
  const std::string scenario = folder.write("train.yaml", kTrain);
  const auto ask = [&](const std::string& text) {
    return loadfactor({"calibrate", folder.write("run.log", text), "--for", scenario});
  };
  expect_refused(ask(megatron_log(" global batch size:   512 |")),
                 "the log says a global batch of 512, the scenario 64");
  EXPECT_TRUE(says(ask(megatron_log(" global batch size:   512 |")).err, "run.log:3"));
  expect_refused(ask("using world size: 16, data-parallel size: 8\n" + megatron_log("")),
                 "GPUs: 16, the scenario 8");
  expect_refused(ask("  seq_length .................... 4096\n" + megatron_log("")),
                 "sequences of 4096, the scenario 8192");
  expect_refused(ask("Total number of parameters in billions: 70.6\n" + megatron_log("")),
                 "parameters: 7.06e+10");
  expect_refused(ask("step: 10  loss: 8.0  tps: 9,162  tflops: 301.2\n"),
                 "a log of torchtitan, and the scenario ran megatron");
  EXPECT_EQ(ask(megatron_log(" global batch size:    64 |")).status, 0);
  EXPECT_EQ(ask(megatron_log("")).status, 0);
}

TEST(CalibrateRefusalTest, AResultOfAnotherModelOrDeploymentIsRefused) {
  const Folder folder("lf-refuse-serving");
  const std::string scenario = folder.write("serve.yaml", kServe);
  const std::string result = corpus("vllm.json");
  expect_refused(loadfactor({"calibrate", result, "--for", scenario}),
                 "the result is of llama-3.1-8b, the scenario serves llama-3.1-70b");
  std::string other = folder.read("serve.yaml");
  other.replace(other.find("llama-3.1-70b"), 13, "llama-3.1-8b");
  const std::string right = folder.write("right.yaml", other);
  const auto with = [&](const char* flag, const char* value) {
    return loadfactor({"calibrate", result, "--for", right, flag, value});
  };
  EXPECT_EQ(with("--tp", "2").status, 0) << with("--tp", "2").err;
  expect_refused(with("--tp", "4"), "--tp says '4', the scenario '2'");
  expect_refused(with("--gpu", "a100"), "--gpu says 'a100-80gb-sxm', the scenario 'h200-sxm'");
  expect_refused(with("--engine", "sglang"), "--engine says 'sglang', the scenario 'vllm'");
  expect_refused(with("--precision", "bf16"), "--precision says 'bf16'");
}

TEST(CalibrateRefusalTest, ALoadNearTheCliffLeavesNoFactorThatIsNoNumber) {
  const Folder folder("lf-refuse-cliff");
  const std::string result =
      folder.write("bench.json",
                   R"({"date":"20251001-120000","endpoint_type":"vllm","backend":"vllm",
      "model_id":"meta-llama/Llama-3.3-70B-Instruct","num_prompts":1000,"request_rate":7.6,
      "max_concurrency":null,"duration":140.0,"completed":1000,"total_input_tokens":1500000,
      "total_output_tokens":300000,"request_throughput":7.14,"output_throughput":2142.8,
      "total_token_throughput":12857,"mean_ttft_ms":210.0,"median_ttft_ms":180.0,
      "p99_ttft_ms":900.0,"mean_tpot_ms":21.0,"median_tpot_ms":20.5,"p99_tpot_ms":35.0})");
  const std::string files = folder.path() + "/fit";
  const auto fitted = loadfactor({"calibrate", result, "--gpu", "h100-sxm", "--tp", "4",
                                  "--precision", "fp8", "--folder", files});
  EXPECT_EQ(fitted.out.find("nan"), std::string::npos) << fitted.out;
  EXPECT_EQ(fitted.out.find("inf %"), std::string::npos) << fitted.out;
  const bool is_written = std::filesystem::exists(files + "/site-serving.yaml");
  EXPECT_EQ(is_written, fitted.status == 0) << fitted.err;
}

TEST(CalibrateRefusalTest, WhatServedMustBeSaidAndKnown) {
  const std::string result = corpus("vllm.json");
  expect_refused(loadfactor({"calibrate", result}), "on which accelerator");
  expect_refused(loadfactor({"calibrate", result, "--gpu", "h200-sxm", "--engine", "foo"}), "foo");
  expect_refused(loadfactor({"calibrate", result, "--gpu", "h200-sxm", "--precision", "foo"}),
                 "foo");
  const auto known = loadfactor({"calibrate", result, "--gpu", "h200-sxm"});
  EXPECT_EQ(known.status, 0) << known.err;
  EXPECT_TRUE(says(known.out, "assumed: vllm in bf16 on 1 GPU")) << known.out;
}

TEST(CalibrateRefusalTest, CollectivesOfTwoChipsAreNotPooled) {
  const Folder folder("lf-refuse-nccl");
  const std::string first = corpus("all_reduce_perf.txt");
  std::string text = read_text(first);
  for (std::size_t at = text.find("NVIDIA H100"); at != std::string::npos;
       at = text.find("NVIDIA H100", at + 1))
    text.replace(at, text.find('\n', at) - at, "NVIDIA H200");
  const std::string second = folder.write("all_reduce_perf.txt", text);
  const auto outcome = loadfactor({"calibrate", first, second});
  expect_refused(outcome, "h100-sxm");
  EXPECT_TRUE(says(outcome.err, "h200-sxm")) << outcome.err;
}

TEST(CalibrateRefusalTest, TwoProbesOfOneChipAreNamedAndOfTwoEachIsLaidOver) {
  const Folder folder("lf-refuse-probes");
  const std::string text = read_text(probe_file());
  const std::string copy = folder.write("copy.json", text);
  const auto twice = loadfactor({"calibrate", probe_file(), copy});
  expect_refused(twice, "are both of h200-sxm");
  EXPECT_TRUE(says(twice.err, "copy.json")) << twice.err;
  std::string other = text;
  other.replace(other.find("NVIDIA H200"), 11, "NVIDIA A100-SXM4-80GB");
  expect_refused(loadfactor({"calibrate", folder.write("a100.json", other)}),
                 "faster than the peak of 'a100-80gb-sxm'");
  other = text;
  other.replace(other.find("NVIDIA H200"), 11, "NVIDIA H100 80GB HBM3");
  const std::string h100 = folder.write("h100.json", other);
  const auto both = loadfactor({"calibrate", probe_file(), h100, "--folder", folder.path() + "/o"});
  EXPECT_EQ(both.status, 0) << both.err;
  for (const char* chip : {"h100-sxm", "h200-sxm"}) {
    EXPECT_TRUE(says(both.out, std::string("Kernels of ") + chip)) << both.out;
    EXPECT_FALSE(folder.read(std::string("o/calibration/") + chip + "/fit.yaml").empty());
  }
}

TEST(CalibrateRefusalTest, WhatAnEarlierCalibrationLeftIsNotWrittenOver) {
  const Folder folder("lf-refuse-overlay");
  const std::string scenario = folder.write("train.yaml", kTrain);
  const std::string site = folder.path() + "/site";
  const auto ask = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"calibrate", "--for", scenario, "--folder", site};
    words.insert(words.end(), more.begin(), more.end());
    return loadfactor(words);
  };
  EXPECT_EQ(ask({"--step-time", "6.4s"}).status, 0);
  const std::string before = folder.read("site/site.yaml");
  EXPECT_EQ(ask({"--step-time", "6.4s"}).status, 0);  // The same again harms nothing.
  expect_refused(ask({"--step-time", "6.3s"}), "is there already, of chip: h200-sxm");
  EXPECT_EQ(folder.read("site/site.yaml"), before);
  EXPECT_EQ(ask({"--step-time", "6.3s", "--replace"}).status, 0);
  EXPECT_NE(folder.read("site/site.yaml"), before);
}

TEST(CalibrateRefusalTest, OtherPeoplesSourcesAreKept) {
  const Folder folder("lf-refuse-sources");
  const std::string scenario = folder.write("train.yaml", kTrain);
  folder.write("SOURCES.md", "| id | document | date |\n|---|---|---|\n| mine | a note | 2026 |\n");
  EXPECT_EQ(
      loadfactor({"calibrate", "--for", scenario, "--step-time", "6.4s", "--folder", folder.path()})
          .status,
      0);
  EXPECT_TRUE(says(folder.read("SOURCES.md"), "| mine |")) << folder.read("SOURCES.md");
  EXPECT_TRUE(says(folder.read("SOURCES.md"), "| site |")) << folder.read("SOURCES.md");
}

TEST(CalibrateRefusalTest, TheBoundOfALinkTakesNoTableWithIt) {
  std::string rows = "system,op_name,nccl_dtype,num_gpus,message_size,latency\n";
  for (const int ranks : {2, 4, 8}) {
    for (int size = 1024; size <= 1 << 26; size *= 4)
      rows += "h100_sxm,all_reduce,half," + std::to_string(ranks) + "," + std::to_string(size) +
              "," + std::to_string(0.02 + 1e-8 * size) + "\n";
  }
  const Folder folder("lf-refuse-most");
  const std::string table = folder.write("nccl.csv", rows);
  const auto bounded = loadfactor({"calibrate", "collectives", "--most", "nvlink-4=4", table});
  EXPECT_EQ(bounded.status, 0) << bounded.err;
  EXPECT_TRUE(says(bounded.out, "| nvlink-4 | ring | all-reduce | 18 |")) << bounded.out;
  expect_refused(loadfactor({"calibrate", "collectives", "--most", "nvlink-x=4", table}),
                 "names no link of the tables");
}

TEST(CalibrateRefusalTest, ARunThatFailsLeavesNoFolder) {
  const Folder folder("lf-refuse-folder");
  const std::string site = folder.path() + "/site";
  EXPECT_NE(loadfactor({"calibrate", corpus("megatron.log"), "--folder", site}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(site));
}

}  // namespace
}  // namespace loadfactor::cli
