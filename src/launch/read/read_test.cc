// Launches as people write them, and broken ones: tests/launch holds both, with what is expected.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/csv.h"
#include "config/document.h"
#include "launch/read/launch_reading.h"
#include "launch/shell/shell.h"

namespace loadfactor::launch {
namespace {

const std::string kFolder = std::string(LF_SOURCE_DIR) + "/tests/launch/";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every name is one of the catalogue here, without its organisation and in lower case.
Names any_names() {
  Names names;
  names.model = [](const std::string& name) {
    std::string plain = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
    std::transform(plain.begin(), plain.end(), plain.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return plain;
  };
  names.accelerator = [](const std::string& name) {
    return name == "v100" ? std::string("v100-sxm2-32gb") : name;
  };
  names.stored_format = [](const std::string& name) {
    return name == "deepseek-v3" ? std::string("fp8-block") : std::string();
  };
  names.has_experts = [](const std::string& name) { return name == "sparse"; };
  names.is_format = [](const std::string& word, bool) { return word != "madeup"; };
  names.layers_of = [](const std::string&) { return std::int64_t{0}; };
  names.model_of = [](const auto&) { return std::string(); };
  return names;
}

std::vector<std::vector<std::string>> table(const std::string& name) {
  Diagnostics diagnostics;
  const auto csv = config::parse_csv(name, text_of(kFolder + name), diagnostics);
  std::vector<std::vector<std::string>> rows;
  if (!csv) return rows;
  for (const auto& row : csv->rows) {
    rows.emplace_back();
    for (const auto& cell : row) rows.back().push_back(cell.text);
  }
  return rows;
}

// The value of a key of a scenario, a list or map as it is written in one line.
std::string value_of(const std::string& scenario, std::string path) {
  std::vector<std::string> lines;
  std::istringstream text(scenario);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::size_t depth = 0;
  std::size_t at = 0;
  while (true) {
    const auto dot = path.find('.');
    const std::string start = std::string(2 * depth, ' ') + path.substr(0, dot) + ":";
    while (at < lines.size() && !lines[at].starts_with(start)) {
      // A line further out ends the section.
      if (depth > 0 && !lines[at].empty() && !lines[at].starts_with(std::string(2 * depth, ' ')))
        return "";
      ++at;
    }
    if (at == lines.size()) return "";
    if (dot == std::string::npos) {
      std::string value = lines[at].substr(start.size());
      if (const auto remark = value.find("  # "); remark != std::string::npos) value.resize(remark);
      return value.empty() ? "" : value.substr(1);
    }
    path = path.substr(dot + 1);
    ++depth;
    ++at;
  }
}

// The files of a row, which stand with a plus between them.
std::vector<LaunchFile> files_of(const std::string& folder, std::string names) {
  std::vector<LaunchFile> files;
  while (!names.empty()) {
    const auto end = std::min(names.find('+'), names.size());
    const std::string name = names.substr(0, end);
    files.push_back({name, text_of(kFolder + folder + name)});
    names.erase(0, end + 1);
  }
  return files;
}

// How long the line is that an error names.
std::size_t length_of(const SourceSpan& where) {
  std::istringstream text(text_of(kFolder + "broken/" + where.file));
  std::string line;
  for (std::uint32_t i = 0; i < where.line; ++i) std::getline(text, line);
  return line.size();
}

// The scenario that is read from the files of a row; a file is read once.
const std::string& scenario_of(const std::string& names) {
  static std::map<std::string, std::string> known;
  const auto [found, is_new] = known.try_emplace(names);
  if (!is_new) return found->second;
  Diagnostics diagnostics;
  const auto reading = read_launch(files_of("good/", names), any_names(), diagnostics);
  EXPECT_TRUE(reading) << names << "\n" << render(diagnostics);
  if (reading) found->second = reading->scenario;
  return found->second;
}

TEST(ReadTest, LaunchesAreReadAsTheyAreMeant) {
  const auto rows = table("good.csv");
  std::set<std::string> files;
  for (const auto& row : rows) {
    files.insert(row[0]);
    const std::string& scenario = scenario_of(row[0]);
    EXPECT_EQ(value_of(scenario, row[1]), row[2]) << row[0] << " " << row[1] << "\n" << scenario;
  }
  EXPECT_GE(files.size(), 60U);
}

TEST(ReadTest, WhatIsNotSureOrNotUsedIsSaid) {
  for (const auto& row : table("said.csv")) {
    const std::string& scenario = scenario_of(row[0]);
    EXPECT_NE(scenario.find(row[1]), std::string::npos) << row[1] << "\n" << scenario;
  }
}

TEST(ReadTest, ADumpOfAllArgumentsIsNoHeapOfRemarks) {
  std::string dump;
  for (int i = 0; i < 3; ++i) dump += text_of(kFolder + "good/megatron.log");
  Diagnostics diagnostics;
  const auto reading = read_launch({{"run.log", dump}}, any_names(), diagnostics);
  ASSERT_TRUE(reading) << render(diagnostics);
  EXPECT_LE(reading->remarks.size(), 3U) << reading->scenario;
}

// The scenario of files that stand in the test itself.
std::string scenario_of_texts(const std::vector<LaunchFile>& files) {
  Diagnostics diagnostics;
  const auto reading = read_launch(files, any_names(), diagnostics);
  EXPECT_TRUE(reading) << render(diagnostics);
  return reading ? reading->scenario : "";
}

TEST(ReadTest, WhatAScriptSourcesIsReadWhereItIsGiven) {
  const std::string scenario = scenario_of_texts(
      {{"run.sh", "source ./env.sh\nvllm serve $MODEL -tp $TP --max-num-seqs $SEQS\n"},
       {"conf/env.sh", "export MODEL=Qwen/Qwen2.5-7B-Instruct\nexport TP=2\nSEQS=99\n"}});
  EXPECT_EQ(value_of(scenario, "serve.deployment.tp"), "2") << scenario;
  EXPECT_EQ(value_of(scenario, "serve.deployment.max_seqs"), "99") << scenario;
}

TEST(ReadTest, WhatHelmSetsStandsInPlaceOfTheValues) {
  const std::string scenario = scenario_of_texts(
      {{"values.yaml",
        "servingEngineSpec:\n  modelSpec:\n  - name: chat\n    modelURL: a/b\n    replicaCount: 3\n"
        "    requestGPU: 2\n    vllmConfig: {tensorParallelSize: 2}\n"},
       {"install.sh",
        "helm upgrade --install prod vllm/vllm-stack -f values.yaml \\\n"
        "  --set servingEngineSpec.modelSpec[0].replicaCount=5 \\\n"
        "  --set 'servingEngineSpec.modelSpec[0].vllmConfig.tensorParallelSize=4,"
        "servingEngineSpec.modelSpec[0].requestGPU=4,"
        "servingEngineSpec.modelSpec[0].vllmConfig.maxNumSeqs=64'\n"}});
  EXPECT_EQ(value_of(scenario, "serve.deployment.replicas"), "5") << scenario;
  EXPECT_EQ(value_of(scenario, "serve.deployment.tp"), "4") << scenario;
  EXPECT_EQ(value_of(scenario, "serve.deployment.max_seqs"), "64") << scenario;
}

TEST(ReadTest, WhatComposeTakesFromItsEnvironmentIsRead) {
  const std::string scenario =
      scenario_of_texts({{"compose.yaml",
                          "services:\n  chat:\n    image: vllm/vllm-openai\n"
                          "    command: --model ${MODEL} --max-num-seqs=${SEQS}\n"},
                         {".env", "MODEL=Qwen/Qwen2.5-7B-Instruct\nSEQS=96\n"}});
  EXPECT_EQ(value_of(scenario, "serve.deployment.max_seqs"), "96") << scenario;
  EXPECT_EQ(value_of(scenario, "serve.model"), "qwen2.5-7b-instruct") << scenario;
}

TEST(ReadTest, AConfigMapIsFoundInWhicheverFileItStands) {
  const LaunchFile pod{"deployment.yaml",
                       "kind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n"
                       "      containers:\n      - name: chat\n        image: vllm/vllm-openai\n"
                       "        command: [bash, /scripts/start.sh]\n"
                       "        envFrom: [{configMapRef: {name: chat}}]\n"};
  const LaunchFile values{"values.yaml",
                          "kind: ConfigMap\nmetadata: {name: chat}\ndata:\n  SEQS: '96'\n"
                          "  start.sh: |\n    vllm serve a/b -tp 2 --max-num-seqs $SEQS\n"};
  for (const auto& files : {std::vector{pod, values}, std::vector{values, pod}}) {
    const std::string scenario = scenario_of_texts(files);
    EXPECT_EQ(value_of(scenario, "serve.deployment.max_seqs"), "96") << scenario;
    EXPECT_EQ(value_of(scenario, "serve.deployment.tp"), "2") << scenario;
    EXPECT_EQ(value_of(scenario, "serve.deployment.replicas"), "") << scenario;
  }
}

TEST(ReadTest, TheSameRemarkOnSeveralLinesIsSaidOnce) {
  const std::string scenario =
      scenario_of_texts({{"run.sh",
                          "vllm serve a/b --port 1 --max-model-len 8192 &\n"
                          "vllm serve a/b --port 2 --max-model-len 8192 &\nwait\n"}});
  EXPECT_NE(scenario.find("# run.sh:1, 2: --max-model-len 8192"), std::string::npos) << scenario;
}

TEST(ReadTest, AJobThatTakesSomeNodesOfAClusterIsNoContradiction) {
  const std::string scenario =
      scenario_of_texts({{"nodes.txt", "NodeName=n[1-8]\n   Gres=gpu:h100:8\n   State=IDLE\n"},
                         {"job.sbatch", text_of(kFolder + "good/sbatch-old-partition.sbatch")}});
  EXPECT_EQ(value_of(scenario, "train.layout.gpus"), "4") << scenario;
  EXPECT_EQ(value_of(scenario, "hardware"), "[h100]") << scenario;
}

TEST(ReadTest, WhatAPodTakesFromAConfigMapIsRead) {
  const std::string scenario = scenario_of_texts(
      {{"pod.yaml",
        "kind: Pod\nspec:\n  containers:\n  - name: v\n    image: vllm/vllm-openai\n"
        "    args: [--model, a/b, --max-num-seqs, $(SEQS), --tensor-parallel-size, $(WIDTH)]\n"
        "    envFrom: [{configMapRef: {name: chat}}]\n"
        "    env: [{name: WIDTH, valueFrom: {configMapKeyRef: {name: chat, key: tp}}}]\n"
        "---\nkind: ConfigMap\nmetadata: {name: chat}\ndata: {SEQS: '96', tp: '2'}\n"}});
  EXPECT_EQ(value_of(scenario, "serve.deployment.max_seqs"), "96") << scenario;
  EXPECT_EQ(value_of(scenario, "serve.deployment.tp"), "2") << scenario;
}

TEST(ReadTest, CheckpointsThatStopTheRunAreRead) {
  const std::string run = "torchrun --nproc-per-node 8 pretrain_gpt.py --save-interval 100";
  EXPECT_EQ(value_of(scenario_of_texts({{"a.sh", run + "\n"}}), "train.failures.checkpoint"),
            "synchronous");
  EXPECT_EQ(
      value_of(scenario_of_texts({{"a.sh", run + " --async-save\n"}}), "train.failures.checkpoint"),
      "");
}

TEST(ReadTest, LlamaFactorysNodesStandInItsEnvironment) {
  const std::string scenario = scenario_of_texts(
      {{"run.sh",
        "FORCE_TORCHRUN=1 NNODES=2 NPROC_PER_NODE=8 NODE_RANK=0 llamafactory-cli train sft.yaml\n"},
       {"sft.yaml",
        "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\nfinetuning_type: full\n"
        "cutoff_len: 2048\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 4\n"
        "bf16: true\n"}});
  EXPECT_EQ(value_of(scenario, "train.layout.gpus"), "16") << scenario;
  EXPECT_EQ(value_of(scenario, "train.global_batch"), "128") << scenario;
}

TEST(ReadTest, AxolotlsSecondFsdpNeedsNoListOfWords) {
  const std::string head =
      "base_model: Qwen/Qwen3-8B\nmicro_batch_size: 1\nbf16: true\nsequence_len: 4096\n";
  const auto read = [&](const std::string& tail) {
    return scenario_of_texts({{"run.yaml", head + tail}});
  };
  const std::string whole = read(
      "fsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n  offload_params: true\n");
  EXPECT_EQ(value_of(whole, "train.layout.zero"), "3");
  EXPECT_EQ(value_of(whole, "train.stack.framework"), "hf-fsdp");
  EXPECT_EQ(value_of(whole, "train.layout.offload"), "[optimizer, parameters]");
  const std::string kept = read("fsdp_version: 2\nfsdp_config: {reshard_after_forward: false}\n");
  EXPECT_EQ(value_of(kept, "train.layout.zero"), "2");
  EXPECT_EQ(value_of(read(""), "train.layout.zero"), "0");
  EXPECT_EQ(value_of(read("fsdp_version: 2\n"), "train.layout.zero"), "0");
}

TEST(ReadTest, AShellScriptIsOneWhateverItsFirstCommandLooksLike) {
  for (const std::string first :
       {": \"${KEY:?set KEY}\"\n", ": ${TP:=4}\n", "[ -d /data ] || exit 1\n"})
    for (const auto& file :
         {LaunchFile{"start", "#!/bin/bash\n" + first + "vllm serve a/b -tp 2\n"},
          LaunchFile{"start.sh", first + "vllm serve a/b -tp 2\n"}})
      EXPECT_EQ(value_of(scenario_of_texts({file}), "serve.deployment.tp"), "2") << file.text;
}

TEST(ReadTest, CopiesOfSglangAreReplicasUnlessTheyShareTheExperts) {
  const std::string run = "python -m sglang.launch_server --model-path a/sparse --tp-size 8";
  const auto read = [](const std::string& text) {
    return scenario_of_texts({{"run.sh", text + "\n"}});
  };
  const std::string copies = read(run + " --dp-size 4");
  EXPECT_EQ(value_of(copies, "serve.deployment.tp"), "8") << copies;
  EXPECT_EQ(value_of(copies, "serve.deployment.dp"), "") << copies;
  EXPECT_EQ(value_of(copies, "serve.deployment.replicas"), "4") << copies;
  const std::string two = run + " --dp-size 4 --port 1 &\n" + run + " --dp-size 4 --port 2";
  EXPECT_EQ(value_of(read(two), "serve.deployment.replicas"), "8");
  const std::string shared = read(run + " --dp-size 4 --enable-dp-attention");
  EXPECT_EQ(value_of(shared, "serve.deployment.tp"), "2") << shared;
  EXPECT_EQ(value_of(shared, "serve.deployment.dp"), "4") << shared;
  EXPECT_EQ(value_of(shared, "serve.deployment.replicas"), "") << shared;
  const std::string prefill = read(run + " --dp-size 2 --disaggregation-mode prefill");
  EXPECT_EQ(value_of(prefill, "serve.deployment.prefill.replicas"), "2") << prefill;
}

TEST(ReadTest, TorchtitanShardsWhereNoDegreeIsGiven) {
  const std::string run = "torchrun --nproc_per_node 8 -m torchtitan.train --training.seq_len 4096";
  const auto zero = [&](const std::string& tail) {
    return value_of(scenario_of_texts({{"run.sh", run + tail + "\n"}}), "train.layout.zero");
  };
  const std::string scenario = scenario_of_texts({{"run.sh", run + "\n"}});
  EXPECT_NE(scenario.find("zero: 3  # guess: torchtitan's default"), std::string::npos) << scenario;
  EXPECT_EQ(zero(" --parallelism.data_parallel_shard_degree 1"), "0");
  EXPECT_EQ(zero(" --parallelism.data_parallel_shard_degree $SHARES"), "");
  EXPECT_EQ(zero(" --parallelism.data_parallel_replicate_degree 8"), "0");
  EXPECT_EQ(zero(" --job.config_file elsewhere.toml"), "");
}

TEST(ReadTest, WhatComposeTakesFromElsewhereIsAsked) {
  const std::string scenario =
      scenario_of_texts({{"compose.yaml",
                          "services:\n  chat:\n    image: vllm/vllm-openai\n"
                          "    command: --model ${MODEL} --max-num-seqs=${SEQS}\n"}});
  EXPECT_EQ(value_of(scenario, "serve.deployment.max_seqs"), "") << scenario;
  EXPECT_NE(scenario.find("# serve.deployment.max_seqs: ?"), std::string::npos) << scenario;
}

TEST(ReadTest, AConfigurationOfAnotherProgramIsNoRun) {
  for (const char* text : {"[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n",
                           "[project]\nname = \"a\"\nversion = \"1\"\n"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_launch({{"config", text}}, any_names(), diagnostics)) << text;
    ASSERT_EQ(diagnostics.size(), 1U) << text;
    EXPECT_EQ(diagnostics.errors().front().code, 523) << text;
  }
}

TEST(ReadTest, AnErrorIsToldOnceAndWithHelp) {
  for (const char* text :
       {"vllm serve a/b -tp 0\n", "vllm serve a/b --kv-cache-dtype fp7\n",
        "vllm serve a/b --tensor-parallel-size --max-num-seqs 4\n", "vllm serve a/b -tp 2.5\n",
        "CUDA_VISIBLE_DEVICES=0,1 vllm serve a/b -tp 4\n",
        "#SBATCH --nodes=two\nsrun vllm serve a/b\n",
        "for i in 1 2 3; do vllm serve a/b -tp two --port 800$i; done\n"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_launch({{"run.sh", text}}, any_names(), diagnostics)) << text;
    ASSERT_EQ(diagnostics.size(), 1U) << text << render(diagnostics);
    EXPECT_FALSE(diagnostics.errors().front().hint.empty()) << text;
  }
}

TEST(ReadTest, EveryScenarioIsYaml) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder + "good")) {
    Diagnostics diagnostics;
    const std::string name = entry.path().filename();
    const auto reading = read_launch({{name, text_of(entry.path())}}, any_names(), diagnostics);
    ASSERT_TRUE(reading) << name << render(diagnostics);
    EXPECT_TRUE(config::parse_yaml(name, reading->scenario)) << reading->scenario;
  }
}

