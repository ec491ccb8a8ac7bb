// `plan`, `diff` and `explain` as a user and a build meet them: exit statuses, gates, one meaning
// of every figure.
#include <algorithm>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/testing/folder.h"
#include "cli/testing/program.h"
#include "config/document.h"

namespace loadfactor::cli {
namespace {

using testing::Folder;
using testing::loadfactor;
using testing::Outcome;
using testing::says;

std::string shipped(const std::string& name) {
  return testing::data("scenarios/" + name + ".yaml");
}

const config::Node* member(const config::Node* node, const std::string& key) {
  if (node == nullptr) return nullptr;
  for (const auto& each : node->members)
    if (each.key == key) return &each.value;
  return nullptr;
}

// The `value` of the tree of one quantity.
double explained(const std::string& quantity, const std::string& file,
                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"explain", quantity, file, "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = loadfactor(words);
  EXPECT_EQ(outcome.status, 0) << quantity << ": " << outcome.err;
  const auto document = config::parse_json("answer", outcome.out);
  if (!document) return 0;
  const auto* value = member(member(member(&document->root, "answer"), "tree"), "value");
  return value == nullptr ? 0 : std::stod(value->scalar);
}

TEST(PlanGates, AFailingGateShowsTheFiguresEvenWhenQuiet) {
  for (const bool quiet : {false, true}) {
    std::vector<std::string> words{"plan", shipped("finetune-8b"), "--gate", "gpus<=4", "--draws",
                                   "64"};
    if (quiet) words.emplace_back("--quiet");
    const auto outcome = loadfactor(words);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(says(outcome.err, "gate FAILS: gpus 8 <= 4")) << outcome.err;
  }
}

TEST(PlanPage, LiveNeedsAPage) {
  const auto outcome = loadfactor({"plan", shipped("finetune-8b"), "--live"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(says(outcome.err, "add -o report.html")) << outcome.err;
}

TEST(PlanGates, AFigureThatThisPlanLacksIsBadInput) {
  const auto outcome =
      loadfactor({"plan", shipped("chatbot-spiky"), "--gate", "days <= 5", "--draws", "64"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(says(outcome.err, "has no days")) << outcome.err;
}

TEST(PlanFigures, AGateHoldsAtTheFigureThatExplainBreaksDown) {
  const std::string file = shipped("finetune-8b");
  for (const char* figure : {"cost", "gpus", "per_mtoken"}) {
    const double value = explained(figure, file);
    for (const auto& [sign, factor] : {std::pair(">=", 1 - 1e-6), std::pair("<=", 1 + 1e-6)}) {
      const std::string gate = fmt::format("{} {} {:.12g}", figure, sign, value * factor);
      const auto outcome = loadfactor({"plan", file, "--gate", gate, "--quiet", "--draws", "64"});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
    }
  }
}

// A machine on which nothing fits without offload: `train` has no figures, the plan and a curve do.
TEST(Explain, SaysWhichMachineATreeIsOfAndExplainsTheOneAskedFor) {
  const std::string file = shipped("badly-linked-70b");
  const auto open = loadfactor({"explain", "tokens_per_s", file});
  EXPECT_TRUE(open.out.starts_with("tokens of all GPUs (8 × h200-sxm, tp ")) << open.out;
  EXPECT_TRUE(says(open.err, "does not fit: this is of the plan")) << open.err;
  const std::string one = "hardware=[a100-80gb-pcie-unbridged]";
  const auto narrow = loadfactor({"explain", "tokens_per_s", file, "--set", one});
  EXPECT_TRUE(says(narrow.out, "(8 × a100-80gb-pcie-unbridged, tp ")) << narrow.out;
  const auto curve =
      loadfactor({"train", "--scale", "--gpus", "8", file, "--set", one, "--format", "json"});
  const auto document = config::parse_json("answer", curve.out);
  ASSERT_TRUE(document.has_value()) << curve.err;
  const auto* curves = member(member(&document->root, "answer"), "curves");
  ASSERT_TRUE(curves != nullptr && curves->items.size() == 1);
  const auto& point = member(&curves->items[0], "points")->items.at(0);
  const double rate = std::stod(member(member(&point, "tokens_per_s"), "value")->scalar);
  EXPECT_NEAR(explained("tokens_per_s", file, {"--set", one}), rate, 1e-9 * rate);
}

TEST(Diff, AServiceIsNotComparedWithARun) {
  const auto outcome =
      loadfactor({"diff", shipped("chatbot-spiky"), shipped("finetune-8b"), "--draws", "64"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(says(outcome.err, "'chatbot-spiky' is a service")) << outcome.err;
}

TEST(Diff, ADemandBeyondTheGpusIsADifferenceNotAnError) {
  const auto outcome = loadfactor({"diff", shipped("chatbot-spiky"), "--draws", "64", "--set",
                                   "serve.demand.requests_per_month=3 B", "--set", "limits.gpus=4",
                                   "--set", "money.options=[on-demand]"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "to not feasible")) << outcome.out;
}

TEST(Diff, OneInputDiffers) {
  const auto outcome = loadfactor({"diff", shipped("finetune-8b"), "--draws", "64", "--set",
                                   "train.tokens=600 M", "--format", "github-comment"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "1 input differs,")) << outcome.out;
  EXPECT_TRUE(outcome.out.starts_with("<!-- loadfactor:finetune-8b -->")) << outcome.out;
}

// Figures with their intervals, from where they begin in the JSON to what differs in the inputs.
std::string figures_of(const std::string& json) {
  const auto from = json.find("\"figures\"");
  EXPECT_NE(from, std::string::npos) << json;
  return json.substr(std::min(from, json.size()), json.find("\"inputs\"", from) - from);
}

TEST(Diff, PlansThatWereSavedDifferAsTheirScenariosDo) {
  const Folder folder("lf_diff_saved");
  const auto asked = [](std::vector<std::string> words, bool with_edit) {
    words.insert(words.end(), {"--draws", "64", "--format", "json", "--reproducible"});
    if (with_edit) words.insert(words.end(), {"--set", "money.electricity=0.3 USD/kWh"});
    return loadfactor(words).out;
  };
  const std::string file = shipped("finetune-8b");
  const auto before = folder.write("before.json", asked({"plan", file}, false));
  const auto after = folder.write("after.json", asked({"plan", file}, true));
  EXPECT_EQ(figures_of(asked({"diff", before, after}, false)),
            figures_of(asked({"diff", file}, true)));
}

TEST(Diff, WhatRunsIsComparedWithTheAdviceAsAPatchOfFlags) {
  const Folder folder("lf_diff_running");
  const std::string text =
      "loadfactor: 1\nname: running\ntrain:\n  model: llama-3.1-8b\n  precision: bf16\n"
      "  tokens: 1 B\n  sequence: 4096\n  global_batch: 64\n"
      "  layout: {gpus: 16, tp: 8, pp: 2, dp: 1, zero: 1, micro_batch: 1, recompute: full}\n"
      "  stack: {framework: megatron-core-2026}\nhardware: [h100-sxm]\n";
  const auto file = folder.write("running.yaml", text);
  const auto outcome = loadfactor({"diff", file, "--draws", "64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "- --tensor-model-parallel-size 8\n")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "- --recompute-granularity full\n")) << outcome.out;
  EXPECT_FALSE(says(outcome.out, "train.layout.gpus")) << outcome.out;
  const auto other =
      loadfactor({"diff", file, "--advice", "--draws", "64", "--set", "train.tokens=2 B"});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_TRUE(says(other.out, "- --tensor-model-parallel-size 8\n")) << other.out;
  EXPECT_FALSE(says(other.out, "train.tokens")) << other.out;
  EXPECT_EQ(loadfactor({"diff", shipped("chatbot-spiky")}).status, 2);
}

TEST(Diff, WhatRunsIsPricedOnItsOwnMachinesAndNotOnTokens) {
  const Folder folder("lf_diff_service");
  const auto file =
      folder.write("running.yaml",
                   "loadfactor: 1\nname: running\nserve:\n  model: llama-3.1-8b\n  precision: fp8\n"
                   "  demand: {requests_per_month: 300 k, tokens_in: 1200, tokens_out: 300}\n"
                   "  deployment: {engine: vllm, tp: 1, replicas: 3}\nhardware: [h100-sxm]\n");
  const auto plan = loadfactor({"plan", file, "--draws", "64"});
  EXPECT_TRUE(says(plan.out, "use the API")) << plan.out;
  const auto outcome = loadfactor({"diff", file, "--advice", "--draws", "64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "the advice on what runs: use the API")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "Before: Runs on 3 × h100-sxm")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "GPUs to have                   3")) << outcome.out;
  const auto json = loadfactor({"diff", file, "--advice", "--draws", "64", "--format", "json"});
  EXPECT_TRUE(says(json.out, "\"before_runs\": true")) << json.out;
}

TEST(Diff, FewerGpusThanRunAreAShrinking) {
  const Folder folder("lf_diff_shrink");
  const auto file =
      folder.write("running.yaml",
                   "loadfactor: 1\nname: running\nserve:\n  model: llama-3.1-8b\n  precision: fp8\n"
                   "  demand: {requests_per_month: 6 M, tokens_in: 1200, tokens_out: 300}\n"
                   "  deployment: {engine: vllm, tp: 8, replicas: 6}\nhardware: [h100-sxm]\n"
                   "money: {options: [on-demand]}\n");
  const auto outcome = loadfactor({"diff", file, "--advice", "--draws", "64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "the advice on what runs: shrink")) << outcome.out;
  EXPECT_FALSE(says(outcome.out, "cale up")) << outcome.out;
}

TEST(PlanInput, ATraceWithLengthsOfItsOwnTakesNoOthers) {
  const Folder folder("lf_plan_trace");
  std::string rows = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 200; ++i) rows += std::to_string(30 * i) + ",1000,200\n";
  folder.write("requests.csv", rows);
  const std::string head =
      "loadfactor: 1\nname: traced\nserve:\n  model: llama-3.1-8b\n  precision: fp8\n";
  const std::string tail =
      "  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\nhardware: [l40s]\n"
      "money: {options: [on-demand]}\n";
  const auto both =
      folder.write("both.yaml", head + "  demand: {trace: requests.csv, tokens_in: 5000}\n" + tail);
  const auto refused = loadfactor({"plan", both, "--draws", "64"});
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_TRUE(says(refused.err, "already says how long requests are")) << refused.err;
  EXPECT_TRUE(says(refused.err, "both.yaml:6")) << refused.err;
  const auto one = folder.write("one.yaml", head + "  demand: {trace: requests.csv}\n" + tail);
  EXPECT_EQ(loadfactor({"plan", one, "--draws", "64"}).status, 0);
}

TEST(PlanInput, AModelThatIsTrainedBesideAServiceMayBeAFile) {
  const Folder folder("lf_plan_pool");
  folder.write("config.json",
               R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
 "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
 "torch_dtype": "bfloat16"})");
  const auto file =
      folder.write("both.yaml",
                   "loadfactor: 1\nname: both\nserve:\n  model: llama-3.1-8b\n  precision: fp8\n"
                   "  demand: {requests_per_month: 6 M, tokens_in: 1200, tokens_out: 300}\n"
                   "  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\n"
                   "train:\n  model: {config: config.json}\n  precision: bf16\n  tokens: 100 M\n"
                   "  sequence: 4096\n  global_batch: 64\n"
                   "hardware: [h100-sxm]\nlimits: {gpus: 8}\nmoney: {options: [on-demand]}\n");
  const auto outcome = loadfactor({"plan", file, "--draws", "64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "and training:")) << outcome.out;
}

TEST(PlanVerdict, AFlipSaysHowManyOfTheGpusThatAreThereOneWouldHave) {
  const auto outcome =
      loadfactor({"plan", shipped("chatbot-spiky"), "--draws", "64", "--set", "hardware=[h100-sxm]",
                  "--set", "serve.deployment={gpu: h100-sxm, tp: 1, replicas: 6}"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::string text = outcome.out;
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  EXPECT_TRUE(says(text, "Give the 6 GPUs up and use the API")) << text;
  const std::regex with_size(
      "times the traffic on: (shrink to|hold at|scale up to) (about )?[0-9]+ GPU");
  EXPECT_TRUE(std::regex_search(text, with_size)) << text;
}

TEST(PlanVerdict, WhatComesClosestToAPromiseIsWithinTheGpusThatAreAllowed) {
  const auto outcome =
      loadfactor({"plan", shipped("chatbot-spiky"), "--draws", "64", "--set", "hardware=[l40s]",
                  "--set", "limits.gpus=1", "--set", "serve.slo.ttft_p95=5 ms"});
  std::string text = outcome.out;
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  EXPECT_TRUE(says(text, "closest: 1 ×")) << text;
}

TEST(PlanVerdict, ASentenceAfterWhatIsNearestBeginsLikeOne) {
  const auto outcome = loadfactor({"plan", shipped("chatbot-spiky"), "--draws", "64", "--set",
                                   "serve.demand.requests_per_month=30 M", "--set",
                                   "limits.budget=100 USD", "--set", "money.options=[on-demand]"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "Not feasible")) << outcome.out;
  for (const char* small : {". up to", ".\nup to"})
    EXPECT_FALSE(says(outcome.out, small)) << outcome.out;
}

}  // namespace
}  // namespace loadfactor::cli
