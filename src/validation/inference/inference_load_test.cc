#include "validation/inference/inference_load.h"

#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"
#include "validation/inference/row_remarks.h"

namespace loadfactor::validation {
namespace {

using serving::LoadKind;

const RowRemarks& remarks() {
  static const RowRemarks shipped = *RowRemarks::read(serving::shipped().catalog);
  return shipped;
}

RowLoad load(const std::string& notes, const std::string& batch, const std::string& rate,
             const std::string& metric = "tpot_ms") {
  InferenceRow row;
  row.notes = notes;
  row.batch = batch;
  row.rate = rate;
  row.metric = metric;
  row.input = 1000;
  row.output = 200;
  return load_of_row(remarks().completed(row), {});
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
  InferenceRow row;
  row.notes =
      "disaggregated: prefill 2x(TP4 DPattn1 EP1) decode 3x(TP8 DPattn8 EP8 batch/worker 6)";
  row = remarks().completed(row);
  EXPECT_EQ(pool_shape(row.prefill_pool).workers, 2);
  EXPECT_EQ(pool_shape(row.decode_pool).workers, 3);
  EXPECT_EQ(pool_shape(row.decode_pool).dp, 8);
  row = {};
  row.notes = "PD disaggregation 3P:1D, TP1 per worker";
  EXPECT_EQ(pool_shape(remarks().completed(row).prefill_pool).workers, 3);
  EXPECT_EQ(pool_shape("3 of them").workers, 0);
}

TEST(InferenceLoadTest, AShareOfPromptsInTheCacheIsReadInPercent) {
  EXPECT_DOUBLE_EQ(
      load("PREFILL INPUT tokens/s per GPU incl. 56.3% cache hits: 73.7k", "", "").cached, 0.563);
  EXPECT_EQ(load("PREFILL INPUT tokens/s per GPU", "", "").cached, 0.0);
}

TEST(InferenceLoadTest, AColumnWinsOverWhatRemarksSay) {
  InferenceRow row;
  row.input = 1000;
  row.output = 200;
  row.batch = "16";
  row.notes = "closed loop max-concurrency; random lengths uniform; 400 prompts";
  row.load = "burst";
  row.lengths = "0.8-1";
  row.prompts = 16;
  row.prefix_hits = 0.25;
  const auto run = load_of_row(remarks().completed(row), {});
  EXPECT_EQ(run.kind, LoadKind::kBurst);
  EXPECT_DOUBLE_EQ(run.input, 900);
  EXPECT_NEAR(run.spread, 1.0 / 9, 1e-12);
  EXPECT_DOUBLE_EQ(run.prompts, 16);
  EXPECT_DOUBLE_EQ(run.cached, 0.25);
}

TEST(InferenceLoadTest, WithoutRulesTheColumnsAloneDecide) {
  InferenceRow row;
  row.batch = "32";
  row.rate = "inf";
  row.notes = "offline run of 30 prompts";
  row = RowRemarks().completed(row);
  EXPECT_EQ(row.load, "burst");
  EXPECT_FALSE(row.prompts);
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
  EXPECT_DOUBLE_EQ(load("MLPerf v5.1 closed Server by X; SLO TTFT 4.5s TPOT 80ms (p99)", "", "")
                       .ttft_bound.base(),
                   4.5);
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
