// `calibrate FILE…` and `probe` as their users run them.
#include <string>

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

std::string pretraining() {
  return data("scenarios/train-llama-70b-512-h100.yaml");
}

constexpr const char* kChat = R"(loadfactor: 1
name: chat
serve:
  model: llama-3.1-8b
  demand: {requests_per_second: 2, tokens_in: 1000, tokens_out: 200}
  deployment: {gpu: h200-sxm, engine: vllm, tp: 1, replicas: 1}
)";

std::string training_with(const std::string& framework) {
  return R"(loadfactor: 1
name: training
train:
  model: llama-3.1-8b
  precision: bf16
  tokens: 1 T
  sequence: 8192
  global_batch: 128
  layout: {gpus: 64, tp: 1, pp: 1, dp: 64, zero: 3, micro_batch: 1, recompute: full}
  stack: {framework: )" +
         framework + "}\nhardware: [h100-sxm]\n";
}

void expect_narrow(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  testing::expect_narrow(outcome.out);
}

TEST(CalibrateVerbTest, EveryLogOfATrainingRunIsUnderstood) {
  struct Row {
    const char* log;
    const char* framework;
  };
  const Folder folder("lf-calibrate-logs");
  for (const Row row : {Row{"megatron.log", "megatron-core-2026"},
                        Row{"torchtitan.log", "torchtitan"}, Row{"deepspeed.log", "deepspeed"}}) {
    const std::string scenario = folder.write("train.yaml", training_with(row.framework));
    const auto outcome =
        loadfactor({"calibrate", corpus(row.log), "--for", scenario, "--where-did-it-go"});
    expect_narrow(outcome);
    EXPECT_TRUE(outcome.out.starts_with("A step took ")) << outcome.out;
    EXPECT_TRUE(says(outcome.out, "communication")) << outcome.out;
    EXPECT_TRUE(says(outcome.out, "Training steps: 1 measured")) << outcome.out;
    EXPECT_FALSE(says(outcome.out, "from the others")) << outcome.out;
    // These are of some other job, and that is said.
    EXPECT_TRUE(says(outcome.out, "further off than machines of this kind")) << outcome.out;
  }
}

TEST(CalibrateVerbTest, OneStepMovesNamedTermsAndNarrowsThePlanForItsChipAlone) {
  const Folder folder("lf-calibrate-step");
  const auto outcome = loadfactor(
      {"calibrate", "--for", pretraining(), "--step-time", "16s", "--folder", folder.path()});
  expect_narrow(outcome);
  EXPECT_TRUE(says(folder.read("site.yaml"), "chip: h100-sxm")) << folder.read("site.yaml");
  const auto plain = loadfactor({"train", pretraining()});
  const auto measured = loadfactor({"train", pretraining(), "--catalog", folder.path()});
  EXPECT_EQ(measured.status, 0) << measured.err;
  EXPECT_NE(plain.out, measured.out);
  EXPECT_TRUE(says(measured.out + measured.err, "calibrated by 1 measurement"))
      << measured.out << measured.err;
  const std::string other = data("scenarios/search-gpt3-4096-a100.yaml");
  const auto before = loadfactor({"train", other, "--quiet"});
  const auto after = loadfactor({"train", other, "--quiet", "--catalog", folder.path()});
  EXPECT_EQ(before.out, after.out);
}

TEST(CalibrateVerbTest, CollectivesNameTheirChipThemselves) {
  const Folder folder("lf-calibrate-nccl");
  const auto outcome =
      loadfactor({"calibrate", corpus("all_reduce_perf.txt"), "--folder", folder.path()});
  expect_narrow(outcome);
  EXPECT_TRUE(says(folder.read("site.yaml"), "chip: h100-sxm")) << folder.read("site.yaml");
  const auto small = loadfactor({"calibrate", corpus("nccl.json")});
  EXPECT_NE(small.status, 0);
  EXPECT_TRUE(says(small.err, "a mebibyte")) << small.err;
}

TEST(CalibrateVerbTest, RunsOfLoadGeneratorsMoveServingOfTheirChipAlone) {
  const Folder folder("lf-calibrate-serving");
  const std::string chat = folder.write("chat.yaml", kChat);
  std::string elsewhere = kChat;
  elsewhere.replace(elsewhere.find("h200-sxm"), 8, "h100-sxm");
  const std::string other = folder.write("other.yaml", elsewhere);
  const Folder overlay("lf-calibrate-serving-overlay");
  const auto outcome =
      loadfactor({"calibrate", corpus("vllm.json"), corpus("guidellm.json"), corpus("aiperf.json"),
                  "--for", chat, "--where-did-it-go", "--folder", overlay.path()});
  expect_narrow(outcome);
  for (const char* words :
       {"from the others", "host", "measured", "vllm", "aiperf", "Each next token took"})
    EXPECT_TRUE(says(outcome.out, words)) << words << "\n" << outcome.out;
  EXPECT_TRUE(says(overlay.read("site-serving.yaml"), "chip: h200-sxm"));
  const auto after =
      loadfactor({"serve", chat, "--concurrency", "8", "--catalog", overlay.path(), "--explain"});
  EXPECT_EQ(after.status, 0) << after.err;
  EXPECT_TRUE(says(after.out + after.err, "calibrated by 3 measurements"))
      << after.out << after.err;
  EXPECT_EQ(loadfactor({"serve", other, "--quiet"}).out,
            loadfactor({"serve", other, "--quiet", "--catalog", overlay.path()}).out);
  const auto json = loadfactor(
      {"serve", chat, "--concurrency", "8", "--catalog", overlay.path(), "--format", "json"});
  EXPECT_TRUE(says(json.out, "\"source\": \"site\"")) << json.out;
}

