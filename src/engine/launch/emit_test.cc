// What emitted files hold beside the layout: each line of them is one that the program takes.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"
#include "engine/core.h"
#include "engine/launch/launch_plan.h"
#include "engine/launch/testing/emitted.h"
#include "engine/testing/shipped_core.h"
#include "launch/emit/emission.h"
#include "launch/vocabulary/megatron_models.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/public_names.h"
#include "launch/vocabulary/table.h"

namespace loadfactor::engine {
namespace {

using testing::Emitted;
using testing::emitted;
using testing::run_of;
using testing::service_of;

// In the format that the model is stored in.
std::string service_text(const std::string& model, const std::string& deployment) {
  return fmt::format(
      "loadfactor: 1\nname: case\nserve:\n  model: {}\n  deployment: {{{}}}\n"
      "hardware: [h100-sxm]\n",
      model, deployment);
}

constexpr const char* kTwoNodes =
    "gpus: 16, tp: 2, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: selective";

TEST(EmitTest, ShardedWeightsOfMegatronGetTheirQueuesAndTheirCheckpoints) {
  for (const int stage : {2, 3}) {
    const auto sharded = emitted(
        "megatron", run_of(fmt::format("gpus: 16, tp: 1, pp: 1, dp: 16, zero: {}, micro_batch: 1, "
                                       "recompute: full",
                                       stage)));
    EXPECT_TRUE(sharded.has("--use-megatron-fsdp")) << sharded.complaints;
    EXPECT_TRUE(sharded.has("--ckpt-format fsdp_dtensor"));
    EXPECT_FALSE(sharded.has("CUDA_DEVICE_MAX_CONNECTIONS=1"));
  }
  const auto plain = emitted("megatron", run_of(kTwoNodes));
  EXPECT_TRUE(plain.has("export CUDA_DEVICE_MAX_CONNECTIONS=1"));
  EXPECT_FALSE(plain.has("--ckpt-format"));
}

TEST(EmitTest, EndsOfAPipelineAreWholeChunksOrCountedOrRefused) {
  const auto run = [](const char* ends) {
    return emitted("megatron",
                   run_of(fmt::format("gpus: 512, tp: 8, pp: 16, dp: 4, zero: 1, micro_batch: "
                                      "1, recompute: selective, {}",
                                      ends),
                          "megatron-core-2026", "llama-3.1-405b"));
  };
  const auto counted = run("vp: 4");
  EXPECT_TRUE(counted.has("--account-for-embedding-in-pipeline-split")) << counted.complaints;
  EXPECT_TRUE(counted.has("--account-for-loss-in-pipeline-split"));
  EXPECT_FALSE(counted.has("--decoder-first-pipeline-num-layers"));
  const auto plain = run("vp: 1, first_layers: 7, last_layers: 7");
  EXPECT_TRUE(plain.has("--decoder-first-pipeline-num-layers 7")) << plain.complaints;
}

TEST(EmitTest, RanksThatAreNoWholeNodesAreRefusedWhereEveryNodeStartsEquallyMany) {
  const auto has = [](const Emitted& out) {
    return out.complaints.find("cannot express train.layout.gpus: 12") != std::string::npos;
  };
  std::string run = run_of("gpus: 12, dp: 12, zero: 1, micro_batch: 1");
  run.replace(run.find("global_batch: 64"), 16, "global_batch: 96");
  for (const char* target : {"megatron", "slurm", "kubernetes", "rayjob"})
    EXPECT_TRUE(has(emitted(target, run))) << target << emitted(target, run).complaints;
  const auto whole = emitted("megatron", run_of("gpus: 16, dp: 16, zero: 1, micro_batch: 1"));
  EXPECT_TRUE(whole.has("--nproc-per-node 8")) << whole.complaints;
}

TEST(EmitTest, TheTomlOfTorchtitanHasTheChunksOfItsStages) {
  const auto out =
      emitted("torchtitan", run_of("gpus: 16, tp: 2, pp: 4, dp: 2, zero: 3, micro_batch: 2, "
                                   "recompute: full, vp: 4, schedule: interleaved",
                                   "torchtitan"));
  EXPECT_TRUE(out.has("pipeline_parallel_layers_per_stage = 2", "torchtitan.toml"))
      << out.complaints << out.text("torchtitan.toml");
  EXPECT_TRUE(out.has("pipeline_parallel_first_stage_less_layers = 0", "torchtitan.toml"));
}

TEST(EmitTest, DropoutIsThePredictionsAndSignalsSave) {
  const auto run = emitted("megatron", run_of(kTwoNodes));
  EXPECT_TRUE(run.has("--attention-dropout 0 ")) << run.complaints;
  EXPECT_TRUE(run.has("--hidden-dropout 0 "));
  EXPECT_TRUE(run.has("--exit-signal-handler"));
  EXPECT_TRUE(run.has("--lr ... --save DIR --load DIR", "train.sh"));
}

TEST(EmitTest, ABatchJobEndsAsItsRunDoes) {
  const auto job = emitted("slurm", run_of(kTwoNodes));
  EXPECT_TRUE(job.has("job=$!\n", "job.sbatch")) << job.complaints;
  EXPECT_TRUE(job.has("\nwait \"$job\"", "job.sbatch"));
  EXPECT_TRUE(job.has("scancel --signal=TERM", "job.sbatch"));
  EXPECT_FALSE(job.has("scancel --signal=USR1", "job.sbatch"));
  EXPECT_TRUE(job.has("#SBATCH --mem=0", "job.sbatch"));
  const auto other =
      emitted("slurm", run_of(kTwoNodes, "megatron-core-2026", "llama-3.1-8b", "a100-80gb-sxm"));
  EXPECT_TRUE(other.has("your site's type: a100:8", "job.sbatch")) << other.complaints;
}

TEST(EmitTest, ReplicasThatShareANodeListenApartAndTakeTheirShare) {
  const auto shared = emitted("slurm", service_of("engine: vllm, tp: 2, replicas: 4"));
  EXPECT_TRUE(shared.has("export PORT=$((8000 + SLURM_ARRAY_TASK_ID))", "serve.sbatch"))
      << shared.complaints;
  EXPECT_FALSE(shared.has("#SBATCH --exclusive", "serve.sbatch"));
  EXPECT_TRUE(shared.has("#SBATCH --mem=", "serve.sbatch"));
  EXPECT_FALSE(shared.has("#SBATCH --mem=0", "serve.sbatch"));
  const auto whole = emitted("slurm", service_of("engine: vllm, tp: 8, replicas: 2"));
  EXPECT_FALSE(whole.has("export PORT", "serve.sbatch")) << whole.complaints;
  EXPECT_TRUE(whole.has("#SBATCH --mem=0", "serve.sbatch"));
}

TEST(EmitTest, StepsOfAJobAskForTheCoresOfItsTask) {
  // The node of this chip has its cores in the catalogue.
  const auto job = emitted(
      "slurm", service_of("engine: vllm, tp: 2, replicas: 4", "llama-3.3-70b", "h100-pcie"));
  EXPECT_TRUE(job.has("#SBATCH --cpus-per-task=24", "serve.sbatch"))
      << job.text() << job.complaints;
  EXPECT_TRUE(job.has("--cpus-per-task=\"$SLURM_CPUS_PER_TASK\"", "serve.sbatch"));
}

TEST(EmitTest, DeepSpeedStartsOnEveryNodeWithoutSsh) {
  const auto run = emitted("deepspeed", run_of("gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, "
                                               "micro_batch: 1, recompute: full",
                                               "deepspeed"));
  EXPECT_TRUE(run.has("exec torchrun", "train.sh")) << run.complaints;
  EXPECT_TRUE(run.has("${NODE_RANK:-${SLURM_NODEID:-0}}", "train.sh"));
  EXPECT_TRUE(run.has("--deepspeed_config \"$here/ds_config.json\" \"${@:2}\"", "train.sh"));
  EXPECT_FALSE(run.has("no_ssh", "train.sh"));
}

TEST(EmitTest, BlanksAreChosenAmongWhatATargetCanExpress) {
  // The framework itself could recompute single layers, or shard the optimizer.
  const std::string blank =
      "loadfactor: 1\nname: case\ntrain:\n  model: llama-3.1-8b\n  precision: bf16\n"
      "  tokens: 500 M\n  sequence: 8192\n  global_batch: 64\n"
      "  layout: {pp: 1, offload: none}\nhardware: [a100-80gb-sxm]\nlimits: {gpus: 8}\n";
  const auto sharded = emitted("deepspeed", blank);
  EXPECT_TRUE(sharded.has("export LF_RECOMPUTE=")) << sharded.complaints;
  EXPECT_FALSE(sharded.has("LF_RECOMPUTE=layers"));
  // Where nothing that it can express fits, that is what is said.
  const auto whole = emitted("mpirun", blank);
  EXPECT_NE(whole.complaints.find("with train.layout.zero: 0, as mpirun can express it, the "),
            std::string::npos)
      << whole.complaints;
  // What the scenario itself says is not changed for a target.
  std::string said = blank;
  said.replace(said.find("offload: none"), 13, "offload: none, recompute: {layers: 16}");
  EXPECT_NE(emitted("deepspeed", said).complaints.find("train.layout.recompute"),
            std::string::npos);
}

TEST(EmitTest, AScalerWaitsAsTheSimulatorDoes) {
  const auto service = emitted(
      "kubernetes",
      service_of("engine: vllm, tp: 4, scaling: {least: 1, most: 4, target: 24, cooldown: 300 s}"));
  EXPECT_TRUE(service.has("stabilizationWindowSeconds: 300")) << service.complaints;
  EXPECT_TRUE(service.has("useCachedMetrics: true"));
  EXPECT_FALSE(service.has("cooldownPeriod"));
}

TEST(EmitTest, ManifestsSelectThePredictedGpuAndItsFabric) {
  const std::string label = "nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3";
  const auto service = emitted("kubernetes", service_of("engine: vllm, tp: 4, replicas: 2"));
  EXPECT_TRUE(service.has(label)) << service.complaints;
  EXPECT_FALSE(service.has("NCCL_IB_DISABLE"));
  const auto run = emitted("kubernetes", run_of(kTwoNodes));
  EXPECT_TRUE(run.has("nodeLabels:", "run.yaml")) << run.complaints;
  EXPECT_TRUE(run.has("nodeSelector:", "run.yaml"));
  EXPECT_TRUE(run.has("NCCL_IB_DISABLE", "run.yaml"));
  EXPECT_TRUE(run.has("rdma/", "run.yaml"));
  EXPECT_TRUE(run.has("IPC_LOCK", "run.yaml"));
  EXPECT_TRUE(run.has("the LocalQueue above", "run.yaml"));
}

TEST(EmitTest, TorchtitanDoesNotStartBeforeItsRecomputationIsConfirmed) {
  const auto run = emitted("torchtitan", run_of("gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, "
                                                "micro_batch: 1, recompute: none",
                                                "torchtitan"));
  EXPECT_TRUE(run.has("export LF_RECOMPUTE=none", "train.sh")) << run.complaints;
  EXPECT_TRUE(run.has("the configuration llama3_8b recomputes", "train.sh"));
  EXPECT_TRUE(run.has("exit 64", "train.sh"));
  EXPECT_TRUE(run.has("[model]\nname = \"llama3\"", "torchtitan.toml"));
  EXPECT_TRUE(run.has("flavor = \"8B\"", "torchtitan.toml"));
  EXPECT_TRUE(run.has("[checkpoint]\nenable = true", "torchtitan.toml"));
}

TEST(EmitTest, AnAlertOfFullBatchesHoldsHoweverManyReplicasThereAre) {
  const auto rules = emitted("prometheus-rules",
                             service_of("engine: vllm, tp: 4, max_seqs: 100, scaling: {least: 1, "
                                        "most: 8, target: 24}"));
  EXPECT_TRUE(rules.has("loadfactor:requests:running > 90 * count(vllm:num_requests_running)"))
      << rules.text() << rules.complaints;
}

TEST(EmitTest, AnAlertOfFullBatchesHoldsWhereTheCacheIsFullBeforeTheBatch) {
  std::string text = service_of("engine: vllm, tp: 2, replicas: 1, max_seqs: 1000");
  text.insert(text.find("hardware:"),
              "  demand: {requests_per_hour: 60, tokens_in: 30000, tokens_out: 1000}\n");
  const auto rules = emitted("prometheus-rules", text);
  const std::string all = rules.text();
  const std::string before = "loadfactor:requests:running > ";
  const auto at = all.find(before);
  ASSERT_NE(at, std::string::npos) << all << rules.complaints;
  // 160 GB hold 70 GB of weights and 160 kB of each token: less than 20 requests of 31,000.
  EXPECT_LT(std::stod(all.substr(at + before.size())), 0.9 * 20);
}

TEST(EmitTest, APromiseBurnsItsBudgetOverALongAndAShortWindow) {
  std::string text = service_of("engine: vllm, tp: 4, replicas: 1");
  text.insert(text.find("hardware:"), "  slo: {ttft_p95: 1 s, ttft_p99: 2 s, tpot_p95: 50 ms}\n");
  const auto rules = emitted("prometheus-rules", text);
  EXPECT_TRUE(rules.has("record: \"loadfactor:ttft_p99:late\""))
      << rules.text() << rules.complaints;
  EXPECT_TRUE(
      rules.has("avg_over_time(loadfactor:ttft_p95:late[1h]) > 0.144 and "
                "avg_over_time(loadfactor:ttft_p95:late[5m]) > 0.144"))
      << rules.text();
  EXPECT_TRUE(rules.has("record: \"loadfactor:gpu_tensor:avg1h\"")) << rules.text();
}

TEST(EmitTest, ModelsAreLoadedByTheirRepositories) {
  const auto known = emitted("vllm", service_of("engine: vllm, tp: 4, replicas: 1"));
  EXPECT_TRUE(known.has("${MODEL:-meta-llama/Llama-3.3-70B-Instruct}", "serve.sh"))
      << known.complaints;
  const auto names = names_of(testing::shipped().catalog());
  for (const auto& row : launch::read_table("repositories.csv"))
    EXPECT_EQ(names.model(row[1]), row[0]) << row[1];
  EXPECT_EQ(launch::repository_of("gpt-1t").name, "");
}

TEST(EmitTest, LabelsOfGpusMeanChipsOfTheCatalogue) {
  const auto names = names_of(testing::shipped().catalog());
  for (const auto& row : launch::read_table("gpu_labels.csv")) {
    EXPECT_EQ(names.accelerator(row[0]), row[0]);
    EXPECT_EQ(launch::chip_of_label(row[1], row[2]), row[0]);
  }
}

TEST(EmitTest, PublicNamesHaveASourceOrAreMarkedAsAssumed) {
  const auto check = [](const std::string& name, const std::string& kind,
                        const std::string& source) {
    EXPECT_TRUE(kind == "assumed" || kind == "published" || kind == "measured") << name;
    EXPECT_FALSE(source.empty()) << name;
    EXPECT_EQ(kind == "assumed", source == "general-knowledge") << name;
  };
  for (const auto& row : launch::read_table("repositories.csv")) check(row[1], row[2], row[3]);
  for (const auto& row : launch::read_table("gpu_labels.csv")) check(row[2], row[3], row[4]);
  for (const auto& row : launch::read_table("neuron_chips.csv")) check(row[0], row[5], row[6]);
}

TEST(EmitTest, AnAssumedNameSaysSo) {
  const auto known = emitted("vllm", service_of("engine: vllm, tp: 4, replicas: 1"));
  EXPECT_FALSE(known.has("(assumed)", "serve.sh")) << known.complaints;
  const auto pods = emitted("kubernetes", service_of("engine: vllm, tp: 4, replicas: 1"));
  EXPECT_TRUE(pods.has("the label is assumed")) << pods.complaints;
}

TEST(EmitTest, AShareThatASignalEndedFailsTheRayJob) {
  const auto job = emitted("rayjob", run_of(kTwoNodes));
  EXPECT_TRUE(job.has("128 - code if code < 0 else code", "ray_launch.py")) << job.complaints;
}

TEST(EmitTest, KnativeTakesThePortByItsName) {
  EXPECT_TRUE(emitted("kserve", service_of("engine: vllm, tp: 4, replicas: 1")).has("http1"));
}

TEST(EmitTest, AModelOfDimensionsStandsAtItsLine) {
  const auto run = emitted(
      "megatron", run_of("gpus: 16, tp: 2, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: none",
                         "megatron-core-2026",
                         "{layers: 32, hidden: 4096, heads: 32, kv_heads: 8, vocab: 128000, mlp: "
                         "14336, gated: true, tied: false}"));
  const std::string text = run.text("megatron.args");
  const auto at = text.find("--num-layers 32");
  ASSERT_NE(at, std::string::npos) << run.complaints;
  EXPECT_NE(text.substr(at, text.find('\n', at) - at).find("case.yaml:4"), std::string::npos)
      << text.substr(at, 100);
}

TEST(EmitTest, WhatAPlanKeepsKeepsItsLine) {
  Diagnostics diagnostics;
  const auto scenario = config::parse_scenario("case.yaml", run_of(kTwoNodes), {}, diagnostics);
  ASSERT_TRUE(scenario);
  const auto same = with_changes(*scenario, {{"train.precision", std::string("bf16")}});
  EXPECT_EQ(same.origin("train.precision").giver, config::Giver::kFile);
  const auto other = with_changes(*scenario, {{"train.precision", std::string("fp8")}});
  EXPECT_EQ(other.origin("train.precision").giver, config::Giver::kPlanner);
}

TEST(EmitTest, EnginesTakeNoLongerSequencesThanTheModelHasPositions) {
  const auto heard = emitted("vllm", service_text("whisper-large-v3", "engine: vllm, tp: 1"));
  EXPECT_TRUE(heard.has("--max-model-len 448 ")) << heard.text() << heard.complaints;
  const auto seen = emitted("sglang", service_text("qwen2.5-vl-7b", "engine: sglang, tp: 1"));
  EXPECT_TRUE(seen.has("--context-length 128000 ")) << seen.text() << seen.complaints;
  const auto told = emitted("tensorrt-llm", service_text("llama-3.1-8b", "engine: tensorrt-llm"));
  EXPECT_TRUE(told.has("--max_seq_len 131072 ")) << told.text() << told.complaints;
  const auto read = emitted("vllm", service_text("bge-large-en", "engine: vllm, tp: 1"));
  EXPECT_TRUE(read.has("--max-model-len 512 ")) << read.text() << read.complaints;
}

TEST(EmitTest, ModelsWithoutAnswersInTokensAreServedAsSuch) {
  const auto sglang =
      emitted("sglang", service_text("bge-reranker-v2-m3", "engine: sglang, tp: 1"));
  EXPECT_TRUE(sglang.has("--is-embedding")) << sglang.complaints;
  EXPECT_TRUE(sglang.has("--kv-cache-dtype auto"));
  EXPECT_TRUE(sglang.has("--chunked-prefill-size -1"));
  const auto vllm = emitted("vllm", service_text("bge-m3", "engine: vllm, tp: 1, chunk: 4096"));
  EXPECT_TRUE(vllm.has("--runner pooling")) << vllm.complaints;
  EXPECT_TRUE(vllm.has("--no-enable-chunked-prefill"));
  EXPECT_TRUE(vllm.has("--max-num-batched-tokens 8192 ")) << "A whole text goes into one step.";
  // Tokens of a decoder look back, whatever it answers with.
  const auto narrow =
      emitted("vllm", service_text("qwen3-embedding-8b", "engine: vllm, tp: 1, kv: fp8"));
  EXPECT_TRUE(narrow.has("--kv-cache-dtype fp8_e4m3")) << narrow.text() << narrow.complaints;
  for (const char* model : {"bge-m3", "whisper-large-v3"}) {
    const auto refused =
        emitted("tensorrt-llm", service_text(model, "engine: tensorrt-llm, tp: 1"));
    EXPECT_NE(refused.complaints.find("serve.model"), std::string::npos) << refused.complaints;
  }
}

TEST(EmitTest, ACacheInTheFormatOfTheWeightsIsWhatSglangDoesByItself) {
  const auto half = emitted("sglang",
                            "loadfactor: 1\nname: case\nserve:\n  model: llama-3.1-8b\n"
                            "  precision: fp16\n  deployment: {engine: sglang, tp: 1}\n"
                            "hardware: [a100-80gb-sxm]\n");
  EXPECT_TRUE(half.has("--kv-cache-dtype auto")) << half.complaints;
  EXPECT_TRUE(half.has("--dtype float16"));
}

TEST(EmitTest, ModelsThatReadSeeOrHearHaveARepository) {
  for (const auto& model : testing::shipped().catalog().models()) {
    if (model.generates() && !model.tower) continue;
    EXPECT_FALSE(launch::repository_of(model.name).name.empty()) << model.name;
  }
}

TEST(EmitTest, MegatronIsToldWhatAModelsDimensionsDoNotSay) {
  const auto llama = emitted("megatron", run_of(kTwoNodes));
  EXPECT_TRUE(llama.has("--rotary-base 500000 ")) << llama.complaints;
  EXPECT_TRUE(llama.has("--norm-epsilon 1e-05 "));
  EXPECT_TRUE(llama.has("--rope-scaling-factor 8 "));
  const auto other = emitted(
      "megatron", run_of(kTwoNodes, "megatron-core-2026",
                         "{layers: 32, hidden: 4096, heads: 32, kv_heads: 8, vocab: 128000, mlp: "
                         "14336, gated: true, tied: false}"));
  EXPECT_TRUE(other.has("--rotary-base 10000 ")) << other.complaints;
  EXPECT_TRUE(other.has("Megatron's default: compare with the model's configuration"));
  const auto biased = emitted("megatron", run_of(kTwoNodes, "megatron-core-2026", "mpt-7b"));
  EXPECT_NE(biased.complaints.find("train.model"), std::string::npos) << biased.complaints;
}

TEST(EmitTest, AConfigurationOfTheUsersSaysTheBaseOfItsPositions) {
  launch::ModelShape shape;
  add_details({{.name = "config.json",
                .shown_as = "config.json",
                .text = R"({"rms_norm_eps": 1e-06, "text_config": {"rope_theta": 2e6}})",
                .size = std::nullopt}},
              shape);
  EXPECT_EQ(shape.rotary_base, 2e6);
  EXPECT_EQ(shape.norm_epsilon, 1e-6);
}

TEST(EmitTest, WhatMegatronIsToldOfModelsAreFlagsOfIt) {
  const auto names = names_of(testing::shipped().catalog());
  const auto megatron = launch::read_program("megatron");
  for (const auto& row : launch::read_table("megatron_models.csv")) {
    EXPECT_EQ(names.model(row[0]), row[0]);
    EXPECT_NE(row[1].empty(), row[2].empty()) << row[0] << " has flags, or cannot be expressed.";
    EXPECT_EQ(row[3] == "assumed", row[4] == "general-knowledge") << row[0];
    const auto model = launch::megatron_model_of(row[0]);
    ASSERT_TRUE(model) << row[0];
    for (const auto& each : model->flags) {
      const auto match = megatron.find(each.name);
      ASSERT_TRUE(match) << row[0] << " " << each.name;
      EXPECT_EQ(launch::value_fault(*match->flag, each.value), "") << row[0] << " " << each.name;
    }
  }
}

TEST(EmitTest, AScenarioOfPricesAloneHasNothingToLaunch) {
  const auto none = emitted("slurm",
                            "loadfactor: 1\nname: case\n"
                            "capacity: {gpus: 1, load_factor: 70 %}\n"
                            "hardware: [h100-sxm]\n");
  EXPECT_NE(none.complaints.find("there is nothing to launch"), std::string::npos)
      << none.complaints;
}

TEST(EmitTest, OverlapsOfMegatronAreOnlyThoseThatItStartsWith) {
  const auto alone = emitted(
      "megatron", run_of("gpus: 8, tp: 8, pp: 1, dp: 1, zero: 1, micro_batch: 1, recompute: none"));
  EXPECT_FALSE(alone.files.empty()) << alone.complaints;
  EXPECT_FALSE(alone.has("--overlap-param-gather"));
  const auto apart = emitted("megatron", run_of("gpus: 16, tp: 2, pp: 1, dp: 8, zero: 1, "
                                                "micro_batch: 1, recompute: selective, "
                                                "sequence_parallel: false"));
  EXPECT_FALSE(apart.files.empty()) << apart.complaints;
  EXPECT_FALSE(apart.has("--tp-comm-overlap"));
}

TEST(EmitTest, WhatTheLayoutSaysOfExpertsIsToldOrRefused) {
  const std::string layout =
      "gpus: 64, tp: 2, pp: 1, ep: 8, etp: 1, dp: 32, zero: 1, micro_batch: 1, recompute: "
      "selective, ";
  const auto with = [&](const char* moe) {
    return emitted("megatron", run_of(layout + moe, "megatron-core-2026", "mixtral-8x7b"));
  };
  const auto bounded = with("moe: {capacity_factor: 1.25, padded: true, imbalance: 1.3}");
  EXPECT_TRUE(bounded.has("--moe-expert-capacity-factor 1.25")) << bounded.complaints;
  EXPECT_TRUE(bounded.has("--moe-pad-expert-input-to-capacity"));
  EXPECT_TRUE(bounded.has("Predicted with uneven experts"));
  const auto sent = with("moe: {dispatch: fp8}");
  EXPECT_NE(sent.complaints.find("train.layout.moe.dispatch"), std::string::npos)
      << sent.complaints;
  const auto short_moments = with("moments: bf16");
  EXPECT_TRUE(short_moments.has("--exp-avg-dtype bf16")) << short_moments.complaints;
}

TEST(EmitTest, TorchtitanIsCompiledWhereThePredictionIs) {
  const char* layout = "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full";
  const auto compiled = emitted("torchtitan", run_of(layout, "torchtitan"));
  EXPECT_TRUE(compiled.has("--compile.enable ", "torchtitan.args")) << compiled.complaints;
  EXPECT_TRUE(compiled.has("[compile]\nenable = true", "torchtitan.toml"));
  const auto eager = emitted("torchtitan", run_of(layout, "torchtitan-eager"));
  EXPECT_TRUE(eager.has("--compile.no_enable", "torchtitan.args")) << eager.complaints;
  EXPECT_TRUE(eager.has("[compile]\nenable = false", "torchtitan.toml"));
}

TEST(EmitTest, NoEngineIsToldToConvertToWhatItOnlyLoads) {
  const std::string text =
      "loadfactor: 1\nname: case\nserve:\n  model: llama-3.1-8b\n  precision: awq\n  deployment: "
      "{engine: vllm, tp: 1}\nhardware: [h100-sxm]\n";
  const auto refused = emitted("vllm", text);
  EXPECT_TRUE(refused.files.empty());
  EXPECT_NE(refused.complaints.find("serve.precision"), std::string::npos) << refused.complaints;
}

TEST(EmitTest, ACheckpointThatIsNamedIsLaunched) {
  const auto out = emitted(
      "vllm", service_text("meta-llama/Llama-3.1-8B-Instruct", "engine: vllm, tp: 1, replicas: 1"));
  EXPECT_TRUE(out.has("--model meta-llama/Llama-3.1-8B-Instruct ")) << out.text() << out.complaints;
  // What reads the file again finds that checkpoint, and not the catalogue's own.
  EXPECT_TRUE(out.has(" model=meta-llama/Llama-3.1-8B-Instruct ")) << out.text();
  EXPECT_TRUE(out.has("Starts the only replica of 1 GPU ")) << out.text();
}

TEST(EmitTest, TheContextOfAnotherCheckpointIsLeftToItsOwnConfiguration) {
  const char* deployment = "engine: vllm, tp: 1, replicas: 1";
  const auto own = emitted("vllm", service_text("Qwen/Qwen2.5-7B", deployment));
  EXPECT_TRUE(own.has("--max-model-len 131072 ")) << own.text() << own.complaints;
  for (const char* target : {"vllm", "kubernetes", "kserve", "slurm", "dynamo"}) {
    const auto other = emitted(target, service_text("Qwen/Qwen2.5-7B-Instruct", deployment));
    EXPECT_FALSE(other.has("--max-model-len 131072 ")) << other.text();
    EXPECT_TRUE(
        other.has("# Without --max-model-len: the context of Qwen/Qwen2.5-7B-Instruct is "
                  "not known here"))
        << target << other.text() << other.complaints;
    EXPECT_TRUE(other.has("add --max-model-len 131072.")) << other.text();
  }
  const auto sglang = emitted(
      "sglang", service_text("Qwen/Qwen2.5-7B-Instruct", "engine: sglang, tp: 1, replicas: 1"));
  EXPECT_FALSE(sglang.has("--context-length 131072 ")) << sglang.text();
  EXPECT_TRUE(sglang.has("# Without --context-length:")) << sglang.text() << sglang.complaints;
}

TEST(EmitTest, TokensThatAreProposedAreAskedForByTheirNumber) {
  const std::string ahead = ", replicas: 1, speculation: {tokens: 3, acceptance: 70 %}";
  const auto draft = emitted("vllm", service_of("engine: vllm, tp: 4" + ahead));
  EXPECT_TRUE(draft.has("--spec-tokens 3 ", "vllm.args")) << draft.complaints;
  EXPECT_TRUE(draft.has("--spec-model \"$draft\"", "serve.sh")) << draft.text();
  EXPECT_TRUE(draft.has("draft=\"${DRAFT:?", "serve.sh")) << draft.text();
  const auto chain = emitted("sglang", service_of("engine: sglang, tp: 4" + ahead));
  EXPECT_TRUE(chain.has("--speculative-num-steps 3 ")) << chain.text() << chain.complaints;
  EXPECT_TRUE(chain.has("--speculative-num-draft-tokens 4 ")) << chain.text();
  const auto pod = emitted("kubernetes", service_of("engine: vllm, tp: 4" + ahead));
  EXPECT_NE(pod.complaints.find("names no draft model"), std::string::npos) << pod.text();
}

TEST(EmitTest, AModelThatProposesByItselfNeedsNoDraft) {
  const std::string text =
      service_text("deepseek-v3",
                   "engine: vllm, tp: 8, replicas: 1, speculation: {tokens: 1, acceptance: 80 %}");
  const std::string larger = std::string(text).replace(text.find("h100-sxm"), 8, "h200-sxm");
  for (const char* target : {"vllm", "kubernetes"}) {
    const auto out = emitted(target, larger);
    EXPECT_TRUE(out.has("--spec-method")) << out.text() << out.complaints;
    EXPECT_FALSE(out.has("DRAFT")) << out.text();
  }
}

TEST(EmitTest, WhatCheckpointsTakeOnDiskIsSaidBesideTheirInterval) {
  const auto megatron = emitted("megatron", run_of(kTwoNodes));
  EXPECT_TRUE(megatron.has("a checkpoint takes ", "megatron.args")) << megatron.text();
  EXPECT_TRUE(megatron.has("--save-retain-interval", "megatron.args")) << megatron.text();
  EXPECT_EQ(megatron.text().find("e+0"), std::string::npos) << megatron.text();
  const auto titan =
      emitted("torchtitan",
              run_of("gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full",
                     "torchtitan"));
  EXPECT_TRUE(
      titan.has("it keeps the last 10 unless --checkpoint.keep_latest_k", "torchtitan.args"))
      << titan.text() << titan.complaints;
}

TEST(EmitTest, LengthsAreThoseThatTheCacheHoldsAtItsLeast) {
  const std::string text =
      service_of("engine: vllm, tp: 1, replicas: 1, memory_fraction: 0.6, max_seqs: 8, chunk: 2048",
                 "llama-3.3-70b", "h200-sxm");
  const auto out = emitted("vllm", text);
  const std::string flag = "--max-model-len ";
  const std::string arguments = out.text("vllm.args");
  const auto at = arguments.find(flag);
  ASSERT_NE(at, std::string::npos) << out.complaints;
  Diagnostics diagnostics;
  const auto scenario = config::parse_scenario("case.yaml", text, {}, diagnostics);
  ASSERT_TRUE(scenario);
  const auto answer = testing::shipped().serve({.scenario = *scenario}, diagnostics);
  ASSERT_TRUE(answer) << render(diagnostics);
  EXPECT_LT(answer->kv_tokens.low(), answer->kv_tokens.value());
  EXPECT_LE(std::stod(arguments.substr(at + flag.size())), answer->kv_tokens.low().base());
}

TEST(EmitTest, WhatStandsBeforeTheServersIsNamed) {
  const auto out = emitted("vllm", service_of("engine: vllm, tp: 4, timeout: 30 s, router: "
                                              "session"));
  EXPECT_TRUE(out.has("Predicted with timeout, router: session")) << out.complaints;
  const auto swapped = emitted("vllm", service_of("engine: vllm, tp: 4, swap_space: 16 GB"));
  EXPECT_NE(swapped.complaints.find("serve.deployment.swap_space"), std::string::npos)
      << swapped.complaints;
}

}  // namespace
}  // namespace loadfactor::engine
