// The tables of other programs: what is in them is found, what is not is refused.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/document.h"
#include "launch/vocabulary/kinds.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/titan_models.h"
#include "launch/vocabulary/tree.h"

namespace loadfactor::launch {
namespace {

TEST(ProgramTest, FlagsAreFoundByEverySpelling) {
  const Program vllm = read_program("vllm");
  ASSERT_GT(vllm.flags().size(), 200U);
  for (const char* name : {"--tensor-parallel-size", "--tensor_parallel_size", "-tp"}) {
    const auto found = vllm.find(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->flag->name, "--tensor-parallel-size");
  }
  EXPECT_TRUE(vllm.find("--no-enable-prefix-caching")->says_no);
  EXPECT_FALSE(vllm.find("--tensor-paralel-size"));
}

TEST(ProgramTest, EveryTableSaysWhereItIsFrom) {
  for (const char* name : {"megatron", "deepspeed", "accelerate", "torchtitan", "vllm", "sglang"}) {
    const Program program = read_program(name);
    EXPECT_GT(program.flags().size(), 100U) << name;
    EXPECT_EQ(program.origin().commit.size(), 40U) << name;
    EXPECT_NE(program.origin().repository.find('/'), std::string::npos) << name;
  }
}

TEST(ProgramTest, ValuesAreOfTheTypeAndAmongTheChoices) {
  const Program vllm = read_program("vllm");
  EXPECT_EQ(value_fault(*vllm.find("--kv-cache-dtype")->flag, "fp8"), "");
  EXPECT_NE(value_fault(*vllm.find("--kv-cache-dtype")->flag, "fp9"), "");
  EXPECT_NE(value_fault(*vllm.find("--max-num-seqs")->flag, "2.5"), "");
  EXPECT_NE(value_fault(*vllm.find("--headless")->flag, "yes"), "");
}

TEST(ProgramTest, LengthsAreWrittenAsPeopleWriteThem) {
  const Flag& length = *read_program("vllm").find("--max-model-len")->flag;
  for (const char* good : {"32768", "32k", "32K", "1.5m", "auto"})
    EXPECT_EQ(value_fault(length, good), "") << good;
  for (const char* bad : {"", "k", "32q", "long", "1e400k"})
    EXPECT_NE(value_fault(length, bad), "") << bad;
  EXPECT_EQ(size_of("32k"), 32'000);
  EXPECT_EQ(size_of("32K"), 32'768);
}

TEST(TablesTest, ImagesAreKnownBehindAnyRegistry) {
  const Images images;
  EXPECT_EQ(images.program("vllm/vllm-openai:v0.10.0"), "vllm");
  EXPECT_EQ(images.program("mirror.local:5000/vllm/vllm-openai@sha256:ab"), "vllm");
  EXPECT_EQ(images.program("lmsysorg/sglang"), "sglang");
  EXPECT_EQ(images.program("ubuntu:24.04"), "");
}

TEST(TablesTest, NamesOfCheckpointsTellTheirFormat) {
  EXPECT_EQ(precision_in_name("a/Meta-Llama-3.1-70B-Instruct-quantized.w4a16"), "int4");
  EXPECT_EQ(precision_in_name("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"), "gptq");
  EXPECT_EQ(precision_in_name("nvidia/Llama-3.3-70B-Instruct-NVFP4"), "nvfp4");
  EXPECT_EQ(precision_in_name("meta-llama/Llama-3.1-8B-Instruct"), "");
}

TEST(TitanTest, ModelsAndConfigurationsAreEachOthers) {
  EXPECT_EQ(titan_config_of("llama-3.1-70b", "bf16")->config, "llama3_70b");
  EXPECT_EQ(titan_config_of("llama-3.1-8b", "mxfp8")->config, "llama3_8b_mxfp8");
  EXPECT_FALSE(titan_config_of("gpt2", "bf16"));
  EXPECT_EQ(titan_model_of("llama3_8b_mxfp8").precision, "mxfp8");
  EXPECT_EQ(titan_model_of("llama3_8b_mxfp8").model, "llama-3.1-8b");
}

constexpr const char* kDeployment = R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  replicas: 2
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
      - name: engine
        image: x
        args: ["--port", "8000"]
        resources: {limits: {nvidia.com/gpu: "4"}}
)";

// What is wrong with the manifest once a text in it is another one.
std::string faults_with(const std::string& before, const std::string& after) {
  std::string text = kDeployment;
  const auto at = text.find(before);
  if (at == std::string::npos) return "no such text";
  text.replace(at, before.size(), after);
  const auto document = config::parse_yaml("a.yaml", text);
  if (!document) return "no YAML";
  std::string all;
  for (const auto& fault : Kinds::read().check(tree_of(document->root)))
    all += fault.path + ": " + fault.what + "\n";
  return all;
}

TEST(KindsTest, AManifestIsHeldToItsFieldsAndRules) {
  EXPECT_EQ(faults_with("chat", "chat"), "");
  EXPECT_EQ(faults_with("replicas: 2", "replica: 2"), "spec.replica: no such field\n");
  EXPECT_NE(faults_with("replicas: 2", "replicas: two").find("no whole number"), std::string::npos);
  EXPECT_NE(faults_with("\"4\"", "\"0.5\"").find("only whole ones"), std::string::npos);
  EXPECT_NE(
      faults_with("matchLabels: {app: chat}", "matchLabels: {app: talk}").find("do not carry"),
      std::string::npos);
  EXPECT_NE(faults_with("name: chat", "name: Chat_1").find("no name"), std::string::npos);
  EXPECT_NE(faults_with("image: x", "imagePullPolicy: Sometimes").find("no word"),
            std::string::npos);
  const auto rollout = [](const char* steps) {
    return faults_with("replicas: 2", fmt::format("replicas: 2\n  strategy: {{type: RollingUpdate, "
                                                  "rollingUpdate: {{{}}}}}",
                                                  steps));
  };
  EXPECT_EQ(rollout("maxSurge: 0, maxUnavailable: 25%"), "");
  EXPECT_NE(rollout("maxSurge: 0, maxUnavailable: 0").find("both 0"), std::string::npos);
  EXPECT_NE(rollout("maxSurges: 1, maxUnavailable: 0").find("no such field"), std::string::npos);
  EXPECT_NE(faults_with("apps/v1", "apps/v2").find("no kind"), std::string::npos);
  EXPECT_NE(
      faults_with("      - name: engine\n        image: x", "      - image: x").find("is missing"),
      std::string::npos);
}

TEST(TreeTest, WhatIsWrittenReadsAsTheSame) {
  Tree tree = Tree::map();
  tree.set("plain", "a-b").set("number", "12").set("truth", "true", "a remark");
  tree.set("colon", "a: b").set("empty", "").set("lines", "one\n  two\n\nthree\n");
  tree.set("blank first", "   # one\ntwo\n").set("returns", "one\r\ntwo\r\n");
  tree.set("breaks", "one\n\n\n").set("separator", "one\u2028two\nthree\n");
  tree.set("count", Tree::number(3)).set("list", Tree::texts({"x", "#y", "- z"}));
  tree.set("none", Tree::map()).set("no", Tree::list());
  const auto document = config::parse_yaml("a.yaml", to_yaml(tree));
  ASSERT_TRUE(document) << to_yaml(tree);
  EXPECT_EQ(to_json(tree_of(document->root)), to_json(tree)) << to_yaml(tree);
}

}  // namespace
}  // namespace loadfactor::launch
