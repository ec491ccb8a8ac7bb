// Weights, gradients and state of a stage in bytes, and what a job says of its host.
#include <array>

#include <gtest/gtest.h>

#include "training/memory/memory_plan.h"
#include "training/memory/memory_plan_pieces.h"
#include "training/memory/memory_plan_stages.h"

namespace loadfactor::training {
namespace {

catalog::ModelSpec plain_model() {
  catalog::ModelSpec model;
  catalog::LayerSpec layer;
  layer.attention.heads = 8;
  layer.attention.kv_heads = 8;
  layer.attention.head_dim = 64;
  layer.mlp = {catalog::MlpKind::kPlain, 2048, false};
  model.hidden = 512;
  model.norm = catalog::NormKind::kNonParametric;
  model.embedding.vocab = 1000;
  model.kinds = {layer};
  model.layers.assign(8, 0);
  return model;
}

constexpr double kLayer = 12.0 * 512 * 512;  // Parameters of each of the eight.
constexpr double kTable = 1000.0 * 512;
constexpr double kAll = 8 * kLayer + 2 * kTable;

class MemoryStateTest : public ::testing::Test {
 protected:
  MemoryStateTest() : model_(plain_model()) {
    stack_.attention = AttentionGeneration::kFlash2;
    stack_.memory.state = {.weight = 4, .gradient = 4, .optimizer = 8};
    question_.model = &model_;
    question_.stack = &stack_;
    question_.sequence = 64;
  }
  double group(MemoryGroup group) const { return plan_memory(question_).peak().of(group).base(); }

  catalog::ModelSpec model_;
  StackTraits stack_;
  MemoryQuestion question_;
};

TEST_F(MemoryStateTest, EachParameterHasTheWidthsOfTheStack) {
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kWeights), 4 * kAll);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), 4 * kAll);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kOptimizer), 8 * kAll);
  question_.precision.pure = true;  // Two bytes of each, and two moments of two.
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kWeights), 2 * kAll);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), 2 * kAll);
}

TEST_F(MemoryStateTest, ShortMomentsAreTwoBytesShorterEach) {
  question_.precision.short_moments = true;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kOptimizer), (8 - 2 * 2) * kAll);
}

TEST_F(MemoryStateTest, ABufferOfGradientsIsAsWideAsTheJobSays) {
  stack_.fp32_main_grad = true;
  stack_.memory.state = {.weight = 2, .gradient = 4, .optimizer = 12, .shard_gradient = 1};
  question_.precision.wire_gradient = 4;  // As wide as it is anyway: shards keep theirs.
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), 4 * kAll);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kOptimizer), (12 + 1) * kAll);
  question_.precision.wire_gradient = 2;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), 2 * kAll);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kOptimizer), (12 + 4) * kAll);
  stack_.memory.state.gradient = 2;
  question_.precision.wire_gradient = 4;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), 4 * kAll);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kOptimizer), 12 * kAll);
}

TEST_F(MemoryStateTest, ACompilerKeepsGradientsOnlyToAddThemUp) {
  stack_.compiler = true;
  stack_.memory.state = {.weight = 4, .gradient = 0, .optimizer = 8};
  EXPECT_EQ(group(MemoryGroup::kGradients), 0);
  question_.micro_batches = 2;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), 4 * kAll);
}

TEST_F(MemoryStateTest, OneGradientOfEveryShapeStandsInUnlessParametersAreSharded) {
  stack_.memory.dummy_gradients = true;
  // Attention, MLP and a table, in two bytes.
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kDummyGradients), 2 * (kLayer + kTable));
  question_.layout.dp = 4;
  question_.layout.sharding = Sharding::kFull;
  EXPECT_EQ(group(MemoryGroup::kDummyGradients), 0);
  question_.layout.sharding = Sharding::kOptimizer;
  EXPECT_GT(group(MemoryGroup::kDummyGradients), 0);
}

