#include "validation/training/training_row.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

TEST(TrainingRow, AColumnThatIsNotKnownIsNothing) {
  Diagnostics diagnostics;
  auto table = config::parse_csv(
      "t.csv", "model,accelerator,gpus,micro_batch,tp\nx,h100,8,unknown,\n", diagnostics);
  auto rows = read_training_rows(*table);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->front().id, "row-1");
  EXPECT_EQ(rows->front().gpus, 8);
  EXPECT_FALSE(rows->front().micro_batch.has_value());
  EXPECT_FALSE(rows->front().tp.has_value());
}

TEST(TrainingRow, AValueThatMakesNoSenseIsTheProblemOfItsRowAlone) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("t.csv",
                                 "model,accelerator,gpus,tp,dp,step_time_s\n"
                                 "x,h100,eight,1,8,1\nx,h100,8,0,8,1\nx,h100,8,1,-8,1\n"
                                 "x,h100,8,1,nan,1\nx,h100,8,1.5,8,1\nx,h100,1e300,1,8,1\n"
                                 "x,h100,8,1,8,-1\nx,h100,8,1,8,1\n",
                                 diagnostics);
  const auto rows = read_training_rows(*table);
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 8U);
  const char* words[] = {"not a number", "below 1", "below 1", "not finite",
                         "whole",        "above",   "below 0"};
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NE((*rows)[i].problem.find(words[i]), std::string::npos) << (*rows)[i].problem;
  EXPECT_NE(rows->front().problem.find("line 2"), std::string::npos);
  EXPECT_TRUE(rows->back().problem.empty());
}

TEST(TrainingRow, AMisspeltColumnIsRefusedAndAStrangeOneNamed) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("t.csv", "model,accelerator,gpus,colour,hfu_pct\nx,h100,8,red,1\n",
                                 diagnostics);
  EXPECT_EQ(unread_columns(*table, diagnostics), std::vector<std::string>{"colour"});
  EXPECT_TRUE(diagnostics.empty());
  table =
      config::parse_csv("t.csv", "model,accelerator,gpus,micro_bacth\nx,h100,8,1\n", diagnostics);
  (void)unread_columns(*table, diagnostics);
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors().front().code, lf::kUnknownKey);
  EXPECT_NE(diagnostics.errors().front().hint.find("micro_batch"), std::string::npos);
}

TEST(TrainingRow, ATableWithoutGpusIsRefused) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("t.csv", "model,accelerator\nx,h100\n", diagnostics);
  EXPECT_FALSE(read_training_rows(*table).has_value());
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
