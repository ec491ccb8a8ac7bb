#include "engine/fill.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/serve_search.h"
#include "loadfactor/engine.h"

namespace loadfactor::engine {
namespace {

class FillTest : public ::testing::Test {
 protected:
  FillTest() : engine_(Engine::create({}, diagnostics_)) {}

  FillQuestion question(const std::string& demand, int gpus) const {
    FillQuestion asked;
    asked.serving.file = "chat.yaml";
    asked.serving.text =
        "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n  demand: " + demand +
        "\n  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\nhardware: [h100-sxm]\n";
    asked.gpus = gpus;
    return asked;
  }
  std::optional<FillAnswer> fill(const std::string& demand, int gpus) {
    auto answer = fill_fleet(question(demand, gpus), engine_->catalog(), diagnostics_);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics_);
    return answer;
  }

  Diagnostics diagnostics_;
  std::unique_ptr<Engine> engine_;
};

constexpr const char* kChat =
    "{requests_per_second: 20, tokens_in: 1000, tokens_out: 200, shape: global-chat}";

TEST_F(FillTest, TheLossesAndTheLoadFactorAddUp) {
  const auto answer = fill(kChat, 16);
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->load_factor.value() + answer->load.losses.sum(), 1, 1e-9);
  EXPECT_GT(answer->load.losses.shape, 0);
  ASSERT_TRUE(answer->break_even);
  EXPECT_GT(answer->break_even->value(), 0);
}

TEST_F(FillTest, TwiceTheGpusAreHalfAsFull) {
  const auto once = fill(kChat, 64);
  const auto twice = fill(kChat, 128);
  ASSERT_TRUE(once && twice);
  ASSERT_GE(once->load.within_slo, 1);
  EXPECT_NEAR(twice->load_factor.value(), once->load_factor.value() / 2, 1e-9);
}

TEST_F(FillTest, TheFleetThatIsChosenIsTheKneeAndOneFewerMisses) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->fleet_chosen);
  for (const auto& point : answer->curve) {
    EXPECT_EQ(point.is_knee, point.replicas == answer->replicas);
    if (point.replicas < answer->replicas) {
      EXPECT_LT(point.within_slo, 0.95);
    }
    if (point.replicas >= answer->replicas) {
      EXPECT_GE(point.within_slo, 0.95);
    }
  }
}

TEST_F(FillTest, PoolingNeverNeedsMoreAndSixteenNeedFewer) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  for (const auto& row : answer->pooling) EXPECT_LE(row.gpus_pooled, row.gpus_apart);
  EXPECT_GT(answer->pooling.back().load_pooled, answer->pooling.back().load_apart);
}

TEST_F(FillTest, WithoutDemandThereIsNothingToFill) {
  FillQuestion asked;
  asked.serving.file = "x.yaml";
  asked.serving.text = "loadfactor: 1\nname: x\nserve:\n  model: llama-3.1-8b\n";
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kNothingToFill);
}

TEST_F(FillTest, AClusterIsAllocatedBusyAndUsefulInThatOrder) {
  // Two GPUs for an hour, of which one job of half the work failed; the cluster has four.
  const std::string jobs =
      "job_id,submit_time,start_time,end_time,gpus,state\n"
      "1,2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 01:00:00,1,COMPLETED\n"
      "2,2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 01:00:00,1,FAILED\n";
  const auto described = describe_demand({.files = {{"jobs.csv", jobs}}});
  ASSERT_TRUE(described);
  const auto fill = fill_cluster(*described, 4, 0.5);
  ASSERT_TRUE(fill);
  EXPECT_NEAR(fill->allocated, 0.5, 1e-9);
  EXPECT_NEAR(*fill->busy, 0.25, 1e-9);
  EXPECT_NEAR(fill->useful, 0.125, 1e-9);
}

TEST_F(FillTest, TheCheapestDeploymentIsConfirmedAndOneReplicaFewerMissesWeeks) {
  SearchQuestion asked;
  asked.serving =
      question("{requests_per_second: 3, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 0)
          .serving;
  asked.confirm = 1;
  const auto answer = search_deployment(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  const auto& first = answer->rows.front();
  EXPECT_TRUE(first.is_calibrated);
  EXPECT_TRUE(first.is_confirmed);
  EXPECT_GE(first.weeks_kept, 18);
  EXPECT_LE(first.weeks_kept_with_fewer, 17);
  for (std::size_t i = 1; i < answer->pareto.size(); ++i) {
    EXPECT_GT(answer->pareto[i].per_mtoken, answer->pareto[i - 1].per_mtoken);
    EXPECT_LT(answer->pareto[i].tpot, answer->pareto[i - 1].tpot);
  }
}

}  // namespace
}  // namespace loadfactor::engine
