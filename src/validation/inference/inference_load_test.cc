#include "validation/inference/inference_load.h"

#include <gtest/gtest.h>

namespace loadfactor::validation {
namespace {

using serving::LoadKind;

serving::Load load(const std::string& notes, const std::string& batch, const std::string& rate,
                   const std::string& metric = "tpot_ms") {
  InferenceRow row;
  row.notes = notes;
  row.batch = batch;
  row.rate = rate;
  row.metric = metric;
  row.input = 1000;
  row.output = 200;
  return load_of_row(row, {});
}

TEST(InferenceLoadTest, RemarksNameTheLoad) {
  EXPECT_EQ(load("closed loop max-concurrency", "16", "").kind, LoadKind::kClosedLoop);
  EXPECT_EQ(load("open-loop Poisson, 200 ShareGPT prompts", "", "4").kind, LoadKind::kOpenLoop);
  EXPECT_EQ(load("static batching benchmark", "64", "").kind, LoadKind::kStatic);
  EXPECT_EQ(load("offline max throughput", "max", "inf").kind, LoadKind::kOffline);
  EXPECT_EQ(load("500 prompts all submitted at once", "500", "inf").kind, LoadKind::kBurst);
  EXPECT_EQ(load("disaggregated: prefill 1x(TP4 DPattn1 EP1)", "8", "").kind, LoadKind::kSplit);
}

TEST(InferenceLoadTest, MorePromptsThanTheColumnAreRunSoManyAtATime) {
  const auto run = load("100 prompts all submitted at once", "8", "inf");
  EXPECT_EQ(run.kind, LoadKind::kClosedLoop);
  EXPECT_DOUBLE_EQ(run.opening, 0.08);
}

TEST(InferenceLoadTest, WithoutARemarkTheRateDecides) {
  EXPECT_EQ(load("", "", "2.5").kind, LoadKind::kOpenLoop);
  EXPECT_EQ(load("", "32", "inf").kind, LoadKind::kBurst);
  EXPECT_EQ(load("", "32", "").kind, LoadKind::kStatic);
}

TEST(InferenceLoadTest, PoolsOfASplitDeploymentAreRead) {
  const auto pools = split_pools(
      "disaggregated: prefill 2x(TP4 DPattn1 EP1) decode 3x(TP8 DPattn8 EP8 batch/worker 6)");
  EXPECT_EQ(pools.prefill_workers, 2);
  EXPECT_EQ(pools.prefill_tp, 4);
  EXPECT_EQ(pools.decode_workers, 3);
  EXPECT_EQ(pools.decode_dp, 8);
  EXPECT_EQ(split_pools("PD disaggregation 3P:1D, TP1 per worker").prefill_workers, 3);
}

TEST(InferenceLoadTest, ABoundOfAServerScenarioIsKept) {
  EXPECT_DOUBLE_EQ(load("MLPerf v5.1 closed Server by X; SLO TTFT 450ms TPOT 40ms (p99)", "", "",
                        "total_output_tok_s")
                       .tpot_bound.base(),
                   0.040);
}

TEST(InferenceLoadTest, BoundsAreInTheUnitTheyAreStatedIn) {
  const auto run = load("MLPerf v5.1 closed Server by X; SLO TTFT 2s TPOT 80ms (p99)", "", "",
                        "total_output_tok_s");
  EXPECT_DOUBLE_EQ(run.ttft_bound.base(), 2.0);
  EXPECT_DOUBLE_EQ(run.tpot_bound.base(), 0.080);
  EXPECT_EQ(load("MLPerf v5.1 closed Offline by X; SLO TTFT 2s TPOT 80ms", "", "").ttft_bound,
            Seconds());
}

TEST(InferenceRowTest, TheSourceIsTheIdWithoutItsNumber) {
  InferenceRow row;
  row.id = "some-lab-0042";
  EXPECT_EQ(source_of(row), "some-lab");
  row.id = "row-7";
  row.source = "lab/repo@abc:page.md";
  EXPECT_EQ(source_of(row), "lab/repo");
}

}  // namespace
}  // namespace loadfactor::validation
