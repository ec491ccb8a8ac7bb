// Headline figures go down to lines of data, or to lines that the user wrote, at every leaf.
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/explain/explain.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

constexpr double kSameFigure = 1e-9;

bool is_line(const std::string& source) {
  static const std::regex kLine("\\.(yaml|csv|json|txt):[1-9][0-9]*$|^--set ");
  return std::regex_search(source, kLine);
}

// The leaves that end at no line, one a row.
void collect(const ExplainNode& node, std::string& missing) {
  if (node.children.empty() && !is_line(node.source))
    missing += std::string(id_of(node.term)) + " " + node.of + " '" + node.source + "'\n";
  for (const ExplainNode& child : node.children) collect(child, missing);
}

int count_of(const ExplainNode& node, Term term) {
  int count = node.term == term ? 1 : 0;
  for (const ExplainNode& child : node.children) count += count_of(child, term);
  return count;
}

const ExplainNode* find_node(const ExplainNode& node, Term term) {
  if (node.term == term) return &node;
  for (const ExplainNode& child : node.children)
    if (const auto* found = find_node(child, term)) return found;
  return nullptr;
}

void expect_lines(const ExplainNode& tree, const std::string& what) {
  std::string missing;
  collect(tree, missing);
  EXPECT_EQ(missing, "") << what;
}

// A run of which no key but the machines is written, and a service with a promise.
std::string run() {
  return "loadfactor: 1\nname: run\ntrain:\n  model: llama-3.1-8b\n  tokens: 10 B\n"
         "  sequence: 8192\n  global_batch: 128\n  layout: {gpus: 64}\nhardware: [h100-sxm]\n"
         "money: {options: [on-demand]}\n";
}
std::string service() {
  return "loadfactor: 1\nname: service\nserve:\n  model: llama-3.1-8b\n  precision: fp8\n"
         "  demand: {requests_per_second: 3, tokens_in: 1000, tokens_out: 300}\n"
         "  slo: {ttft_p95: 3 s, tpot_p95: 60 ms}\nhardware: [h100-sxm]\n"
         "money: {options: [on-demand, own, api]}\n";
}

// A run in two stages on machines with spares, which every way to pay counts.
std::string staged_run() {
  return "loadfactor: 1\nname: stages\ntrain:\n  model: llama-3.1-8b\n  tokens: 3 T\n"
         "  sequence: 8192\n  global_batch: 1024\n  layout: {gpus: 256, tp: 2, pp: 1}\n"
         "  stages: [{sequence: 32768, tokens: 100 B, global_batch: 256}]\n"
         "hardware: [h100-sxm]\nmoney: {options: [on-demand, own]}\n";
}

ExplainNode run_tree(const std::string& quantity) {
  auto tree = explain_run(testing::shipped(), testing::asked(run()), quantity);
  EXPECT_TRUE(tree) << quantity;
  return tree ? *std::move(tree) : leaf(Term::kOne, any(0.0), "");
}
ExplainNode service_tree_of(const std::string& quantity) {
  auto tree = explain_service(testing::shipped(), testing::asked(service()), quantity);
  EXPECT_TRUE(tree) << quantity;
  return tree ? *std::move(tree) : leaf(Term::kOne, any(0.0), "");
}

TEST(ExplainBottomTest, FiguresOfARunEndAtLines) {
  for (const char* quantity : {"step_time", "tokens_per_s", "mfu", "gpu_memory", "tp", "run_cost"})
    expect_lines(run_tree(quantity), quantity);
}

TEST(ExplainBottomTest, FiguresOfAPlanEndAtLines) {
  for (const std::string& text : {run(), staged_run(), service()}) {
    const PlanInputs question = testing::asked(text);
    const PlanAnswer answer = testing::planned(question);
    for (const std::string& quantity : explainable(answer)) {
      const auto tree = explain_quantity(testing::shipped(), question, answer, quantity);
      ASSERT_TRUE(tree) << quantity;
      expect_lines(*tree, answer.scenario + ": " + quantity);
    }
  }
}

// Counts and rates that no line of data has are opened: what runs at once, what a token takes, and
// why there are so many replicas.
TEST(ExplainBottomTest, WhatAServiceIsComputedFromIsOpened) {
  const PlanInputs question = testing::asked(service());
  const PlanAnswer answer = testing::planned(question);
  for (const char* quantity : {"load_factor", "full_plane", "tokens_per_month", "break_even"}) {
    const auto tree = explain_quantity(testing::shipped(), question, answer, quantity);
    ASSERT_TRUE(tree) << quantity;
    for (const Term term : {Term::kRunningSequences, Term::kTimePerToken, Term::kReplicas}) {
      const ExplainNode* node = find_node(*tree, term);
      if (term != Term::kReplicas) {
        ASSERT_NE(node, nullptr) << quantity << " " << id_of(term);
      }
      if (node == nullptr) continue;
      EXPECT_FALSE(node->children.empty()) << quantity << " " << id_of(term);
      const double made = evaluate(node->operation, node->children).value;
      EXPECT_NEAR(made, node->value.value, kSameFigure * made) << quantity << " " << id_of(term);
    }
    EXPECT_GE(count_of(*tree, Term::kProductTime), 4) << quantity;
    expect_lines(*tree, quantity);
  }
}

