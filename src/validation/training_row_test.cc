#include "validation/training_row.h"

#include <gtest/gtest.h>

#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

TEST(TrainingRow, AColumnThatIsNotKnownIsNothing) {
  Diagnostics diagnostics;
  auto table = config::parse_csv(
      "t.csv", "model,accelerator,gpus,micro_batch,tp\nx,h100,8,unknown,\n", diagnostics);
  auto rows = read_training_rows(*table, diagnostics);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->front().id, "row-1");
  EXPECT_EQ(rows->front().gpus, 8);
  EXPECT_FALSE(rows->front().micro_batch.has_value());
  EXPECT_FALSE(rows->front().tp.has_value());
}

TEST(TrainingRow, AWordWhereANumberBelongsIsReportedAtItsPlace) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("t.csv", "model,accelerator,gpus\nx,h100,eight\n", diagnostics);
  (void)read_training_rows(*table, diagnostics);
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors().front().where.line, 2U);
}

TEST(TrainingRow, ATableWithoutGpusIsRefused) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("t.csv", "model,accelerator\nx,h100\n", diagnostics);
  EXPECT_FALSE(read_training_rows(*table, diagnostics).has_value());
}

TEST(TrainingRow, RoundsOfOneBenchmarkAreOnePublicationAndFiguresAreTheirOwn) {
  EXPECT_EQ(publication_of("github.com/a/results_v3.1 x/y"),
            publication_of("github.com/a/results_v4.0 z"));
  EXPECT_NE(publication_of("github.com/a/b@1 images/one.png"),
            publication_of("github.com/a/b@2 images/two.png"));
  EXPECT_EQ(publication_of("github.com/a/b@1 docs/x.md L1"),
            publication_of("github.com/a/b@1 docs/y.md L2"));
}

TEST(RowText, NumbersStandBeforeOrAfterWords) {
  EXPECT_EQ(number_after("MLA; head_dim 128; x", "head_dim "), 128);
  EXPECT_EQ(number_before("with 1600 Gbps node-node", " Gbps node-node"), 1600);
  EXPECT_FALSE(number_after("head_dim unknown", "head_dim ").has_value());
}

}  // namespace
}  // namespace loadfactor::validation
