#include "validation/training/production_runs.h"

#include <cmath>

#include "base/error_codes.h"
#include "validation/training/published_fixture.h"

namespace loadfactor::validation {
namespace {

config::CsvTable table_of(const std::string& text) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("runs.csv", text, diagnostics);
  EXPECT_TRUE(table.has_value());
  return *std::move(table);
}

std::vector<ProductionRow> shipped_rows() {
  auto rows = read_production_rows(table_of(training::read_data("published/production-runs.csv")));
  EXPECT_TRUE(rows.has_value());
  return *std::move(rows);
}

TEST(ProductionRuns, TokensAndHoursAreNeededAndMustMakeSense) {
  const auto none = read_production_rows(table_of("id,model,accelerator,accelerators,tokens_b\n"));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, lf::kMissingColumn);
  const auto rows =
      read_production_rows(table_of("id,model,accelerator,accelerators,tokens_b,accelerator_hours\n"
                                    "good,Llama-2-7B,A100-SXM-80GB,256,2000,184320\n"
                                    "bad,Llama-2-7B,A100-SXM-80GB,256,nan,184320\n"
                                    "none,Llama-2-7B,A100-SXM-80GB,256,2000,0\n"));
  ASSERT_TRUE(rows.has_value());
  EXPECT_TRUE((*rows)[0].run.problem.empty());
  EXPECT_DOUBLE_EQ((*rows)[0].tokens, 2e12);
  EXPECT_FALSE((*rows)[1].run.problem.empty());
  EXPECT_FALSE((*rows)[2].run.problem.empty());
}

// 70 billion parameters over 2,048 accelerators of 80 GB: six bytes of a parameter on every rank of
// a copy and twelve shared by the copies fill 48 GB from 16 ranks on (26.6 GB; 8 take 52.8).
TEST(ProductionRuns, LayoutsHoldTheirState) {
  Shipped shipped;
  const auto context = shipped.context();
  ProductionRow row;
  row.run.model = "Llama-2-70B";
  row.run.accelerator = "A100-SXM-80GB";
  row.run.gpus = 2048;
  row.tokens = 2e12;
  const auto* model = *context.catalog->find_model(row.run.model);
  const auto* chip = *context.catalog->find_accelerator(row.run.accelerator);
  const auto layouts = likely_layouts(row, *model, *chip);
  ASSERT_FALSE(layouts.empty());
  bool interleaved = false;
  bool larger = false;
  for (const TrainingRow& layout : layouts) {
    EXPECT_GE(*layout.tp * *layout.pp, 16.0);
    EXPECT_DOUBLE_EQ(*layout.tp * *layout.pp * *layout.dp, 2048.0);
    EXPECT_DOUBLE_EQ(std::fmod(*layout.global_batch, *layout.dp), 0.0);
    EXPECT_DOUBLE_EQ(std::fmod(*layout.global_batch / *layout.dp, *layout.micro_batch), 0.0);
    interleaved = interleaved || layout.schedule == "interleaved";
    larger = larger || *layout.micro_batch > 1;
  }
  EXPECT_TRUE(interleaved);
  EXPECT_TRUE(larger);
  row.run.micro_batch = 1;
  for (const TrainingRow& layout : likely_layouts(row, *model, *chip))
    EXPECT_EQ(*layout.micro_batch, 1.0);
}

// Runs that nobody fitted anything to; each gets the factor and the interval of the others.
TEST(ProductionRuns, ErrorsOfWholeRunsAreWhatIsClaimed) {
  Shipped shipped;
  const auto rows = shipped_rows();
  const auto result = validate_production(rows, shipped.context(), shipped.calibration);
  EXPECT_EQ(result.predictions.size(), 26U);
  EXPECT_LE(result.abs_error.median, 15.0);
  EXPECT_GE(result.interval_coverage, 85.0);
  EXPECT_GT(result.other_losses, 1.0);
  for (const auto& run : result.predictions) {
    EXPECT_TRUE(run.from_memory) << run.id;
    EXPECT_GT(run.with_failures, run.steady) << run.id;
    EXPECT_GT(run.with_names, run.with_failures) << run.id;
    EXPECT_LT(run.low, run.predicted) << run.id;
    EXPECT_GT(run.high, run.predicted) << run.id;
  }
}

// What `train` says of a run as it is paid for is what these runs lost.
TEST(ProductionRuns, TheFactorInTheDataIsThatOfTheRuns) {
  Shipped shipped;
  const auto result = validate_production(shipped_rows(), shipped.context(), shipped.calibration);
  EXPECT_NEAR(result.named.unexplained, result.other_losses, 0.01);
  EXPECT_NEAR(result.named.unexplained_low, result.other_low, 0.02);
  EXPECT_NEAR(result.named.unexplained_high, result.other_high, 0.02);
}

// Beside a single run nothing is known: the factor is 1 and the interval wide.
TEST(ProductionRuns, ARunAloneHasNoFactor) {
  Shipped shipped;
  const std::vector<ProductionRow> one{shipped_rows().front()};
  const auto result = validate_production(one, shipped.context(), shipped.calibration);
  ASSERT_EQ(result.predictions.size(), 1U);
  EXPECT_DOUBLE_EQ(result.predictions[0].predicted, result.predictions[0].with_names);
  EXPECT_NEAR(result.predictions[0].high, std::exp(1.0) * result.predictions[0].predicted, 1e-6);
}

}  // namespace
}  // namespace loadfactor::validation
