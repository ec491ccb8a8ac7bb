// A measured run replayed: 300 requests through vLLM on one RTX 4090 with Llama-3.1-8B.
//
// No constant was fitted to it, but it has been looked at: three terms of GeForce cards were chosen
// after replays (docs/models/simulator.md), so it is no independent check. The log lies beside the
// project where it was fetched; without it the test is skipped.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

// As the run's own log states them.
constexpr double kMeasuredSeconds = 183.57;
constexpr double kMeasuredTpot = 0.030759;
constexpr double kMeasuredTtft = 60.11;
constexpr double kMeasuredKvTokens = 41408;

std::string read_log() {
  for (const char* place : {"/../shared/data/traces/", "/../../shared/data/traces/"}) {
    const std::filesystem::path path =
        std::string(LF_SOURCE_DIR) + place +
        "replay-logs/llmservingsim_RTX4090_Llama-3.1-8B_requests.jsonl";
    if (!std::filesystem::exists(path)) continue;
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  return {};
}

double off(double predicted, double measured) {
  return 100 * std::abs(predicted / measured - 1);
}

TEST(SimulateReplayTest, AMeasuredRunIsReplayedByConstantsThatWereNotFittedToIt) {
  SimulateRequest request;
  request.files.trace_text = read_log();
  if (request.files.trace_text.empty()) GTEST_SKIP() << "the log is not beside the project";
  request.scenario = config::testing::sound(
      "loadfactor: 1\n"
      "name: replay\n"
      "serve:\n"
      "  model: llama-3.1-8b\n"
      "  precision: bf16\n"
      "  demand: {trace: requests.jsonl}\n"
      "  deployment: {gpu: rtx-4090, engine: vllm, release: '0.19', tp: 1, replicas: 1,\n"
      "               max_seqs: 256, chunk: 2048}\n");
  Diagnostics diagnostics;
  const auto engine = Engine::create({}, diagnostics);
  const auto answer = engine->simulate(request, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_EQ(answer->served, 300);
  EXPECT_EQ(answer->engine, "skip_ahead");
  // Recorded, not promised: these three follow the step times of a GeForce, see
  // docs/models/simulator.md for how far they are off.
  const auto record = [](const char* what, double error) {
    RecordProperty(what, std::to_string(error));
  };
  record("total_off_percent", off(answer->duration.base(), kMeasuredSeconds));
  record("tpot_off_percent", off(answer->tpot.p50.value().base(), kMeasuredTpot));
  record("ttft_off_percent", off(answer->ttft.p50.value().base(), kMeasuredTtft));
  const double kv_tokens = answer->kv_tokens.value().base();
  EXPECT_LE(off(kv_tokens, kMeasuredKvTokens), 5) << kv_tokens;
}

}  // namespace
}  // namespace loadfactor
