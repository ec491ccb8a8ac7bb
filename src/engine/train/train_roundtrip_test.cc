// What is printed can be written back: a law of every layout that `train` names.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

struct AskedLayout {
  std::string model;
  std::string chip;
  std::string layout;
  std::string more;  // Further lines of `train`.
  std::string limits;
};

class RoundTrip : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = engine::Core::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }

  static std::string text(const AskedLayout& q, const std::string& layout, std::int64_t batch = 0) {
    std::string out = "loadfactor: 1\nname: t\ntrain:\n  model: " + q.model + "\n" + q.more;
    if (batch > 0 && q.more.find("global_batch") == std::string::npos)
      out += "  global_batch: " + std::to_string(batch) + "\n";
    if (!layout.empty()) out += "  layout: {" + layout + "}\n";
    return out + "hardware: [" + q.chip + "]\n" + q.limits;
  }
  static std::optional<TrainAnswer> ask(const std::string& scenario, std::string& problem) {
    Diagnostics diagnostics;
    auto answer = engine_->train({.scenario = config::testing::sound(scenario)}, diagnostics);
    problem = render(diagnostics);
    return answer;
  }

  static engine::Core* engine_;
};
engine::Core* RoundTrip::engine_ = nullptr;

const std::vector<AskedLayout>& questions() {
  static const std::vector<AskedLayout> all{
      {"llama-3.1-8b", "h100-sxm", "", "", ""},
      {"llama-3.1-8b", "a100-40gb-sxm", "gpus: 8", "", ""},
      {"llama-3.1-70b", "h100-sxm", "", "", ""},
      {"llama-3.1-70b", "h100-sxm", "gpus: 64, tp: 8", "  global_batch: 512\n", ""},
      {"llama-3.1-405b", "h200-sxm", "gpus: 1024", "  global_batch: 1024\n", ""},
      {"gpt3-175b", "a100-80gb-sxm", "gpus: 512, tp: 8, pp: 8", "  global_batch: 512\n", ""},
      {"mixtral-8x7b", "h100-sxm", "", "", ""},
      {"deepseek-v3", "h800-sxm", "gpus: 2048", "  global_batch: 16384\n  sequence: 4096\n", ""},
      {"deepseek-v3", "b200", "gpus: 256, pp: 4", "  global_batch: 2048\n", ""},
      {"llama-3.1-70b", "tpu-v5p", "gpus: 128", "  global_batch: 512\n", ""},
      {"llama-3.1-70b", "h100-sxm", "gpus: 64", "  stack: {framework: fsdp}\n", ""},
      {"llama-3.1-70b", "h100-sxm", "gpus: 64, offload: optimizer", "", ""},
      {"qwen3-30b-a3b", "mi300x", "gpus: 16", "", ""},
      {"llama-3.1-8b", "l40s", "", "", "limits: {gpus: 24}\n"},
  };
  return all;
}

TEST_F(RoundTrip, AChosenLayoutReadBackGivesTheSamePrediction) {
  for (const AskedLayout& q : questions()) {
    std::string problem;
    const auto chosen = ask(text(q, q.layout), problem);
    ASSERT_TRUE(chosen.has_value()) << q.model << problem;
    const auto again = ask(text(q, chosen->layout_keys, chosen->global_batch), problem);
    ASSERT_TRUE(again.has_value()) << chosen->layout_keys << "\n" << problem;
    EXPECT_EQ(again->layout_keys, chosen->layout_keys) << q.model;
    EXPECT_EQ(again->fits, chosen->fits) << chosen->layout_keys;
    EXPECT_EQ(again->step_time.value(), chosen->step_time.value()) << chosen->layout_keys;
    EXPECT_EQ(again->memory.value(), chosen->memory.value()) << chosen->layout_keys;
  }
}

TEST_F(RoundTrip, WhatIsNamedAsTheClosestThatFitsFitsAndStaysWithinTheLimits) {
  const std::vector<AskedLayout> large{
      {"llama-3.1-70b", "h100-sxm", "gpus: 8, tp: 8, recompute: none", "  global_batch: 64\n", ""},
      {"llama-3.1-70b", "h100-sxm", "gpus: 32, tp: 2, pp: 1, micro_batch: 8, recompute: none",
       "  global_batch: 256\n", "limits: {gpus: 64}\n"},
      {"deepseek-v3", "h100-sxm", "gpus: 128, recompute: none", "  global_batch: 1024\n", ""},
      {"llama-3.1-405b", "h100-sxm", "gpus: 256, recompute: none, pp: 1", "  global_batch: 512\n",
       ""},
  };
  for (const AskedLayout& q : large) {
    std::string problem;
    const auto answer = ask(text(q, q.layout), problem);
    ASSERT_TRUE(answer.has_value()) << problem;
    ASSERT_FALSE(answer->fits) << q.model;
    ASSERT_FALSE(answer->nearest.empty()) << q.model << answer->nearest_changes;
    const auto close = ask(text(q, answer->nearest), problem);
    ASSERT_TRUE(close.has_value()) << answer->nearest << problem;
    EXPECT_TRUE(close->fits) << answer->nearest;
    EXPECT_EQ(close->layout_keys, answer->nearest);
  }
}

TEST_F(RoundTrip, NothingBeyondTheLimitIsNamed) {
  std::string problem;
  const auto answer =
      ask(text({"llama-3.1-405b", "h100-sxm", "", "", "limits: {gpus: 8}\n"}, ""), problem);
  ASSERT_TRUE(answer.has_value()) << problem;
  EXPECT_FALSE(answer->fits);
  EXPECT_TRUE(answer->nearest.empty()) << answer->nearest;
  EXPECT_NE(answer->nearest_changes.find("limits.gpus: 8"), std::string::npos);
}

TEST_F(RoundTrip, OffloadThatOnlyASearchTriesIsNamedAndFound) {
  const AskedLayout q{"llama-3.1-70b", "h100-sxm", "", "  global_batch: 32\n", ""};
  std::string problem;
  const auto answer = ask(text(q, "gpus: 8"), problem);
  ASSERT_TRUE(answer.has_value()) << problem;
  ASSERT_FALSE(answer->fits);
  EXPECT_NE(answer->nearest_changes.find("offload to the host, which `train --search` tries"),
            std::string::npos)
      << answer->nearest_changes;
  SearchInputs request;
  request.train.scenario = config::testing::sound(text(q, "gpus: 8"));
  request.keep = 1;
  Diagnostics diagnostics;
  const auto found = engine_->search(request, diagnostics);
  ASSERT_TRUE(found && !found->plans.empty()) << render(diagnostics);
  EXPECT_FALSE(found->plans[0].train.layout.offload.empty());
  const auto forbidden = ask(text(q, "gpus: 8, offload: none"), problem);
  ASSERT_TRUE(forbidden && !forbidden->fits) << problem;
  EXPECT_EQ(forbidden->nearest_changes.find("offload"), std::string::npos)
      << forbidden->nearest_changes;
}

TEST_F(RoundTrip, AWrittenTpIsKeptWhereItCanBe) {
  std::string problem;
  const auto answer = ask(text({"llama-3.1-70b", "h100-sxm", "", "  global_batch: 512\n", ""},
                               "gpus: 8, tp: 4, recompute: none"),
                          problem);
  ASSERT_TRUE(answer.has_value()) << problem;
  ASSERT_FALSE(answer->fits);
  EXPECT_NE(answer->nearest.find("tp: 4,"), std::string::npos) << answer->nearest;
  EXPECT_NE(answer->nearest_changes.find("gpus"), std::string::npos) << answer->nearest_changes;
}

}  // namespace
}  // namespace loadfactor
