#include "validation/training/row_layout.h"

#include "training/memory/memory_plan.h"
#include "validation/training/published_fixture.h"

namespace loadfactor::validation {
namespace {

struct LikelyMicroBatch : training::StepFixture {
  LikelyMicroBatch() {
    model = training::plain_transformer(8, 4096);
    chip.memory.usable = chip.memory.nominal;
    job.layout.gpus = 64;
    job.layout.dp = 64;
    job.layout.sharding = training::Sharding::kOptimizer;
    job.layout.recompute.kind = training::RecomputeKind::kFull;
    job.layout.micro_batch = 1;
    job.global_batch = 64 * 12;
  }
  bool fits(std::int64_t sequences) {
    training::TrainingJob larger = job;
    larger.layout.micro_batch = sequences;
    const auto plan = training::plan_memory(training::memory_question(larger));
    return plan.verdict != training::Verdict::kDoesNotFit;
  }
};

TEST_F(LikelyMicroBatch, IsTheLargestThatLeavesWholeOnes) {
  ASSERT_TRUE(fits(4));
  EXPECT_EQ(likely_micro_batch(job), 4);  // A rank has 12 sequences; 8 would leave a half.
}

TEST_F(LikelyMicroBatch, IsNoLargerThanWhatFits) {
  job.global_batch = 64 * 4096;
  const std::int64_t most = likely_micro_batch(job);
  EXPECT_GT(most, 1);
  EXPECT_TRUE(fits(most));
  EXPECT_FALSE(fits(2 * most));
}

TEST_F(LikelyMicroBatch, AsksForNoMoreRecomputationThanOneSequenceDoes) {
  job.global_batch = 64 * 4096;
  const std::int64_t with_recomputation = likely_micro_batch(job);
  job.layout.recompute.kind = training::RecomputeKind::kUnknown;
  const auto guessed = likely_recompute(job);
  const std::int64_t most = likely_micro_batch(job);
  EXPECT_LT(most, with_recomputation);
  job.layout.micro_batch = most;
  EXPECT_EQ(likely_recompute(job), guessed);
}

TEST_F(LikelyMicroBatch, IsBoundedByMemoryWhereAllIsRecomputedAnyway) {
  model = training::plain_transformer(32, 4096);
  job.global_batch = 64 * 4096;
  job.layout.recompute.kind = training::RecomputeKind::kUnknown;
  ASSERT_EQ(likely_recompute(job), training::RecomputeKind::kFull);
  const std::int64_t most = likely_micro_batch(job);
  job.layout.recompute.kind = training::RecomputeKind::kFull;
  EXPECT_TRUE(fits(most));
  EXPECT_FALSE(fits(2 * most));
}

TEST_F(LikelyMicroBatch, IsOneSequenceInAPipeline) {
  job.layout.pp = 2;
  job.layout.dp = 32;
  EXPECT_EQ(likely_micro_batch(job), 1);
}

// "pure" alone is a mode in which what travels is narrow; who keeps nothing wider says so.
TEST(RowLayout, APureRunKeepsSixteenBitsWhereItSaysWhatIsPure) {
  const training::StackTraits stack;
  const catalog::AcceleratorSpec chip;
  TrainingRow row;
  row.precision = "bf16-pure";
  const auto mode = layout_of_row(row, stack, chip, 8).precision;
  EXPECT_FALSE(mode.pure);
  EXPECT_EQ(mode.wire_gradient, 2.0);
  row.notes = "packing; pure bf16";
  const auto all = layout_of_row(row, stack, chip, 8).precision;
  EXPECT_TRUE(all.pure);
  EXPECT_EQ(all.wire_gradient, 0.0);
}

}  // namespace
}  // namespace loadfactor::validation
