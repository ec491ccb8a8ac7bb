// The run as it is paid for: its hours and money have every loss of whole runs.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "catalog/load/fact_loader.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "training/run_losses.h"

namespace loadfactor {
namespace {

class WholeRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = engine::Core::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }

  // On eight nodes of a chip, so many tokens.
  static TrainAnswer train(const std::string& tokens, const std::string& more = "", int gpus = 64) {
    const std::string text =
        "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
        "  global_batch: 512\n  tokens: " +
        tokens + "\n  layout: {gpus: " + std::to_string(gpus) +
        ", tp: 1, pp: 1, zero: 1, micro_batch: 1, recompute: full}\n" + more +
        "hardware: [h100-sxm]\nmoney: {options: [on-demand]}\n";
    Diagnostics diagnostics;
    auto answer =
        engine_->train({.scenario = config::testing::sound(text), .model_files = {}}, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  }

  static engine::Core* engine_;
};
engine::Core* WholeRunTest::engine_ = nullptr;

double fact(const catalog::Catalog& catalog, const char* name) {
  return catalog::find_fact(catalog.hazards(), name)->value;
}

// By hand: steady steps over what failures and rare checkpoints leave, over the shares of habits,
// an hour of warm-up, and what published runs took beyond that.
TEST_F(WholeRunTest, HoursAndMoneyAreTheSumByHand) {
  const TrainAnswer run = train("1 T");
  ASSERT_TRUE(run.whole && run.goodput && run.duration && run.cost);
  const auto& catalog = engine_->catalog();
  const Seconds steady = *run.tokens / run.tokens_per_s.value();
  const auto lost = [&run](Seconds interval) {
    return run.goodput->stall / interval + 0.5 * (interval / run.goodput->mtbf);
  };
  const Seconds usual =
      std::clamp(run.goodput->interval, kMinute * fact(catalog, "checkpoint-interval-shortest"),
                 kMinute * fact(catalog, "checkpoint-interval-longest"));
  const double kept = run.goodput->value.value() - (lost(usual) - lost(run.goodput->interval));
  const double shares = fact(catalog, "evaluation-share") + fact(catalog, "slow-nodes-share") +
                        fact(catalog, "rewind-share");
  const Seconds named = steady / kept / (1 - shares) + kHour * fact(catalog, "warm-up-time");
  ASSERT_GT(named, kDay * fact(catalog, "run-known-from"));
  const Seconds paid = named * fact(catalog, "run-unexplained");
  EXPECT_NEAR(run.duration->value() / paid, 1, 1e-9);
  EXPECT_LE(run.duration->low(),
            paid * (fact(catalog, "run-unexplained-low") / fact(catalog, "run-unexplained")) *
                (1 + 1e-9));
  EXPECT_GE(run.duration->high(),
            paid * (fact(catalog, "run-unexplained-high") / fact(catalog, "run-unexplained")) *
                (1 - 1e-9));
  const Dollars cost = run.options.at(0).rate.value() * Gpus::from_base(run.paid_gpus) * paid;
  EXPECT_NEAR(run.cost->value() / cost, 1, 1e-9);
  EXPECT_NEAR(run.whole->paid.value() / (Gpus::from_base(run.paid_gpus) * paid), 1, 1e-9);
  EXPECT_NEAR(run.whole->steady.value() / (Gpus::from_base(64) * steady), 1, 1e-9);
}

TEST_F(WholeRunTest, SharesOfThePaidTimeSumToOne) {
  for (const char* tokens : {"3 M", "10 B", "200 B", "5 T"}) {
    const TrainAnswer run = train(tokens);
    ASSERT_TRUE(run.whole) << tokens;
    double sum = run.whole->share.value();
    for (const auto& loss : run.whole->losses) sum += loss.share;
    EXPECT_NEAR(sum, 1, 1e-9) << tokens;
    EXPECT_LT(run.whole->share.low(), run.whole->share.value()) << tokens;
    EXPECT_GT(run.whole->share.high(), run.whole->share.value()) << tokens;
  }
}

// What nobody has explained is known of runs of nine days and more, and grows up to there.
TEST_F(WholeRunTest, ALongerRunNeverCostsLessThanAShorterOne) {
  Dollars before;
  for (double billions = 1; billions < 1e4; billions *= 1.5) {
    const TrainAnswer run = train(std::to_string(billions) + " B");
    ASSERT_TRUE(run.cost && run.whole);
    EXPECT_GT(run.cost->value(), before) << billions;
    before = run.cost->value();
  }
}

// An interval that is written is what is done, and no habit.
TEST_F(WholeRunTest, CheckpointsAtTheirBestIntervalCostLessThanTheHabit) {
  const TrainAnswer usual = train("1 T");
  const auto seconds = std::to_string(std::lround(usual.goodput->interval.base())) + " s";
  const TrainAnswer best = train("1 T", "  failures: {interval: " + seconds + "}\n");
  EXPECT_LT(best.cost->value(), usual.cost->value());
}

// A node by itself waits for no slower one.
TEST_F(WholeRunTest, OneNodeHasNoSlowNodes) {
  const TrainAnswer run = train("100 B", "", 8);
  ASSERT_TRUE(run.whole);
  for (const auto& loss : run.whole->losses) {
    if (loss.cause == GoodputLoss::Cause::kSlowNodes) {
      EXPECT_EQ(loss.share, 0);
    }
  }
}

TEST_F(WholeRunTest, GoingOnWithFewerNodesCostsNoMoreThanWaiting) {
  for (const char* spares : {"", "spares: 0, ", "spares: 3, "})
    for (const char* repair : {"1 h", "24 h", "14 days"}) {
      const std::string rest = std::string(spares) + "repair: " + repair;
      const TrainAnswer waits = train("1 T", "  failures: {" + rest + "}\n");
      const TrainAnswer goes = train("1 T", "  failures: {elastic: true, " + rest + "}\n");
      EXPECT_LE(goes.cost->value(), waits.cost->value() * (1 + 1e-9)) << rest;
    }
  const TrainAnswer bare = train("1 T", "  failures: {spares: 0, repair: 14 days}\n");
  const TrainAnswer goes =
      train("1 T", "  failures: {elastic: true, spares: 0, repair: 14 days}\n");
  EXPECT_LT(goes.cost->value(), bare.cost->value() * 0.9);
}

}  // namespace
}  // namespace loadfactor
