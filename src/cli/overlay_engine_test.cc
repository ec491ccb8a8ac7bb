// A serving engine that the catalogue does not ship, from one file of a user's folder.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/folder.h"
#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::Folder;
using testing::loadfactor;
using testing::says;

// It reserves whole answers, as no generation of vLLM does, and is like one in the rest.
constexpr const char* kEngine = R"(schema: engine/1
name: quickserve
title: Quickserve
aliases: [qserve]
newest_release: "2.1"
stacks: [cuda]
memory: {fraction: 0.85, of: total, block: 16, kind: assumed, source: general-knowledge, date: 2026}
batching: {batched_tokens: 4096, max_sequences: 128, kind: assumed, source: general-knowledge, date: 2026}
overhead: {driver: 0.5 GiB, context: 1 GiB, communicator: 0.25 GiB, graphs: 0.5 GiB, graphs_in_fraction: false,
  activation_copies: 4, logit_bytes: 10, kind: assumed, source: general-knowledge, date: 2026}
generations:
  - name: quickserve-1
    like: vllm-v1
    kind: assumed
    source: general-knowledge
    date: 2026
  - name: quickserve-2
    like: quickserve-1
    schedule: {admission: whole, reserve: 1, sequences_above_chunk: lower}
    batching: {chunk: 4096, max_sequences: 128}
    kind: assumed
    source: general-knowledge
    date: 2026
releases:
  - {before: "2.0", generation: quickserve-1}
  - {generation: quickserve-2}
)";

constexpr const char* kScenario = R"(loadfactor: 1
name: quick
serve:
  model: llama-3.1-8b
  precision: fp8
  demand: {requests_per_day: 40 K, tokens_in: 1000, tokens_out: 200}
  slo: {ttft_p95: 2 s, tpot_p95: 50 ms}
  deployment: {engine: qserve, gpu: h100-sxm, tp: 1}
hardware: [h100-sxm]
limits: {gpus: 8}
money: {options: [on-demand]}
)";

class OverlayEngineTest : public ::testing::Test {
 protected:
  OverlayEngineTest() : folder_("overlay-engine") {
    std::filesystem::create_directories(folder_.path() + "/engines");
    folder_.write("engines/quickserve.yaml", kEngine);
    scenario_ = scenarios_.write("quick.yaml", kScenario);
  }

  // The JSON answer; fails where the program does.
  std::string answer(std::vector<std::string> words, const std::vector<std::string>& sets = {}) {
    words.insert(words.begin() + 1, scenario_);
    const std::vector<std::string> common{"--catalog", folder_.path(), "--format", "json"};
    words.insert(words.end(), common.begin(), common.end());
    for (const auto& set : sets) {
      words.emplace_back("--set");
      words.push_back(set);
    }
    const auto outcome = loadfactor(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }

  Folder folder_;
  Folder scenarios_{"overlay-engine-scenarios"};
  std::string scenario_;
};

TEST_F(OverlayEngineTest, ItServesAsItsFileSays) {
  const std::string out = answer({"serve"});
  EXPECT_TRUE(says(out, "\"engine\": \"quickserve-2\"")) << out;
  EXPECT_TRUE(says(out, "borrowed-engine")) << out;
  EXPECT_TRUE(says(out, "those of `vllm-v1`")) << out;
  const std::string older = answer({"serve"}, {"serve.deployment.release=1.4"});
  EXPECT_TRUE(says(older, "\"engine\": \"quickserve-1\"")) << older;
  EXPECT_TRUE(says(answer({"serve"}, {"serve.deployment.release=9.9"}), "unknown-release"));
}

TEST_F(OverlayEngineTest, ItSimulatesWithItsOwnAdmission) {
  const std::string out = answer({"serve", "--simulate"});
  EXPECT_TRUE(says(out, "borrowed-engine")) << out;
  EXPECT_TRUE(says(out, "\"preemptions\": 0")) << out;
}

TEST_F(OverlayEngineTest, ItFills) {
  EXPECT_TRUE(says(answer({"fill"}), "\"load_factor\""));
}

TEST_F(OverlayEngineTest, ItIsSized) {
  EXPECT_TRUE(says(answer({"serve", "--search"}), "\"deployments\""));
}

TEST_F(OverlayEngineTest, ItIsPlannedWith) {
  EXPECT_TRUE(says(answer({"plan"}), "\"decision\""));
}

TEST_F(OverlayEngineTest, WithoutTheFolderItIsUnknown) {
  const auto outcome = loadfactor({"serve", scenario_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(says(outcome.err, "LF410")) << outcome.err;
}

}  // namespace
}  // namespace loadfactor::cli
