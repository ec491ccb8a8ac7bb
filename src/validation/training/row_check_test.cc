// Rows that cannot be, rows that count more than others, and the memory of rows.
#include "validation/training/row_check.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "validation/training/published_fixture.h"
#include "validation/training/row_weights.h"

namespace loadfactor::validation {
namespace {

struct RowCheck : ::testing::Test {
  Shipped shipped;

  // A published row of Llama-3.1-8B on eight H100 with some cells replaced.
  PublishedTable table_of(const std::string& cells) {
    Diagnostics diagnostics;
    const std::string header =
        "model,accelerator,precision,recompute,framework,seq_len,global_batch,tokens_per_s_per_gpu,"
        "gpus,tp,pp,cp,dp,micro_batch,ep\n";
    auto table = config::parse_csv(
        "t.csv",
        header + "llama-3.1-8b,H100-SXM,bf16,none,Megatron-Core,8192,64,9000," + cells + "\n",
        diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
    return make_runs(*read_training_rows(*table), shipped.context());
  }
};

TEST_F(RowCheck, ALayoutThatCannotBeIsSkippedWithItsReason) {
  EXPECT_EQ(table_of("8,2,1,1,4,1,").runs.size(), 1U);
  const std::pair<const char*, const char*> rows[] = {
      {"8,3,1,1,4,1,", "not 8 GPUs"},         {"9,3,1,1,3,1,", "heads do not divide"},
      {"16,2,1,1,4,1,", "not 16 GPUs"},       {"64,1,64,1,1,1,", "do not fill pp 64"},
      {"12,8,1,1,,1,", "does not divide 12"}, {"3,1,1,3,1,1,", "do not divide by cp 3"},
      {"8,-2,1,1,4,1,", "below 1"},           {"8,0,1,1,8,1,", "below 1"},
      {"8,nan,1,1,8,1,", "not finite"},       {"8,2,1,1,4,x,", "not a number"}};
  for (const auto& [cells, reason] : rows) {
    const auto table = table_of(cells);
    ASSERT_EQ(table.skipped.size(), 1U) << cells;
    EXPECT_NE(table.skipped[0].reason.find(reason), std::string::npos) << table.skipped[0].reason;
    EXPECT_FALSE(table.skipped[0].kind.empty());
  }
}

TEST_F(RowCheck, WhatTheRowLeavesOpenIsNotHeldAgainstIt) {
  EXPECT_EQ(table_of("8,2,1,,,,").runs.size(), 1U);
}

// Software whose memory is assumed is no part of the claim: eager trainers of single operations
// hold up to twice what we say.
TEST_F(RowCheck, MemoryOfThePublishedRowsIsWithinFivePercent) {
  const PublishedTable table = make_runs(shipped.rows, shipped.context());
  const LookupBaseline baseline(std::span<const PublishedRun* const>{});
  const auto result = validate_training(table, shipped.calibration, baseline);
  std::vector<double> errors;
  double covered = 0;
  for (const RowPrediction& row : result.memory.predictions) {
    const auto& memory = table.runs[row.run]->job.stack->memory;
    if (memory.provenance.kind == catalog::SourceKind::kAssumed) continue;
    errors.push_back(100.0 * std::abs(row.predicted / row.measured - 1.0));
    covered += row.low <= row.measured && row.measured <= row.high ? 1 : 0;
  }
  EXPECT_GE(errors.size(), 60U);
  EXPECT_LE(error_figures(errors).mean, 5.0);
  EXPECT_GE(100.0 * covered / static_cast<double>(errors.size()), 86.0);
}

TEST(RowWeights, AHeavyRowCountsMore) {
  const std::vector<RowPrediction> rows{{"a", 100, 110, 90, 120, 0, false, 0},
                                        {"b", 100, 150, 140, 160, 0, false, 1},
                                        {"c", 100, 100, 90, 110, 0, false, 2}};
  const auto result = weigh(rows, {{"a", 3}, {"b", 1}});
  EXPECT_EQ(result.rows, 2);
  EXPECT_EQ(result.without, 1);
  EXPECT_DOUBLE_EQ(result.ours.mean, 20.0);  // (3 · 10 + 1 · 50) / 4.
  EXPECT_NEAR(result.ours.median, 10.0, 1e-9);
  EXPECT_NEAR(result.ours.p90, 50.0, 1e-9);
  EXPECT_DOUBLE_EQ(result.coverage, 75.0);
}

TEST(RowWeights, AWeightThatIsNoneIsReportedAtItsPlace) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("w.csv", "id,weight\na,1\nb,-2\n", diagnostics);
  EXPECT_TRUE(read_weights(*table, diagnostics).has_value());
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors().front().where.line, 3U);
  table = config::parse_csv("w.csv", "id,wait\na,1\n", diagnostics);
  EXPECT_EQ(read_weights(*table, diagnostics).error().code, lf::kMissingColumn);
}

}  // namespace
}  // namespace loadfactor::validation