TEST(ReadTest, BrokenLaunchesAreRefusedAtTheirLine) {
  const auto rows = table("broken.csv");
  EXPECT_GE(rows.size(), 60U);
  for (const auto& row : rows) {
    Diagnostics diagnostics;
    const auto reading = read_launch(files_of("broken/", row[0]), any_names(), diagnostics);
    EXPECT_FALSE(reading) << row[0];
    if (diagnostics.empty()) {
      ADD_FAILURE() << row[0] << " is read without a complaint";
      continue;
    }
    const Error& error = diagnostics.errors().front();
    EXPECT_EQ(error.code, std::stoi(row[1])) << row[0] << "\n" << render(diagnostics);
    if (row[2] == "0") continue;
    if (row[0] == error.where.file) {
      EXPECT_LE(error.where.column, length_of(error.where) + 1) << row[0];
    }
    EXPECT_EQ(error.where.line, std::stoul(row[2])) << row[0] << "\n" << render(diagnostics);
  }
}

// Commands as lines.
std::string lines_of(const std::string& text) {
  std::string all;
  for (const auto& command : read_shell(text).commands) {
    for (const Word& word : command) all += (&word == &command.front() ? "" : " ") + word.text;
    all += "\n";
  }
  return all;
}

TEST(ShellTest, WordsAreThoseOfTheShell) {
  const auto script =
      read_shell("A=1\nB=\"two $A\"\nrun --x=$A \"$B\" 'a b' c\\ d ${E:-f} # remark\n");
  ASSERT_EQ(script.commands.size(), 1U);
  std::vector<std::string> words;
  for (const Word& word : script.commands[0]) words.push_back(word.text);
  EXPECT_EQ(words, (std::vector<std::string>{"run", "--x=1", "two 1", "a b", "c d", "f"}));
}