TEST(CalibrateVerbTest, AProbeChangesTheKernelsOfItsChipAlone) {
  const Folder folder("lf-calibrate-probe");
  const std::string chat = folder.write("chat.yaml", kChat);
  const Folder overlay("lf-calibrate-probe-overlay");
  const auto outcome = loadfactor(
      {"calibrate", data("calibration/h200-sxm/2026-11-15.json"), "--folder", overlay.path()});
  expect_narrow(outcome);
  EXPECT_TRUE(says(outcome.out, "in bursts")) << outcome.out;
  const std::string table = overlay.read("calibration/h200-sxm/fit.yaml");
  EXPECT_TRUE(says(table, "bursts: true")) << table.substr(0, 600);
  EXPECT_NE(loadfactor({"serve", chat, "--quiet"}).out,
            loadfactor({"serve", chat, "--quiet", "--catalog", overlay.path()}).out);
  EXPECT_EQ(loadfactor({"train", data("scenarios/search-gpt3-4096-a100.yaml"), "--quiet"}).out,
            loadfactor({"train", data("scenarios/search-gpt3-4096-a100.yaml"), "--quiet",
                        "--catalog", overlay.path()})
                .out);
}

TEST(CalibrateVerbTest, WhatIsMissingIsSaidWithARemedy) {
  const auto alone = loadfactor({"calibrate", corpus("megatron.log")});
  EXPECT_EQ(alone.status, 2);
  EXPECT_TRUE(says(alone.err, "--for scenario.yaml")) << alone.err;
  const auto nothing = loadfactor({"calibrate"});
  EXPECT_NE(nothing.status, 0);
  const Folder folder("lf-calibrate-wrong");
  const auto broken = loadfactor({"calibrate", folder.write("x.json", "{\"a\": \n 1,}")});
  EXPECT_NE(broken.status, 0);
  EXPECT_TRUE(says(broken.err, "x.json:2")) << broken.err;
  const auto time = loadfactor({"calibrate", "--for", pretraining(), "--step-time", "12 GB"});
  EXPECT_TRUE(says(time.err, "no time of a step")) << time.err;
}

TEST(CalibrateVerbTest, ItAnswersInEveryFormat) {
  const auto ask = [](const char* format) {
    return loadfactor(
        {"calibrate", "--for", pretraining(), "--step-time", "16s", "--format", format});
  };
  EXPECT_TRUE(ask("csv").out.starts_with("name,factor,factor.low,")) << ask("csv").out;
  EXPECT_TRUE(says(ask("md").out, "| products |")) << ask("md").out;
  EXPECT_TRUE(ask("json").out.starts_with("{")) << ask("json").out;
}

TEST(CalibrateVerbTest, AChipThatWasNotMeasuredIsRefused) {
  const auto outcome =
      loadfactor({"calibrate", data("calibration/h200-sxm/2026-11-15.json"), "--gpu", "a100"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(says(outcome.err, "is a 'h200-sxm', not a 'a100-80gb-sxm'")) << outcome.err;
}

TEST(CalibrateVerbTest, WhereItWentNeedsAStep) {
  for (const std::string& file :
       {corpus("all_reduce_perf.txt"), data("calibration/h200-sxm/2026-11-15.json")}) {
    const auto outcome = loadfactor({"calibrate", file, "--where-did-it-go"});
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_TRUE(says(outcome.err, "--step-time")) << outcome.err;
  }
}

TEST(CalibrateVerbTest, WhatToMeasureNextFitsATerminal) {
  const auto outcome = loadfactor(
      {"calibrate", "--for", pretraining(), "--step-time", "16.5s", "--where-did-it-go"});
  expect_narrow(outcome);
  EXPECT_TRUE(says(outcome.out, "Measure a step")) << outcome.out;
}

TEST(ProbeVerbTest, WithNothingToMeasureItSaysSoAndEndsWithFour) {
  const Folder folder("lf-probe");
  const auto outcome = loadfactor({"probe", "--quick", "--output", folder.path() + "/p.json"});
  if (outcome.status == 0) GTEST_SKIP() << "there is an accelerator here";
  EXPECT_EQ(outcome.status, 4);
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  // A copy without the probe says how to build it.
  if (!outcome.err.empty()) {
    EXPECT_TRUE(says(outcome.err, "no accelerator can be measured here")) << outcome.err;
    EXPECT_TRUE(says(outcome.err, "cmake -S src/probe")) << outcome.err;
  }
}

TEST(ProbeVerbTest, APlanIsToldWhatWouldNarrowItMostWhetherItTrainsOrServes) {
  const Folder folder("lf-probe-plan");
  for (const std::string& scenario : {pretraining(), folder.write("chat.yaml", kChat)}) {
    const auto outcome =
        loadfactor({"probe", "--quick", "--for", scenario, "--output", folder.path() + "/p.json"});
    std::size_t measurements = 0;
    for (std::size_t at = outcome.err.find("of its variance"); at != std::string::npos;
         at = outcome.err.find("of its variance", at + 1))
      ++measurements;
    EXPECT_EQ(measurements, 3u) << outcome.err;
  }
}

}  // namespace
}  // namespace loadfactor::cli
