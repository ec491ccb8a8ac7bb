// The law of `emit` and `read`: what is read from the files of a target resolves to the same
// layout, batch, precision and engine settings as what they were made from.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/core.h"
#include "engine/launch/launch_plan.h"
#include "engine/launch/testing/round_trip.h"
#include "engine/testing/shipped_core.h"
#include "launch/emit/emission.h"
#include "launch/vocabulary/neuron_chips.h"

namespace loadfactor::engine {
namespace {

using testing::parse;
using testing::read_back;
using testing::resolved;

const Core& core() {
  return testing::shipped();
}

std::string complaints(const Diagnostics& diagnostics) {
  return render(diagnostics);
}

// The files of a target, or nothing where it cannot express the scenario and says which key.
std::optional<std::vector<launch::EmittedFile>> files_of(const std::string& target,
                                                         const config::Scenario& scenario) {
  Diagnostics diagnostics;
  const auto plan = make_launch_plan(core(), {.scenario = scenario, .target = target}, diagnostics);
  EXPECT_TRUE(plan) << target << ": " << complaints(diagnostics);
  if (!plan) return std::nullopt;
  auto files = launch::emit(target, *plan, diagnostics);
  for (const Error& error : diagnostics.errors()) {
    EXPECT_EQ(error.code, lf::kInexpressible) << target << ": " << complaints(diagnostics);
    EXPECT_NE(error.message.find("."), std::string::npos) << error.message;  // It names a key.
  }
  return files;
}

struct RunCase {
  const char* model;
  const char* gpu;
  const char* framework;
  const char* precision;
  int sequence;
  int batch;
  const char* layout;
};

constexpr RunCase kRuns[] = {
    {"llama-3.1-70b", "h100-sxm", "megatron-core-2026", "bf16", 8192, 1024,
     "gpus: 512, tp: 8, pp: 4, vp: 5, dp: 16, zero: 1, micro_batch: 1, recompute: selective"},
    {"llama-3.1-70b", "h100-sxm", "megatron-core-2026", "fp8", 8192, 512,
     "gpus: 256, tp: 4, pp: 4, dp: 16, zero: 1, micro_batch: 1, recompute: none"},
    {"llama-3.1-70b", "h100-sxm", "megatron-core-2026", "bf16", 8192, 256,
     "gpus: 128, tp: 8, pp: 2, dp: 8, zero: 1, micro_batch: 1, recompute: full"},
    {"llama-3.1-70b", "h100-sxm", "megatron-core-2026", "bf16", 8192, 256,
     "gpus: 128, tp: 8, pp: 4, dp: 4, zero: 0, micro_batch: 1, recompute: {layers: 4}"},
    {"llama-3.1-70b", "h200-sxm", "megatron-core-2026", "bf16", 32768, 128,
     "gpus: 128, tp: 8, pp: 2, cp: 2, dp: 4, zero: 1, micro_batch: 1, recompute: selective"},
    {"llama-3.1-8b", "h100-sxm", "megatron-core-2026", "bf16", 8192, 128,
     "gpus: 16, tp: 2, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: selective"},
    {"llama-3.1-8b", "h100-sxm", "megatron-core-2026", "bf16", 4096, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 1, micro_batch: 1, recompute: selective"},
    {"llama-3.1-405b", "h100-sxm", "megatron-core-2026", "bf16", 8192, 2048,
     "gpus: 16384, tp: 8, pp: 16, dp: 128, zero: 1, micro_batch: 1, first_layers: 7, last_layers: "
     "7, recompute: selective"},
    {"llama-3.1-405b", "h100-sxm", "megatron-core-2026", "bf16", 8192, 2048,
     "gpus: 16384, tp: 8, pp: 16, vp: 4, dp: 128, zero: 1, micro_batch: 1, recompute: full"},
    {"mixtral-8x7b", "h100-sxm", "megatron-core-2026", "bf16", 4096, 256,
     "gpus: 64, tp: 2, pp: 4, ep: 8, etp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: selective"},
    {"deepseek-v3", "h100-sxm", "megatron-core-2026", "fp8-block", 4096, 8192,
     "gpus: 1024, tp: 2, pp: 16, ep: 32, etp: 1, dp: 32, zero: 1, micro_batch: 1, first_layers: 4, "
     "last_layers: 1, recompute: [latent-up, norms]"},
    {"gpt3-175b", "a100-80gb-sxm", "megatron-core-2026", "bf16", 2048, 1536,
     "gpus: 1024, tp: 8, pp: 16, vp: 6, dp: 8, zero: 1, micro_batch: 1, recompute: selective"},
    {"gpt3-175b", "a100-80gb-sxm", "megatron-core-2026", "fp16", 2048, 512,
     "gpus: 512, tp: 8, pp: 8, dp: 8, zero: 1, micro_batch: 1, recompute: full"},
    {"qwen2.5-32b", "h100-sxm", "megatron-core-2026", "bf16", 4096, 256,
     "gpus: 64, tp: 4, pp: 2, dp: 8, zero: 1, micro_batch: 1, recompute: none"},
    {"llama-3.1-8b", "h100-sxm", "deepspeed", "bf16", 4096, 256,
     "gpus: 32, tp: 1, pp: 1, dp: 32, zero: 3, micro_batch: 2, recompute: full"},
    {"llama-3.1-8b", "h100-sxm", "deepspeed", "bf16", 4096, 128,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 2, micro_batch: 1, recompute: full"},
    {"llama-3.1-8b", "a100-80gb-sxm", "deepspeed", "fp16", 2048, 64,
     "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: full"},
    {"qwen2.5-32b", "h100-sxm", "deepspeed", "bf16", 4096, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full, offload: "
     "[optimizer]"},
    {"llama-3.1-8b", "h100-sxm", "torchtitan", "bf16", 8192, 128,
     "gpus: 64, tp: 1, pp: 1, dp: 64, zero: 3, micro_batch: 1, recompute: selective"},
    {"llama-3.1-70b", "h100-sxm", "torchtitan", "bf16", 8192, 256,
     "gpus: 256, tp: 8, pp: 1, dp: 32, zero: 3, micro_batch: 2, recompute: full, "
     "sequence_parallel: true"},
    {"llama-3.1-70b", "h100-sxm", "torchtitan", "bf16", 8192, 256,
     "gpus: 256, tp: 8, pp: 4, vp: 1, dp: 8, zero: 3, micro_batch: 1, recompute: full, schedule: "
     "1f1b, sequence_parallel: true"},
    {"llama-3.1-70b", "h100-sxm", "torchtitan", "bf16", 8192, 256,
     "gpus: 256, tp: 8, pp: 4, vp: 2, dp: 8, zero: 3, micro_batch: 1, recompute: full, schedule: "
     "interleaved, sequence_parallel: true"},
    {"llama-3.1-8b", "h100-sxm", "torchtitan", "bf16", 8192, 128,
     "gpus: 64, tp: 1, pp: 1, dp: 64, zero: 3, shard_group: 8, micro_batch: 1, recompute: full"},
    {"llama-3.1-8b", "a100-80gb-sxm", "hf-fsdp", "bf16", 4096, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full"},
    {"llama-3.1-8b", "h100-sxm", "hf-fsdp", "bf16", 4096, 64,
     "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 3, micro_batch: 1, recompute: none"},
    {"llama-3.1-8b", "h100-sxm", "fsdp2", "bf16", 4096, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full"},
    {"llama-3.1-8b", "h100-sxm", "deepspeed", "bf16", 8192, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full"},
    {"qwen2.5-32b", "h100-sxm", "hf-fsdp", "bf16", 4096, 64,
     "gpus: 32, tp: 1, pp: 1, dp: 32, zero: 3, micro_batch: 1, recompute: full"},
    {"llama-3.1-8b", "h200-sxm", "hf-fsdp", "bf16", 8192, 32,
     "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 3, micro_batch: 1, recompute: full"},
    {"gpt2", "h100-sxm", "hf-fsdp", "bf16", 1024, 64,
     "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 3, micro_batch: 8, recompute: none"},
    {"llama-3.1-8b", "h100-sxm", "fsdp2", "bf16", 8192, 64,
     "gpus: 32, tp: 1, pp: 1, dp: 32, zero: 3, micro_batch: 1, recompute: full"},
    {"qwen2.5-32b", "h100-sxm", "fsdp2", "bf16", 4096, 64,
     "gpus: 32, tp: 1, pp: 1, dp: 32, zero: 3, micro_batch: 1, recompute: full"},
    {"llama-3.1-8b", "h100-sxm", "fsdp1", "bf16", 4096, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full"},
    {"gpt2", "h100-sxm", "pytorch-ddp", "bf16", 1024, 512,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 0, micro_batch: 8, recompute: none"},
    {"gpt2", "h100-sxm", "horovod", "fp16", 1024, 128,
     "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 0, micro_batch: 8, recompute: none"},
    {"gpt2", "a100-80gb-sxm", "pytorch-ddp", "bf16", 1024, 256,
     "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 0, micro_batch: 4, recompute: none"},
    {"gpt2", "a100-80gb-sxm", "horovod", "fp16", 1024, 64,
     "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 0, micro_batch: 4, recompute: none"},
    {"llama-3.1-8b", "h100-sxm", "xla", "bf16", 8192, 512,
     "gpus: 64, tp: 1, pp: 1, dp: 64, zero: 3, micro_batch: 1, recompute: full"},
    {"llama-3.1-70b", "h100-sxm", "xla", "fp8", 8192, 512,
     "gpus: 256, tp: 4, pp: 1, dp: 64, zero: 3, shard_group: 16, micro_batch: 1, recompute: "
     "selective"},
    {"llama-3.1-8b", "trainium1", "neuron", "bf16", 8192, 256,
     "gpus: 64, tp: 16, pp: 1, dp: 4, zero: 1, micro_batch: 1, recompute: selective"},
    {"llama-2-7b", "trainium1", "neuron", "bf16", 4096, 256,
     "gpus: 32, tp: 4, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: full"},
    {"llama-3.1-70b", "trainium2", "neuron", "bf16", 8192, 256,
     "gpus: 128, tp: 8, pp: 4, dp: 4, zero: 1, micro_batch: 1, recompute: {layers: 18}"},
};

struct ServiceCase {
  const char* model;
  const char* gpu;
  const char* precision;
  const char* deployment;
};
constexpr ServiceCase kServices[] = {
    {"llama-3.3-70b", "h100-sxm", "fp8", "engine: vllm, tp: 4, replicas: 3"},
    {"llama-3.3-70b", "h100-sxm", "fp8",
     "engine: vllm, tp: 8, replicas: 2, kv: fp8, max_seqs: 256, chunk: 8192"},
    {"llama-3.3-70b", "h200-sxm", "bf16",
     "engine: vllm, tp: 4, replicas: 1, memory_fraction: 0.85"},
    {"llama-3.3-70b", "h100-sxm", "bf16", "engine: vllm, tp: 8, pp: 2, replicas: 2"},
    {"llama-3.1-8b", "h100-sxm", "bf16", "engine: vllm, tp: 1, replicas: 8, chunk: 4096"},
    {"llama-3.1-8b", "l40s", "fp8", "engine: vllm, tp: 1, replicas: 4, max_seqs: 64"},
    {"llama-3.1-8b", "a100-80gb-sxm", "fp16", "engine: vllm, tp: 2, replicas: 1"},
    {"qwen2.5-32b", "h100-sxm", "fp8", "engine: vllm, tp: 2, replicas: 4, prefix_hits: 40 %"},
    {"mixtral-8x7b", "h100-sxm", "bf16", "engine: vllm, tp: 4, replicas: 1"},
    {"mixtral-8x7b", "h100-sxm", "bf16", "engine: vllm, tp: 8, ep: 8, replicas: 1"},
    {"llama-3.1-8b", "mi300x", "bf16", "engine: vllm, tp: 1, replicas: 2"},
    {"llama-3.1-8b", "h100-sxm", "bf16",
     "engine: vllm, tp: 1, lora: {rank: 16, active: 4}, replicas: 1"},
    {"llama-3.1-8b", "h100-sxm", "bf16",
     "engine: vllm, tp: 1, scaling: {least: 1, most: 6, target: 24}"},
    {"llama-3.1-8b", "h100-sxm", "bf16",
     "engine: sglang, tp: 1, scaling: {least: 2, most: 9, target: 30, interval: 15 s}"},
    {"llama-3.3-70b", "h100-sxm", "fp8", "engine: sglang, tp: 4, replicas: 3"},
    {"llama-3.3-70b", "h200-sxm", "bf16",
     "engine: sglang, tp: 8, replicas: 1, max_seqs: 128, chunk: 4096, kv: fp8"},
    {"llama-3.1-8b", "h100-sxm", "bf16", "engine: sglang, tp: 1, replicas: 2, max_waiting: 100"},
    {"qwen3-30b-a3b", "h100-sxm", "bf16", "engine: sglang, tp: 4, ep: 4, replicas: 2"},
    {"deepseek-v3", "h200-sxm", "fp8-block", "engine: sglang, tp: 8, replicas: 1"},
    {"llama-3.3-70b", "h100-sxm", "fp8",
     "engine: sglang, prefill: {tp: 4, replicas: 2}, decode: {tp: 4, replicas: 3}"},
    {"llama-3.3-70b", "h100-sxm", "fp8",
     "engine: sglang, prefill: {tp: 2, replicas: 3}, decode: {tp: 8, replicas: 1, max_seqs: 96}"},
    {"llama-3.3-70b", "h100-sxm", "fp8",
     "engine: vllm, prefill: {tp: 4, replicas: 2}, decode: {tp: 8, replicas: 1}"},
    {"llama-3.1-8b", "a100-80gb-sxm", "fp16", "engine: sglang, tp: 1, replicas: 2"},
    {"bge-reranker-v2-m3", "l40s", "fp16", "engine: sglang, tp: 1, replicas: 1"},
    {"bge-reranker-v2-m3", "l40s", "fp16", "engine: vllm, tp: 1, replicas: 2, chunk: 4096"},
    {"bge-m3", "l40s", "fp16", "engine: sglang, tp: 1, replicas: 2, chunk: 4096"},
    {"whisper-large-v3", "l40s", "fp16", "engine: vllm, tp: 1, replicas: 2"},
    {"qwen2.5-vl-7b", "h100-sxm", "bf16", "engine: vllm, tp: 1, replicas: 2"},
    {"Qwen/Qwen2.5-7B-Instruct", "h100-sxm", "bf16", "engine: vllm, tp: 1, replicas: 2"},
    {"Qwen/Qwen2.5-7B-Instruct", "h100-sxm", "bf16", "engine: sglang, tp: 1, replicas: 1"},
    {"llama-3.3-70b", "h100-sxm", "bf16", "engine: tensorrt-llm, tp: 8, replicas: 1"},
    {"llama-3.1-8b", "h100-sxm", "bf16",
     "engine: tensorrt-llm, tp: 1, replicas: 2, max_seqs: 128, chunk: 8192"},
};

std::string run_text(const RunCase& each) {
  return fmt::format(
      "loadfactor: 1\nname: case\ntrain:\n  model: {}\n  precision: {}\n  tokens: 100 B\n"
      "  sequence: {}\n  global_batch: {}\n  layout: {{{}}}\n  stack: {{framework: {}}}\n"
      "hardware: [{}]\n",
      each.model, each.precision, each.sequence, each.batch, each.layout, each.framework, each.gpu);
}

std::string service_text(const ServiceCase& each) {
  return fmt::format(
      "loadfactor: 1\nname: case\nserve:\n  model: {}\n  precision: {}\n  deployment: {{{}}}\n"
      "hardware: [{}]\n",
      each.model, each.precision, each.deployment, each.gpu);
}

// How many of the scenarios each target expresses.
void keep_law(const std::vector<std::string>& texts, const std::map<std::string, int>& targets) {
  std::map<std::string, int> expressed;
  for (const auto& text : texts) {
    const auto scenario = parse(text);
    if (!scenario) continue;
    const std::string before = resolved(*scenario);
    for (const auto& [target, least] : targets) {
      const auto files = files_of(target, *scenario);
      if (!files) continue;
      ++expressed[target];
      const std::string read = read_back(*files);
      const auto again = read.empty() ? std::nullopt : parse(read);
      if (!again) continue;
      EXPECT_EQ(resolved(*again), before) << target << "\n" << text << "\n" << read;
    }
  }
  for (const auto& [target, least] : targets) EXPECT_GE(expressed[target], least) << target;
}

TEST(RoundtripTest, RunsReadAsTheyWereEmitted) {
  std::vector<std::string> texts;
  for (const RunCase& each : kRuns) texts.push_back(run_text(each));
  keep_law(texts, {{"megatron", 12},
                   {"deepspeed", 5},
                   {"torchtitan", 5},
                   {"accelerate", 5},
                   {"pytorch", 6},
                   {"horovod", 2},
                   {"mpirun", 2},
                   {"maxtext", 2},
                   {"neuronx", 3},
                   {"slurm", 20},
                   {"rayjob", 20},
                   {"kubernetes", 20}});
}

TEST(RoundtripTest, ServicesReadAsTheyWereEmitted) {
  std::vector<std::string> texts;
  for (const ServiceCase& each : kServices) texts.push_back(service_text(each));
  keep_law(texts, {{"vllm", 12},
                   {"sglang", 6},
                   {"tensorrt-llm", 2},
                   {"dynamo", 8},
                   {"kserve", 8},
                   {"slurm", 12},
                   {"hpa", 1},
                   {"kubernetes", 14}});
}

TEST(RoundtripTest, WhatATargetCannotExpressNamesTheKeyAtItsLine) {
  const auto scenario = parse(run_text(kRuns[0]));
  Diagnostics diagnostics;
  const auto plan = make_launch_plan(core(), {.scenario = *scenario}, diagnostics);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(launch::emit("accelerate", *plan, diagnostics));
  const std::string said = complaints(diagnostics);
  EXPECT_NE(said.find("train.layout.pp"), std::string::npos) << said;
  EXPECT_NE(said.find("case.yaml:9:"), std::string::npos) << said;
}

TEST(RoundtripTest, ATargetRefusesARunOfAnotherFramework) {
  const auto scenario =
      parse(run_text({"llama-3.1-8b", "h100-sxm", "megatron-core-2026", "bf16", 4096, 64,
                      "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, "
                      "recompute: full"}));
  for (const char* target : {"deepspeed", "accelerate", "pytorch", "mpirun", "torchtitan"}) {
    Diagnostics diagnostics;
    const auto plan =
        make_launch_plan(core(), {.scenario = *scenario, .target = target}, diagnostics);
    ASSERT_TRUE(plan);
    EXPECT_FALSE(launch::emit(target, *plan, diagnostics)) << target;
    EXPECT_NE(complaints(diagnostics).find("train.stack.framework"), std::string::npos) << target;
  }
}

TEST(RoundtripTest, AScenarioWithoutAFrameworkRunsOnTheOneThatIsAskedFor) {
  std::string text = run_text({"llama-3.1-8b", "h100-sxm", "", "bf16", 4096, 64,
                               "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, "
                               "recompute: full"});
  text.replace(text.find("  stack: {framework: }\n"), 23, "");
  const auto scenario = parse(text);
  for (const char* target : {"deepspeed", "accelerate", "pytorch"})
    EXPECT_TRUE(files_of(target, *scenario)) << target;
}

TEST(RoundtripTest, SavesAreAsynchronousWhereThePredictionTakesThemToBe) {
  const auto scenario = parse(run_text(kRuns[0]));
  const auto files = files_of("megatron", *scenario);
  ASSERT_TRUE(files);
  EXPECT_NE(files->front().text.find("--async-save"), std::string::npos) << files->front().text;
  EXPECT_NE(files->front().text.find("times as many steps lose"), std::string::npos);
}

TEST(RoundtripTest, ProgramsThatNothingIsWrittenForAreRefusedWithTheReason) {
  const auto scenario = parse(run_text(kRuns[0]));
  Diagnostics diagnostics;
  const auto plan = make_launch_plan(core(), {.scenario = *scenario}, diagnostics);
  EXPECT_FALSE(launch::emit("nemo", *plan, diagnostics));
  EXPECT_NE(complaints(diagnostics).find("its recipes are programs in Python"), std::string::npos);
}

// A chip of Trainium1 has two cores, and one process runs on each: tp 4 is 8 ranks of a tensor, and
// a machine of 16 chips starts 32 of them.
TEST(RoundtripTest, RanksOfTrainiumAreTheCoresOfItsChips) {
  const auto scenario =
      parse(run_text({"llama-2-7b", "trainium1", "neuron", "bf16", 4096, 256,
                      "gpus: 32, tp: 4, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: full"}));
  const auto files = files_of("neuronx", *scenario);
  ASSERT_TRUE(files);
  const std::string& script = files->at(0).text;
  const std::string& config = files->at(1).text;
  EXPECT_NE(script.find("--nproc-per-node 32 "), std::string::npos) << script;
  EXPECT_NE(config.find("tensor_model_parallel_size: 8 "), std::string::npos) << config;
  EXPECT_NE(config.find("devices: 32 "), std::string::npos) << config;
  for (const auto& file : *files)
    EXPECT_NE(file.text.find("These keys are unverified"), std::string::npos) << file.path;
}

TEST(RoundtripTest, ChipsOfTrainiumAndTheirMachinesAreThoseOfTheCatalogue) {
  const auto chips = launch::neuron_chips();
  EXPECT_EQ(chips.size(), 3U);
  for (const launch::NeuronChip& each : chips) {
    const auto chip = core().catalog().find_accelerator(each.name);
    ASSERT_TRUE(chip) << each.name;
    const auto node = core().catalog().find_node((*chip)->node);
    ASSERT_TRUE(node) << each.name;
    EXPECT_EQ((*node)->gpus, each.node_chips) << each.name;
    EXPECT_EQ(each.cores % each.joined, 0) << each.name;
  }
}

TEST(RoundtripTest, WhatTrainiumCannotExpressNamesItsKey) {
  struct Refusal {
    RunCase run;
    const char* key;
  };
  const Refusal refusals[] = {
      {{"llama-2-7b", "trainium1", "neuron", "bf16", 4096, 256,
        "gpus: 32, tp: 4, pp: 1, dp: 8, zero: 1, micro_batch: 1, sequence_parallel: false, "
        "recompute: full"},
       "train.layout.sequence_parallel"},
      {{"mixtral-8x7b", "trainium2", "neuron", "bf16", 4096, 256,
        "gpus: 64, tp: 8, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: full"},
       "train.model"},
      {{"llama-2-7b", "trainium1", "neuron", "bf16", 4096, 256,
        "gpus: 8, tp: 8, pp: 1, dp: 1, zero: 1, micro_batch: 1, recompute: full"},
       "train.layout.gpus"},
  };
  for (const Refusal& each : refusals) {
    const auto scenario = parse(run_text(each.run));
    Diagnostics diagnostics;
    const auto plan =
        make_launch_plan(core(), {.scenario = *scenario, .target = "neuronx"}, diagnostics);
    ASSERT_TRUE(plan) << each.key << complaints(diagnostics);
    EXPECT_FALSE(launch::emit("neuronx", *plan, diagnostics)) << each.key;
    EXPECT_NE(complaints(diagnostics).find(each.key), std::string::npos) << complaints(diagnostics);
  }
}

TEST(RoundtripTest, EveryTargetHasAName) {
  const auto scenario = parse(service_text(kServices[0]));
  Diagnostics diagnostics;
  const auto plan = make_launch_plan(core(), {.scenario = *scenario}, diagnostics);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(launch::emit("vlm", *plan, diagnostics));
  EXPECT_NE(complaints(diagnostics).find("did you mean 'vllm'"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::engine
