// What is read from launches as people have them is answered: no name, format or framework in it is
// unknown to the catalogue, and nothing in it contradicts the rest.
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/csv.h"
#include "config/reading/scenario_reader.h"
#include "engine/core.h"
#include "engine/launch/launch_plan.h"
#include "engine/method/method.h"
#include "launch/read/launch_reading.h"

namespace loadfactor::engine {
namespace {

const std::string kFolder = std::string(LF_SOURCE_DIR) + "/tests/launch/";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The files of each row, which stand with a plus between them.
std::set<std::string> rows() {
  Diagnostics diagnostics;
  const auto csv = config::parse_csv("good.csv", text_of(kFolder + "good.csv"), diagnostics);
  std::set<std::string> names;
  if (!csv) return names;
  for (const auto& row : csv->rows) names.insert(row.front().text);
  return names;
}

std::vector<launch::LaunchFile> files_of(std::string names) {
  std::vector<launch::LaunchFile> files;
  while (!names.empty()) {
    const std::string name = names.substr(0, names.find('+'));
    files.push_back({name, text_of(kFolder + "good/" + name)});
    names.erase(0, name.size() + 1);
  }
  return files;
}

// What a launch leaves open, as a person would fill it in.
std::string filled(std::string scenario) {
  const auto lacks = [&](const char* key) { return scenario.find(key) == std::string::npos; };
  if (lacks("\nhardware:")) scenario += "hardware: [h200-sxm]\n";
  const auto add = [&](const std::string& section, const std::string& line) {
    scenario.insert(scenario.find(section) + section.size(), line);
  };
  if (!lacks("\nserve:\n"))
    add("\nserve:\n", "  demand: {requests_per_month: 1 M, tokens_in: 1500, tokens_out: 300}\n");
  // A method that writes its own answers has steps of them, and others have tokens.
  const bool writes = !lacks("\n    kind: ");
  if (writes) add("\n  method:\n", "    answer_tokens: 400\n    steps: 10\n");
  if (!lacks("\ntrain:\n") && lacks("\n  tokens:") && !writes) add("\ntrain:\n", "  tokens: 1 B\n");
  return scenario;
}

TEST(ReadAnswersTest, WhatIsReadIsAnswered) {
  Diagnostics none;
  const auto core = Core::create({}, none);
  int answered = 0;
  for (const std::string& names : rows()) {
    Diagnostics diagnostics;
    const auto reading =
        launch::read_launch(files_of(names), names_of(core->catalog()), diagnostics);
    ASSERT_TRUE(reading) << names << "\n" << render(diagnostics);
    const std::string text = filled(reading->scenario);
    const auto scenario = config::parse_scenario("read.yaml", text, {}, diagnostics);
    if (scenario && scenario->train && has_phases(*scenario))
      train_by_method(*core, {.train = {.scenario = *scenario}}, diagnostics);
    else if (scenario && scenario->train)
      core->train({.scenario = *scenario}, diagnostics);
    if (scenario && scenario->serve) core->serve({.scenario = *scenario}, diagnostics);
    // A key that the files leave open may be missing, and a layout may not fit.
    constexpr int kFirstOfUnits = 200;
    bool is_answered = true;
    for (const Error& error : diagnostics.errors()) {
      is_answered = false;
      EXPECT_TRUE(error.code == lf::kMissingKey || error.code < kFirstOfUnits)
          << names << "\n"
          << render(error) << "\n"
          << text;
    }
    answered += is_answered ? 1 : 0;
  }
  EXPECT_GE(answered, 150);
}

// The scenario of one script, or what is wrong with it.
std::string reading_of(const std::string& script) {
  Diagnostics diagnostics;
  const auto core = Core::create({}, diagnostics);
  const auto reading =
      launch::read_launch({{"run.sh", script}}, names_of(core->catalog()), diagnostics);
  return reading ? reading->scenario : render(diagnostics);
}

TEST(ReadAnswersTest, AFlagThatContradictsTheNamedModelIsRefused) {
  const std::string head = "# loadfactor: model=mixtral-8x7b framework=megatron-core-2026\n";
  const std::string flags =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --hidden-size 4096 --num-attention-heads 32 "
      "--num-experts 8 --micro-batch-size 1 --global-batch-size 64 --bf16 --num-layers ";
  EXPECT_NE(reading_of(head + flags + "16\n").find("layers: 16 here, and mixtral-8x7b"),
            std::string::npos)
      << reading_of(head + flags + "16\n");
  EXPECT_NE(reading_of(head + flags + "32\n").find("model: mixtral-8x7b"), std::string::npos);
}

TEST(ReadAnswersTest, ExpertsInAllLayersAreNoDenseMlpBesideThem) {
  const std::string mixtral =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
      "--ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention "
      "--num-query-groups 8 --num-experts 8 --moe-router-topk 2 --swiglu --vocab-size 32000 "
      "--untie-embeddings-and-output-weights --micro-batch-size 1 --global-batch-size 64 --bf16\n";
  EXPECT_NE(reading_of(mixtral).find("model: mixtral-8x7b"), std::string::npos)
      << reading_of(mixtral);
}

TEST(ReadAnswersTest, ACheckpointOtherThanTheCataloguesKeepsItsName) {
  const std::string tuned = reading_of("vllm serve meta-llama/Llama-3.1-8B-Instruct\n");
  EXPECT_NE(tuned.find("model: meta-llama/Llama-3.1-8B-Instruct"), std::string::npos) << tuned;
  const std::string base = reading_of("vllm serve meta-llama/Llama-3.1-8B\n");
  EXPECT_NE(base.find("model: llama-3.1-8b "), std::string::npos) << base;
}

}  // namespace
}  // namespace loadfactor::engine
