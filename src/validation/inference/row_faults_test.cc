#include "validation/inference/row_faults.h"

#include <gtest/gtest.h>

#include "validation/inference/shared_board.h"
#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

InferenceRow usual() {
  InferenceRow row;
  row.input = 1000;
  row.output = 200;
  row.value = 9;
  row.tp = 4;
  return row;
}

serving::ServingCalibration with_sets() {
  serving::ServingCalibration calibration;
  calibration.sets.push_back({.words = "OpenOrca", .input = 290});
  return calibration;
}

catalog::ModelSpec of_heads(int heads, int kv_heads) {
  catalog::ModelSpec model;
  model.name = "toy";
  catalog::LayerSpec layer;
  layer.attention.heads = heads;
  layer.attention.kv_heads = kv_heads;
  model.kinds = {layer};
  return model;
}

TEST(RowFaultsTest, AUsualRowHasNone) {
  EXPECT_FALSE(find_row_fault(usual(), with_sets()));
  EXPECT_FALSE(find_degree_fault(usual(), of_heads(32, 8)));
}

TEST(RowFaultsTest, ALengthThatNothingStandsInForIsMissed) {
  InferenceRow row = usual();
  row.input.reset();
  EXPECT_EQ(find_row_fault(row, with_sets()), "isl is missing");
  row.notes = "prompts of OpenOrca";
  EXPECT_FALSE(find_row_fault(row, with_sets()));
  row.notes = "the mean context is in the other column";
  EXPECT_TRUE(find_row_fault(row, with_sets()));
  row.load = "decode";
  EXPECT_FALSE(find_row_fault(row, with_sets()));
}

TEST(RowFaultsTest, AValueThatNobodyMeasuresIsRefused) {
  for (const double value : {1e300, 1e10, 1e-9}) {
    InferenceRow row = usual();
    row.value = value;
    EXPECT_TRUE(find_row_fault(row, with_sets())) << value;
  }
}

TEST(RowFaultsTest, AModelWithoutSomeOfItsLayersIsNotTheOneItIsNamedAfter) {
  InferenceRow row = usual();
  row.source = "results/llama_pruned/Offline";
  EXPECT_TRUE(find_row_fault(row, with_sets()));
  row.source = "results/llama/Offline";
  EXPECT_FALSE(find_row_fault(row, with_sets()));
  row.notes = "a third of the layers was pruned";
  EXPECT_TRUE(find_row_fault(row, with_sets()));
}

TEST(SharedBoardTest, ABoardSaysBehindItsMemoryHowManyItCarries) {
  EXPECT_EQ(chips_per_board("Maker-Card-24GBx2"), 2);
  EXPECT_EQ(chips_per_board("Maker-Card-24GB"), 1);
  EXPECT_EQ(chips_per_board("H100-SXM-80GB"), 1);
  EXPECT_EQ(chips_per_board("Card-24GBx"), 1);
  EXPECT_EQ(chips_per_board("Card-24GBx0"), 1);
  EXPECT_EQ(chips_per_board("Card-24GBx2-cloud"), 1);
}

TEST(RowFaultsTest, HeadsMustSplitOrBeCopied) {
  InferenceRow row = usual();
  row.tp = 3;
  EXPECT_TRUE(find_degree_fault(row, of_heads(32, 8)));
  row.tp = 16;  // Each of 8 key-value heads twice.
  EXPECT_FALSE(find_degree_fault(row, of_heads(32, 8)));
  row.tp = 24;
  row.cores_per_chip = 2;
  EXPECT_FALSE(find_degree_fault(row, of_heads(32, 8)));
  row = usual();
  row.tp = 1.5;
  EXPECT_TRUE(find_degree_fault(row, of_heads(32, 8)));
}

TEST(RowTextTest, ACellHoldsANumberAndNothingElse) {
  EXPECT_EQ(number_in("12.5"), 12.5);
  EXPECT_EQ(number_in("-4"), -4);
  for (const char* cell : {"", "12 ms", "nan", "inf", "three"})
    EXPECT_FALSE(number_in(cell)) << cell;
}

}  // namespace
}  // namespace loadfactor::validation
