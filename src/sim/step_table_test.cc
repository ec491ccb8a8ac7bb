#include "sim/step_table.h"

#include <gtest/gtest.h>

namespace loadfactor::sim {
namespace {

// Two sequences, four tokens; a decode step of n takes 100 n, reading takes 1 per token and 2
// beyond ten tokens.
// Gives every row of the table the same attention pieces.
void share_attention(StepTable& table, const std::vector<CostPiece>& pieces) {
  table.attention.clear();
  table.attention_row.assign(1, 0);
  for (int n = 0; n <= table.max_seqs; ++n) {
    table.attention.insert(table.attention.end(), pieces.begin(), pieces.end());
    table.attention_row.push_back(static_cast<std::uint32_t>(table.attention.size()));
  }
}

StepTable small_table() {
  StepTable table{.max_seqs = 2, .max_tokens = 4};
  table.decode_base = {1, 100, 200};
  table.sequence_base = {0, 3, 5};
  table.mixed_base = {0, 10, 20, 30, 40};
  share_attention(table, {{0, 0, 1}, {10, 10, 2}});
  table.prefill = {{0, 0, 1}};
  table.per_chunk = 7;
  table.per_cached_token = 2;
  table.per_swapped_block = 1000;
  return table;
}

TEST(StepTableTest, ADecodeStepIsItsBasePlusTheReading) {
  EXPECT_EQ(small_table().decode_step(2, 9), 200 + 9);
  EXPECT_EQ(small_table().decode_step(2, 12), 200 + 10 + 2 * 2);
}

TEST(StepTableTest, AMixedStepAddsUpItsParts) {
  // One decode of context 5, one chunk of 2 tokens behind 3 cached ones: area 2 * (6 + 2) = 16.
  const StepTotals step{
      .decodes = 1, .context = 5, .chunks = 1, .tokens = 2, .cached = 3, .area = 16};
  EXPECT_EQ(small_table().step_time(step), 30 + 5 + 5 + 7 + 2 * 3 + 16);
}

TEST(StepTableTest, DecodesBesideAPromptMayTakeMoreOrLessThanItsTokens) {
  StepTable table = small_table();
  const StepTotals step{
      .decodes = 1, .context = 5, .chunks = 1, .tokens = 2, .cached = 3, .area = 16};
  const Ticks before = table.step_time(step);
  table.with_prompt_base = {0, 40, -15};
  EXPECT_EQ(table.step_time(step), before + 40);
  EXPECT_EQ(table.decode_step(1, 5), small_table().decode_step(1, 5));
  EXPECT_TRUE(find_fault(table).empty()) << find_fault(table);
  table.with_prompt_base = {0, 40, -30};  // As much as three tokens take.
  EXPECT_FALSE(find_fault(table).empty());
  table.with_prompt_base = {0};
  EXPECT_FALSE(find_fault(table).empty());
}

TEST(StepTableTest, SwappingTakesItsTimeOnTop) {
  const StepTotals step{.decodes = 1, .context = 1, .swapped_blocks = 2};
  EXPECT_EQ(small_table().step_time(step), 2000 + 101);
}

TEST(StepTableTest, FaultsAreNamed) {
  EXPECT_EQ(find_fault(small_table()), "");
  StepTable table = small_table();
  table.mixed_base.pop_back();
  EXPECT_EQ(find_fault(table), "mixed_base has the wrong length");
  table = small_table();
  table.decode_base[1] = 0;
  EXPECT_EQ(find_fault(table), "a step takes no time, or more than a thousand seconds");
  table = small_table();
  table.attention[0].from = 1;
  table.attention[2].from = 1;
  EXPECT_EQ(find_fault(table), "the attention pieces of a row do not ascend from 0");
  table = small_table();
  table.max_tokens = 1;
  EXPECT_EQ(find_fault(table), "fewer tokens than sequences in a step");
}

}  // namespace
}  // namespace loadfactor::sim