// Blocks that fit, whole, in what weights and engine leave.
TEST(ExplainBottomTest, TheCacheIsWholeBlocksOfWhatIsLeft) {
  const PlanInputs question = testing::asked(service());
  const PlanAnswer answer = testing::planned(question);
  const auto tree = explain_running(testing::shipped(), question, answer);
  ASSERT_TRUE(tree);
  const ExplainNode* cache = find_node(*tree, Term::kKvTokens);
  const ExplainNode* room = find_node(*tree, Term::kCacheBytes);
  const ExplainNode* block = find_node(*tree, Term::kBlockTokens);
  if (tree->operation == Operation::kLeaf) GTEST_FAIL() << "held by max_seqs: nothing is shown";
  ASSERT_TRUE(cache != nullptr && room != nullptr && block != nullptr);
  EXPECT_DOUBLE_EQ(std::fmod(cache->value.value, block->value.value), 0);
  double used = room->value.value;
  for (std::size_t i = 1; i < room->children.size(); ++i) used += room->children[i].value.value;
  EXPECT_NEAR(used / room->children.front().value.value, 1, kSameFigure);
}

// Four products of a layer of llama, and each three times as deep in work as its forward pass:
// 2 · m · n · k operations.
TEST(ExplainBottomTest, AStepIsMadeOfItsProducts) {
  const ExplainNode tree = run_tree("step_time");
  EXPECT_EQ(count_of(tree, Term::kProductTime), 4);
  const ExplainNode* work = find_node(tree, Term::kProductWork);
  ASSERT_NE(work, nullptr);
  double product = 1;
  for (const ExplainNode& factor : work->children) product *= factor.value.value;
  EXPECT_NEAR(work->value.value, product, kSameFigure * product);
  EXPECT_EQ(work->children.front().value.value, 2.0);
  const ExplainNode* share = find_node(tree, Term::kSustainedShare);
  ASSERT_NE(share, nullptr);
  EXPECT_GT(share->evidence.rows, 0);
  EXPECT_EQ(share->evidence.source, "training-results");
}

// What stands between a token's work and operations per second are tokens per second, and no
// frequency.
TEST(ExplainBottomTest, TokensAreNeverAFrequency) {
  const ExplainNode tree = run_tree("mfu");
  const ExplainNode* rate = find_node(tree, Term::kTokensPerSecond);
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->value.dimension, any(TokensPerSecond()).dimension);
  const ExplainNode* work = find_node(tree, Term::kWorkRate);
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->value.dimension, any(FlopsPerSecond()).dimension);
}

TEST(ExplainBottomTest, FiguresOfAServiceAreWhatServeSaysAndEndAtLines) {
  ServeInputs request;
  request.scenario = testing::asked(service()).scenario();
  Diagnostics diagnostics;
  const auto served = testing::shipped().serve(request, diagnostics);
  ASSERT_TRUE(served) << render(diagnostics);
  const auto expect = [](const std::string& quantity, double said) {
    const ExplainNode tree = service_tree_of(quantity);
    EXPECT_NEAR(tree.value.value, said, kSameFigure * said) << quantity;
    expect_lines(tree, quantity);
  };
  expect("ttft", served->ttft.value().base());
  expect("replicas", served->layout.replicas);
  expect("tp", served->layout.tp);
}

TEST(ExplainBottomTest, KernelsOfAServiceNameTheRowsBehindThem) {
  const ExplainNode tree = service_tree_of("tpot");
  expect_lines(tree, "tpot");
  EXPECT_GE(count_of(tree, Term::kProductTime), 4);
  const ExplainNode* share = find_node(tree, Term::kBandwidthShare);
  ASSERT_NE(share, nullptr);
  EXPECT_GT(share->evidence.rows, 100);
  EXPECT_FALSE(share->evidence.source.empty());
}

// A degree that nobody wrote stands beside those that it was chosen from.
TEST(ExplainBottomTest, AChosenDegreeShowsItsRivals) {
  for (const ExplainNode& tree : {run_tree("tp"), service_tree_of("tp")}) {
    EXPECT_EQ(tree.operation, Operation::kChoice);
    ASSERT_GE(tree.children.size(), 2U);
    EXPECT_EQ(tree.children.front().value.value, tree.value.value);
    for (std::size_t i = 1; i < tree.children.size(); ++i)
      EXPECT_NE(tree.children[i].value.value, tree.value.value);
  }
}

TEST(ExplainBottomTest, AWrittenDegreeIsTheUsersLine) {
  std::string text = run();
  text.replace(text.find("gpus: 64"), 8, "gpus: 64, tp: 2");
  const auto tree = explain_run(testing::shipped(), testing::asked(text), "tp");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->operation, Operation::kLeaf);
  EXPECT_EQ(tree->value.value, 2);
  EXPECT_TRUE(is_line(tree->source)) << tree->source;
}

}  // namespace
}  // namespace loadfactor::engine
