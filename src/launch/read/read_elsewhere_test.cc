// What stands beside a command, in its environment, its batch system and its secrets, is read,
// asked or hidden.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "launch/findings/secrets.h"
#include "launch/read/launch_reading.h"

namespace loadfactor::launch {
namespace {

Names names_as_written() {
  Names names;
  names.model = [](const std::string& name) { return name; };
  names.accelerator = [](const std::string& name) { return name; };
  names.layers_of = [](const std::string&) { return std::int64_t{0}; };
  names.model_of = [](const auto&) { return std::string(); };
  return names;
}

// The scenario, or what is told instead of it.
std::string told_of(const std::vector<LaunchFile>& files) {
  Diagnostics diagnostics;
  const auto reading = read_launch(files, names_as_written(), diagnostics);
  return reading ? reading->scenario : render(diagnostics);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kSecret = "Zq81-hidden-77";

TEST(SecretsTest, NothingThatIsToldRepeatsASecret) {
  const std::string secret = kSecret;
  for (const std::string& script :
       {"vllm serve a/b --api-key " + secret + "\n",
        "vllm serve a/b --api-key=" + secret + " -tp two\n",
        "KEY=" + secret + "\nvllm serve a/b --hf-token $KEY --bogus=$KEY\n",
        "X=" + secret + "\nvllm serve a/b --api-key $X -tp two --bogus $X\n",
        "python -m sglang.launch_server --model-path a/b --admin-api-key '" + secret + "'\n",
        "HF_TOKEN=" + secret + " vllm serve a/b \"--port 1\n",
        "vllm serve a/b --speculative-config '{\"hf_token\": \"" + secret + "\"}'\n",
        "export ADMIN_PASSWORD=${ADMIN_PASSWORD:-" + secret + "} && vllm serve a/b -tp x\n"}) {
    const std::string told = told_of({{"run.sh", script}});
    EXPECT_FALSE(has(told, secret)) << told;
  }
  const std::string told = told_of({{"run.sh", "vllm serve a/b --api-key " + secret + "\n"}});
  EXPECT_TRUE(has(told, "# flags: --api-key ***")) << told;
}

TEST(SecretsTest, AListOfArgumentsAndAnEnvironmentHideTheirs) {
  const std::string secret = kSecret;
  for (const std::string& args :
       {"[--model=a/b, --api-key, " + secret + ", --tensor-parallel-size, two]",
        "\n    - --model=a/b\n    - --tensor-parallel-size=two\n    - --api-key\n    - " + secret,
        "[--model=a/b, -tp, two]\n    env: [{name: HF_TOKEN, value: " + secret + "}]",
        "[--model=a/b, -tp, $(HF_TOKEN)]\n    env:\n    - name: HF_TOKEN\n      value: " +
            secret}) {
    const std::string told =
        told_of({{"pod.yaml",
                  "kind: Pod\nspec:\n  containers:\n  - name: v\n    image: vllm/vllm-openai\n"
                  "    args: " +
                      args + "\n"}});
    EXPECT_FALSE(has(told, secret)) << told;
  }
}

TEST(SecretsTest, WhatIsNoSecretStays) {
  for (const char* name : {"--max-num-batched-tokens", "--tokenizer", "tokens", "--monkey",
                           "--ssl-keyfile", "secretName"})
    EXPECT_FALSE(is_secret_name(name)) << name;
  for (const char* name :
       {"--api-key", "HF_TOKEN", "hfToken", "adminPassword", "client-secret", "OPENAI_API_KEY_2"})
    EXPECT_TRUE(is_secret_name(name)) << name;
  const std::string told = told_of(
      {{"run.sh", "vllm serve a/b --api-key true --max-num-batched-tokens 8192 --port 80\n"}});
  EXPECT_TRUE(has(told, "chunk: 8192")) << told;
  EXPECT_TRUE(has(told, "--api-key true")) << told;
}

TEST(ReadElsewhereTest, AValueMayFollowAnOptionOfSlurmWithoutABlank) {
  const std::string run =
      "srun python pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 8 "
      "--seq-length 128 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 512\n";
  const std::string apart =
      told_of({{"a.sbatch", "#SBATCH -N 4\n#SBATCH -G 32 -n 32 -c 8 -t 1:00\n" + run}});
  const std::string joined =
      told_of({{"a.sbatch", "#SBATCH -N4\n#SBATCH -G32 -n32 -c8 -t1:00\n" + run}});
  EXPECT_TRUE(has(joined, "gpus: 32")) << joined;
  EXPECT_EQ(joined, apart);
  const std::string submitted =
      told_of({{"go.sh", "sbatch -N2 -G16 a.sbatch\n"}, {"a.sbatch", "#SBATCH -N4\n" + run}});
  EXPECT_TRUE(has(submitted, "gpus: 16")) << submitted;
  const std::string step = told_of({{"go.sh", "srun -N2 --gres=gpu:h100:8 " + run.substr(5)}});
  EXPECT_TRUE(has(step, "gpus: 16")) << step;
  EXPECT_TRUE(has(step, "hardware: [h100]")) << step;
}

TEST(ReadElsewhereTest, AFileOfVariablesStandsInPlaceOfTheUnitsOwn) {
  const LaunchFile unit{"v.service",
                        "[Service]\nEnvironmentFile=-/etc/default/vllm\nEnvironment=TP=8\n"
                        "ExecStart=/usr/bin/vllm serve a/b --tensor-parallel-size ${TP}\n"};
  const std::string given = told_of({unit, {"etc/vllm", "TP=4\n"}});
  EXPECT_TRUE(has(given, "tp: 4  # v.service:2")) << given;
  const std::string missing = told_of({unit});
  EXPECT_TRUE(has(missing, "tp: 8  # guess: v.service:3: /etc/default/vllm may set TP otherwise") ||
              has(missing, "tp: 8  # guess: v.service:2: /etc/default/vllm may set TP otherwise"))
      << missing;
  EXPECT_TRUE(has(missing, "/etc/default/vllm is not read")) << missing;
}

TEST(ReadElsewhereTest, ATrainerWithoutALauncherSaysWhatItsConfigurationLeavesOut) {
  const LaunchFile zero{"z.json",
                        "{\"bf16\": {\"enabled\": \"auto\"}, \"zero_optimization\": {\"stage\": 3},"
                        " \"train_micro_batch_size_per_gpu\": \"auto\"}\n"};
  const std::string command =
      "python train.py --model_name_or_path a/b --bf16 --per_device_train_batch_size 2 "
      "--block_size 4096 --deepspeed z.json";
  for (const LaunchFile& start :
       {LaunchFile{"run.sh", command + "\n"},
        LaunchFile{"job.yaml", "kind: RayJob\nspec:\n  entrypoint: " + command + "\n"}}) {
    const std::string told = told_of({start, zero});
    EXPECT_TRUE(has(told, "model: a/b")) << told;
    EXPECT_TRUE(has(told, "micro_batch: 2")) << told;
    EXPECT_TRUE(has(told, "precision: bf16")) << told;
    EXPECT_TRUE(has(told, "zero: 3")) << told;
  }
}

TEST(ReadElsewhereTest, TorchtitansModelIsNamedOnACommandLineToo) {
  const std::string command =
      "torchrun --nproc_per_node=8 -m torchtitan.train --training.seq_len 8192 "
      "--training.local_batch_size 1 --model.flavor 70B";
  EXPECT_TRUE(has(told_of({{"a.sh", command + " --model.name llama3\n"}}), "model: llama-3.1-70b"));
  const std::string overridden =
      told_of({{"a.sh", command + " --job.config_file t.toml\n"},
               {"t.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"}});
  EXPECT_TRUE(has(overridden, "model: llama-3.1-70b")) << overridden;
  EXPECT_TRUE(has(told_of({{"a.sh", command + " --model.name mine\n"}}), "# train.model: ?"));
}

TEST(ReadElsewhereTest, ContainersOfAPodThatServeOneModelAreReplicas) {
  const auto pod = [](const std::string& head, const std::string& indent) {
    std::string text = head + indent + "containers:\n";
    for (const char* name : {"a", "b"})
      text += indent + "- {name: " + name +
              ", image: vllm/vllm-openai, args: [--model=a/b], resources: {limits: "
              "{nvidia.com/gpu: 1}}}\n";
    return text + indent + "- {name: log, image: busybox, args: [tail]}\n";
  };
  EXPECT_TRUE(has(told_of({{"p.yaml", pod("kind: Pod\nspec:\n", "  ")}}), "replicas: 2"));
  EXPECT_TRUE(has(told_of({{"d.yaml", pod("kind: Deployment\nspec:\n  replicas: 3\n  template:\n"
                                          "    spec:\n",
                                          "      ")}}),
                  "replicas: 6"));
}

TEST(ReadElsewhereTest, EveryKeyThatAWordMayGiveIsAsked) {
  for (const char* start : {"vllm serve a/b", "python -m sglang.launch_server --model-path a/b"}) {
    const std::string told = told_of({{"a.sh", std::string(start) + " $EXTRA_ARGS\n"}});
    for (const char* key : {"serve.precision", "serve.deployment.memory_fraction",
                            "serve.deployment.ep", "serve.deployment.tp"})
      EXPECT_TRUE(has(told, std::string("# ") + key + ": ?")) << key << "\n" << told;
  }
  EXPECT_TRUE(has(told_of({{"a.sh", "vllm serve a/b-FP8 $EXTRA_ARGS\n"}}), "precision: fp8"));
}

TEST(ReadElsewhereTest, AnEngineThatIsBuiltFirstIsServed) {
  const std::string told =
      told_of({{"a.sh",
                "trtllm-build --checkpoint_dir ./c --max_batch_size 64 --max_num_tokens 8192 "
                "--max_seq_len 4096\nmpirun -n 8 python3 run.py\n"}});
  EXPECT_TRUE(has(told, "engine: tensorrt-llm")) << told;
  EXPECT_TRUE(has(told, "max_seqs: 64")) << told;
  EXPECT_TRUE(has(told, "chunk: 8192")) << told;
  EXPECT_TRUE(has(told, "tp: 8  # guess")) << told;
  EXPECT_FALSE(has(told, "train:")) << told;
}

TEST(ReadElsewhereTest, ATopologyThatIsCutOffIsRefused) {
  const std::string rows = "GPU0\t X \tNV12\n";
  EXPECT_TRUE(has(told_of({{"t.txt", "\tGPU0\tGPU1\n" + rows}}), "names 2 GPUs"));
  EXPECT_TRUE(has(told_of({{"t.txt", "\tGPU0\tGPU1\n" + rows + "GPU1\tNV12\t X \n"}}), "gpus: 2"));
}

TEST(ReadElsewhereTest, WhatIsToldOfALongValueIsShort) {
  const std::string told =
      told_of({{"a.sh", "vllm serve a/b --max-model-len $" + std::string(50'000, 'x') + "\n"}});
  EXPECT_LT(told.size(), 10'000U);
}

TEST(ReadElsewhereTest, AMapInBracesIsYaml) {
  const std::string told = told_of(
      {{"p.yaml",
        "{kind: Pod, spec: {containers: [{name: v, image: vllm/vllm-openai, args: [--model=a/b, "
        "--tensor-parallel-size=2]}]}}\n"}});
  EXPECT_TRUE(has(told, "tp: 2")) << told;
  EXPECT_TRUE(has(told_of({{"z.json", "{zero_optimization: {stage: 2}}\n"}}), "error"));
}

TEST(ReadElsewhereTest, WhatVariablesChooseIsARemark) {
  const std::string told =
      told_of({{"a.sh", "export VLLM_ALL2ALL_BACKEND=deepep_low_latency\nvllm serve a/b\n"}});
  EXPECT_TRUE(has(told, "# a.sh:1: VLLM_ALL2ALL_BACKEND")) << told;
  EXPECT_FALSE(
      has(told_of({{"a.sh", "# VLLM_ALL2ALL_BACKEND=x\nvllm serve a/b\n"}}), "a scenario has no"));
}

TEST(ReadElsewhereTest, WhereNothingSaysHowItShardsTheFrameworkIsAsked) {
  const std::string told = told_of(
      {{"a.sh", "accelerate launch --num_processes 8 t.py --per_device_train_batch_size 1\n"}});
  EXPECT_TRUE(has(told, "# train.layout.zero: ?")) << told;
  EXPECT_TRUE(has(told, "# train.stack.framework: ?")) << told;
}

TEST(ReadElsewhereTest, FlagsAreToldAsTheScriptSpellsThem) {
  const std::string told = told_of({{"a.sh", "vllm serve a/b -tp 4 --max-num-seqs=8\n"}});
  EXPECT_TRUE(has(told, "# flags: -tp 4 --max-num-seqs 8")) << told;
}

}  // namespace
}  // namespace loadfactor::launch