TEST_F(MemoryStateTest, GatheredLayersStandBesideTheirShards) {
  stack_.memory.gathered_weight = 2;
  stack_.memory.gathered_gradient = 4;
  stack_.memory.gathered_layers = 2;
  question_.layout.dp = 4;
  question_.layout.sharding = Sharding::kFull;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kWeights), 4 * kAll / 4);
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kOptimizer), 8 * kAll / 4);
  // Two layers and both tables, and the gradient of one layer.
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGathered), 2 * (2 * kLayer + 2 * kTable) + 4 * kLayer);
  question_.layout.pp = 2;  // Under a pipeline all of a stage's gradients add up, whole.
  stack_.memory.pipeline_gradient = 3;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGathered),
                   2 * (2 * kLayer + kTable) + 4 * kLayer + 3 * (4 * kLayer + kTable));
}

TEST_F(MemoryStateTest, CompressedGradientsKeepWhatTheyLose) {
  question_.precision.compression = Compression::kOneBit;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kGradients), (4 + 4) * kAll);
}

TEST_F(MemoryStateTest, OffloadedStateIsOnTheHost) {
  question_.layout.offload.optimizer = true;
  question_.host_capacity = Bytes::from_base(16 * kAll);
  const MemoryPlan plan = plan_memory(question_);
  EXPECT_EQ(plan.peak().of(MemoryGroup::kOptimizer), Bytes());
  EXPECT_DOUBLE_EQ(plan.host.base(), 8 * kAll);
  EXPECT_DOUBLE_EQ(plan.host_fill(), 0.5);
  EXPECT_TRUE(has_host_room(question_, question_.host_capacity));
  EXPECT_FALSE(has_host_room(question_, question_.host_capacity * 1.001));
  question_.host_capacity = Bytes();  // Nobody knows.
  EXPECT_TRUE(has_host_room(question_, Bytes::from_base(1e30)));
  EXPECT_EQ(plan_memory(question_).host_fill(), 0);
}

TEST_F(MemoryStateTest, AJobSharesItsHostAndCountsItsMicroBatches) {
  TrainingJob job;
  job.model = &model_;
  job.stack = &stack_;
  job.global_batch = 64;
  job.layout.dp = 4;
  job.layout.micro_batch = 2;
  job.layout.gpus = 4;
  job.fabric.host_gpus = 8;
  job.fabric.host_memory = Bytes::from_base(4096);
  EXPECT_EQ(memory_question(job).micro_batches, 8);
  EXPECT_EQ(memory_question(job).host_capacity.base(), 1024);  // Shared by the four that are there.
  job.layout.gpus = 64;
  EXPECT_EQ(memory_question(job).host_capacity.base(), 512);  // Shared by the eight of a host.
  job.global_batch = 2;
  EXPECT_EQ(memory_question(job).micro_batches, 1);
  job.fabric.offload = BytesPerSecond::from_base(1);  // A link to memory of its own.
  EXPECT_EQ(memory_question(job).host_capacity, Bytes());
}

// Sixteen bytes of ids for each of 64 tokens, and a byte for each of 512 that drops out, in halves.
TEST_F(MemoryStateTest, InputsAreIdsAndTheMaskOfTheirDropout) {
  question_.layout.tp = 2;
  question_.layout.sequence_parallel = true;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kInputs), 64 * 16);
  stack_.memory.dropout_masks = true;
  EXPECT_DOUBLE_EQ(group(MemoryGroup::kInputs), 64 * (16 + 512 / 2));
}

TEST_F(MemoryStateTest, WhatASearchAsksIsWhatThePlanSays) {
  question_.capacity = Bytes::from_base(20 * kAll);
  for (const int pp : {1, 2, 4}) {
    question_.layout.pp = pp;
    question_.layout.schedule = pp > 1 ? Schedule::k1F1B : Schedule::kNone;
    question_.micro_batches = 8;
    const MemoryPlan plan = plan_memory(question_);
    const MemoryNeed need = memory_need(
        question_, memory_stages(question_, memory_block(question_), find_stage_shapes(question_)));
    EXPECT_EQ(need.needed, plan.needed) << pp;
    EXPECT_EQ(need.verdict, plan.verdict) << pp;
    // One stage that stands for all has their mean, without tables.
    const MemoryStages least = least_stages(question_, memory_block(question_));
    EXPECT_DOUBLE_EQ(least.stages[0].parameters.dense, 8 * kLayer / pp) << pp;
  }
}

}  // namespace
}  // namespace loadfactor::training