TEST(ShellTest, AWordOfAnUnknownVariableIsNotKnown) {
  const auto script = read_shell("run $WHERE \"$@\" $(date)\n");
  ASSERT_EQ(script.commands[0].size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(script.commands[0][i].is_known) << i;
}

TEST(ShellTest, WhatADefaultOrABranchSetsIsInDoubt) {
  const auto script = read_shell(
      "N=${N:-4}\nA=\"x y\"\n[ -n \"$Q\" ] && A=\"$A z\"\nif [ $Q ]; then B=1; fi\n"
      "run $N $A $B $((N*2)) sure\n");
  const auto& words = script.commands.back();
  ASSERT_EQ(words.size(), 8U);
  EXPECT_EQ(words[1].doubt, "the default of N");
  EXPECT_EQ(words[2].doubt, "");  // x, and y, stand whether the test holds or not.
  EXPECT_EQ(words[3].doubt, "");
  EXPECT_EQ(words[4].doubt, "set only where a test holds");
  EXPECT_EQ(words[5].doubt, "set only where a test holds");
  EXPECT_EQ(words[6].text, "8");
  EXPECT_EQ(words[6].doubt, "the default of N");
  EXPECT_EQ(words[7].doubt, "");
}

TEST(ShellTest, WhatIsPutBehindAVariableIsKept) {
  EXPECT_EQ(lines_of("A=x\nA+=' y'\nN=10; N+=5\nrun $A $N\n"), "run x y 105\n");
  EXPECT_EQ(lines_of("A=(x)\nA=(\"${A[@]}\" y)\nA+=(z)\nrun \"${A[@]}\"\n"), "run x y z\n");
  EXPECT_EQ(lines_of("N=4\n((N*=2))\n((N++))\nlet M=N+1\nrun $N $M\n"), "let M=N+1\nrun 9 10\n");
  EXPECT_EQ(lines_of("A=1\nunset A\nrun $A\n"), "unset A\nrun ${A}\n");
  EXPECT_EQ(read_shell("A+=' y'\nrun $A\n").commands[0][1].doubt, "added to what is set elsewhere");
}

TEST(ShellTest, SumsHaveTheOrderOfTheirSigns) {
  EXPECT_EQ(lines_of("N=3\nrun $((2 + N * 4)) $(((2 + N) * 4)) $((7 % N - 1))\n"), "run 14 20 0\n");
  EXPECT_FALSE(read_shell("run $((4 / 0))\n").commands[0][1].is_known);
}

TEST(ShellTest, ABranchThatTheTextDecidesIsTakenOrLeft) {
  EXPECT_EQ(lines_of("S=7B\nif [[ $S == \"7B\" ]]; then N=1\nelif [[ $S == 70B ]]; then N=8\n"
                     "else N=2; fi\nrun $N\n"),
            "[[ 7B == 7B ]]\nrun 1\n");
  EXPECT_EQ(lines_of("S=8B\ncase $S in\n  7B|8B) N=1;;\n  70*) N=8; A+=(x) ;;\n  *) N=9\nesac\n"
                     "run $N\n"),
            "run 1\n");
  EXPECT_EQ(lines_of("P=bf16\n[ $P = fp8 ] && X=1 || X=2\n! [ $P = fp8 ] && Y=3\nrun $X $Y\n"),
            "[ bf16 = fp8 ]\n[ bf16 = fp8 ]\nrun 2 3\n");
  EXPECT_EQ(lines_of("N=4\nif (( N > 2 )); then A=(x); else A=(y); fi\nrun ${A[@]}\n"), "run x\n");
  EXPECT_EQ(lines_of("P=a\n[ $P = b ] && { X=1; Y=2; }\nrun $X $Y\n"),
            "[ a = b ]\nrun ${X} ${Y}\n");
  EXPECT_EQ(read_shell("S=7B\nif [[ $S == 7B ]]; then N=1; fi\nrun $N\n").commands.back()[1].doubt,
            "");
}

TEST(ShellTest, ABranchThatADefaultDecidesIsInDoubt) {
  const auto script = read_shell(
      "S=${S:-7B}\nif [ $S = 7B ]; then N=1; else N=8; fi\nif [ -f x ]; then run $N; fi\n");
  EXPECT_EQ(script.variables.at("N").text, "1");
  EXPECT_EQ(script.variables.at("N").doubt, "the default of S");
  EXPECT_EQ(script.commands.back()[0].doubt, "set only where a test holds");
}

TEST(ShellTest, WhatReadIsGivenIsItsText) {
  EXPECT_EQ(lines_of("N=4\nread -r -d '' A <<EOF\n--x $N\n--y\nEOF\nrun $A\n"),
            "read -r -d  A\nrun --x 4 --y\n");
  EXPECT_FALSE(read_shell("A=1\nread A\nrun $A\n").commands.back()[1].is_known);
}

TEST(ShellTest, WhatAnotherScriptSetsIsKnownWhereItIsGiven) {
  const ScriptFiles files{{"env.sh", "N=4\nA=(x y)\n"}};
  const auto script = read_shell("# head\nsource ./env.sh\nrun $N \"${A[@]}\"\n", {}, &files);
  const auto& words = script.commands.back();
  ASSERT_EQ(words.size(), 4U);
  EXPECT_EQ(words[1].text, "4");
  EXPECT_EQ(words[1].line, 2U);
  EXPECT_EQ(words[3].text, "y");
}

TEST(ShellTest, TextsForACommandAreNoCommands) {
  const auto script = read_shell("cat <<EOF\ndon't vllm serve\nEOF\nrun <<< word\n");
  EXPECT_FALSE(script.unclosed);
  ASSERT_EQ(script.commands.size(), 2U);
  EXPECT_EQ(script.commands[1][0].text, "run");
  ASSERT_EQ(script.here_documents.size(), 1U);
  EXPECT_EQ(script.here_documents[0].text.text, "don't vllm serve\n");
  EXPECT_TRUE(read_shell("echo 'open\n").unclosed);
}

TEST(ShellTest, FunctionsAreReadWhereTheyAreCalled) {
  EXPECT_EQ(lines_of("go() {\n  local a=$1; shift\n  run $a \"$@\"\n}\ngo 1 x y\ngo 2\n"),
            "shift\nrun 1 x y\nshift\nrun 2\n");
  EXPECT_EQ(lines_of("function go { echo \"} $1\"; }\ngo 1 && go 2\nlast\n"),
            "echo } 1\necho } 2\nlast\n");
  EXPECT_EQ(lines_of("inner() { run $1; }\nouter() { inner $2; run $1; }\nouter a b\n"),
            "run b\nrun a\n");
}

TEST(ShellTest, AFunctionThatNobodyCallsIsReadOnce) {
  EXPECT_EQ(lines_of("go() { run $1; }\n"), "run $1\n");
}

TEST(ShellTest, FunctionsThatCallThemselvesEnd) {
  EXPECT_FALSE(lines_of("go() { run; go; go; }\ngo\n").empty());
  EXPECT_FALSE(lines_of("a() { b; b; }\nb() { a; a; run; }\na\n").empty());
  EXPECT_EQ(lines_of("go() { run\n"), "go\nrun\n");  // Nothing closes it.
}

TEST(ShellTest, ListsOfLoopsAreCountedOut) {
  const auto loop = [](const std::string& list) {
    return lines_of("N=3\nfor i in " + list + "; do run $i; done\n");
  };
  EXPECT_EQ(loop("n{08..10}"), "run n08\nrun n09\nrun n10\n");
  EXPECT_EQ(loop("`seq 2`"), "run 1\nrun 2\n");
  EXPECT_EQ(loop("$(seq 0 2 $((N + 1)))"), "run 0\nrun 2\nrun 4\n");
  EXPECT_EQ(loop("{2..1}"), "run 2\nrun 1\n");
  EXPECT_EQ(lines_of("N=4\nfor ((i = 0; i < N; i += 2)); do run $i; done\n"), "run 0\nrun 2\n");
  EXPECT_EQ(lines_of("a=(x y)\nfor i in \"${!a[@]}\"; do run ${a[$i]} ${#a[@]}; done\n"),
            "run x 2\nrun y 2\n");
  EXPECT_EQ(lines_of("for i in $(cat hosts); do run $i; done\n"), "run ${i}\n");
}

TEST(ShellTest, WhatAProgramPrintsIsOneWord) {
  EXPECT_EQ(read_shell("A=$(cmd one | head -n 1)\nrun --at=$A:1 last\n").commands.back().size(),
            3U);
}

TEST(ShellTest, ScriptsAndWordsThatHoldEachOtherEnd) {
  std::string many;
  for (int i = 0; i < 500; ++i) many += "source a.sh\n";
  const ScriptFiles files{{"a.sh", many}};
  EXPECT_EQ(read_shell(many, {}, &files).commands.size(), 500U);
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "${A:+";
  EXPECT_EQ(read_shell("A=1\nrun " + nested + std::string(20000, '}') + "\n").commands.size(), 1U);
  EXPECT_FALSE(lines_of("f() { case x in a }\nf\nrun\n").empty());
}

TEST(ShellTest, ArraysThatHoldThemselvesEnd) {
  std::string text = "a=(x)\n";
  for (int i = 0; i < 60; ++i) text += "a+=(\"${a[@]}\" \"${a[@]}\")\n";
  const auto script = read_shell(text + "run \"${a[@]}\"\n");
  EXPECT_LE(script.commands.size(), 2U);
}

}  // namespace
}  // namespace loadfactor::launch
