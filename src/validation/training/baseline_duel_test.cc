#include "validation/training/baseline_duel.h"

#include "validation/training/published_fixture.h"

namespace loadfactor::validation {
namespace {

// Predictions for the first rows of a source with many: ours off by `ours`, the baseline's by
// `baseline`, as shares.
struct Duel {
  Shipped shipped;
  PublishedTable table = make_runs(shipped.rows, shipped.context());
  std::vector<const PublishedRun*> runs;
  std::vector<RowPrediction> rows;

  void add(int count, double ours, double baseline) {
    for (const auto& run : table.runs) {
      if (count == 0) return;
      if (run->measured <= 0 || run->publication != table.runs.front()->publication) continue;
      runs.push_back(run.get());
      RowPrediction row{run->row.id, 100.0, 100.0 * (1.0 + ours)};
      row.baseline = 100.0 * (1.0 + baseline);
      rows.push_back(row);
      --count;
    }
  }
  BaselineDuel fight() { return duel_with_baseline(runs, rows, shipped.calibration.calibration()); }
};

TEST(BaselineDuel, ASourceThatTheBaselineKnowsBetterIsNamedWithAReason) {
  Duel duel;
  duel.add(5, -0.10, 0.05);
  const BaselineDuel result = duel.fight();
  EXPECT_EQ(result.sources, 1);
  ASSERT_EQ(result.lost.size(), 1U);
  EXPECT_EQ(result.lost[0].name, duel.runs[0]->publication);
  EXPECT_TRUE(result.lost[0].by_mean && result.lost[0].by_median);
  EXPECT_NEAR(result.lost[0].ours.mean, 10.0, 1e-9);
  EXPECT_NE(result.lost[0].reason.find("10.0 % too slow"), std::string::npos);
  EXPECT_EQ(result.not_worse_by_mean(), 0.0);
}

TEST(BaselineDuel, EqualErrorsAreNotWorse) {
  Duel duel;
  duel.add(6, 0.05, 0.05);
  const BaselineDuel result = duel.fight();
  EXPECT_TRUE(result.lost.empty());
  EXPECT_EQ(result.not_worse_by_median(), 100.0);
}

TEST(BaselineDuel, FourRowsSayNothingAboutASource) {
  Duel duel;
  duel.add(4, 0.5, 0.0);
  EXPECT_EQ(duel.fight().sources, 0);
}

}  // namespace
}  // namespace loadfactor::validation
