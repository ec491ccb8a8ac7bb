// Runs whose sequences grow: stages are paid for together, and each has a layout of its own.
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

class RunStagesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = engine::Core::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }

  static std::string run(int sequence, const std::string& tokens, int batch,
                         const std::string& keys = {}, int gpus = 64) {
    return "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: " +
           std::to_string(sequence) + "\n  tokens: " + tokens +
           "\n  global_batch: " + std::to_string(batch) + "\n" + keys +
           "  layout: {gpus: " + std::to_string(gpus) + "}\nhardware: [h100-sxm]\n";
  }
  static SearchPlan best(const std::string& text) {
    Diagnostics diagnostics;
    SearchInputs inputs;
    inputs.train.scenario = config::testing::sound(text);
    auto answer = engine_->search(inputs, diagnostics);
    EXPECT_TRUE(answer && !answer->plans.empty()) << text << render(diagnostics);
    return answer && !answer->plans.empty() ? answer->plans[0] : SearchPlan{};
  }
  static std::optional<TrainAnswer> train(const std::string& text, Diagnostics& diagnostics) {
    return engine_->train({.scenario = config::testing::sound(text)}, diagnostics);
  }

  static engine::Core* engine_;
};
engine::Core* RunStagesTest::engine_ = nullptr;

constexpr const char* kLonger = "  stages: [{sequence: 65536, tokens: 40 B, global_batch: 64}]\n";

TEST_F(RunStagesTest, ARunOfTwoStagesTakesTheTimeOfBothSearchedAlone) {
  const auto both = best(run(8192, "200 B", 512, kLonger)).train;
  const auto first = best(run(8192, "200 B", 512)).train;
  const auto second = best(run(65536, "40 B", 64)).train;
  ASSERT_EQ(both.stages.size(), 2U);
  const auto work = [](const TrainAnswer& answer) {
    return *answer.tokens / answer.tokens_per_s.value();
  };
  EXPECT_NEAR(both.stages[0].work.value() / work(first), 1.0, 1e-9);
  EXPECT_NEAR(both.stages[1].work.value() / work(second), 1.0, 1e-9);
  const Seconds sum = work(first) + work(second);
  EXPECT_NEAR(both.duration->value() * both.whole->share.value() / sum, 1.0, 1e-9);
  EXPECT_NEAR(both.tokens->base(), 240e9, 1);
  EXPECT_NEAR(both.rate_of_run() * sum / *both.tokens, 1.0, 1e-9);
}

TEST_F(RunStagesTest, AnEqualStageIsMoreOfTheSameRun) {
  const auto split = best(run(8192, "150 B", 512,
                              "  stages: [{sequence: 8192, tokens: 50 B, global_batch: 512}]\n"))
                         .train;
  const auto whole = best(run(8192, "200 B", 512)).train;
  EXPECT_NEAR(split.duration->value() / whole.duration->value(), 1.0, 1e-9);
  EXPECT_NEAR(split.cost->value() / whole.cost->value(), 1.0, 1e-9);
}

TEST_F(RunStagesTest, TrainPaysForAllStagesToo) {
  Diagnostics diagnostics;
  const auto one = train(run(8192, "200 B", 512), diagnostics);
  const auto two = train(run(8192, "200 B", 512, kLonger), diagnostics);
  ASSERT_TRUE(one && two) << render(diagnostics);
  EXPECT_EQ(one->step_time.value(), two->step_time.value());
  EXPECT_GT(two->duration->value(), one->duration->value() * 1.2);
  EXPECT_NEAR(two->stages[0].share + two->stages[1].share, 1.0, 1e-12);
}

TEST_F(RunStagesTest, ADeadlineBindsAllStages) {
  const auto text = [](const char* keys) {
    return run(8192, "200 B", 512, std::string(keys) + "  deadline: 1000 days\n");
  };
  const double days = best(text(kLonger)).train.duration->value().base() / 86400;
  Diagnostics diagnostics;
  SearchInputs inputs;
  inputs.train.scenario = config::testing::sound(
      run(8192, "200 B", 512,
          std::string(kLonger) + "  deadline: " + std::to_string(0.99 * days) + " days\n"));
  const auto late = engine_->search(inputs, diagnostics);
  ASSERT_TRUE(late) << render(diagnostics);
  EXPECT_FALSE(late->missed.empty());
}

TEST_F(RunStagesTest, AStageThatFitsNowhereIsAnErrorAtItsLine) {
  Diagnostics diagnostics;
  const std::string text =
      run(2048, "1 B", 64, "  stages: [{sequence: 8000000, tokens: 1 B, global_batch: 8}]\n", 8);
  EXPECT_FALSE(train(text, diagnostics));
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors()[0].code, lf::kDoesNotFit);
  EXPECT_EQ(diagnostics.errors()[0].where.line, 8);
}

}  // namespace
}  // namespace loadfactor
