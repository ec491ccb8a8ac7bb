// Activations kept for the backward pass, against the published closed forms
// [Korthikanti 2022, eq. 1 to 4]: s·b·h·(34 + 5·a·s/h) per layer of GPT-3's shape.
#include <string_view>

#include <gtest/gtest.h>

#include "workload/op_graph.h"
#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

constexpr double kSequence = 2048;
constexpr double kBatch = 4;
constexpr double kHidden = 12288;
constexpr double kHeads = 96;
constexpr double kUnit = kSequence * kBatch * kHidden;  // s · b · h
constexpr double kScores = 5 * kHeads * kSequence / kHidden;

BuildOptions gpt3_options(AttentionKernel kernel) {
  BuildOptions options;
  options.attention = kernel;
  options.dropout = true;
  return options;
}

double saved_per_layer(const catalog::ModelSpec& model, const Sharding& sharding,
                       const BuildOptions& options, const std::vector<SavedPart>& dropped = {}) {
  const OpGraph graph = build_op_graph(
      model, sharding, whole_model(model),
      training_batch(static_cast<std::int64_t>(kBatch), static_cast<std::int64_t>(kSequence)),
      options);
  double sum = 0;
  for (const Op& op : graph.blocks[0].ops) {
    for (const SavedTensor& saved : op.saved) {
      bool keeps = true;
      for (const SavedPart part : dropped) keeps = keeps && saved.part != part;
      if (keeps) sum += saved.bytes.base();
    }
  }
  return sum;
}

TEST(ActivationTest, OneLayerWithoutParallelism) {
  EXPECT_EQ(
      saved_per_layer(test_models::gpt3_layer(1), {}, gpt3_options(AttentionKernel::kUnfused)),
      kUnit * (34 + kScores));
}

TEST(ActivationTest, TensorParallelismLeavesTenCopies) {
  for (const int tp : {2, 8}) {
    EXPECT_DOUBLE_EQ(saved_per_layer(test_models::gpt3_layer(1), {.tp = tp},
                                     gpt3_options(AttentionKernel::kUnfused)),
                     kUnit * (10 + 24.0 / tp + kScores / tp));
  }
}

TEST(ActivationTest, SequenceParallelismDividesEverything) {
  EXPECT_DOUBLE_EQ(saved_per_layer(test_models::gpt3_layer(1), {.tp = 8, .sp = true},
                                   gpt3_options(AttentionKernel::kUnfused)),
                   kUnit / 8 * (34 + kScores));
}

TEST(ActivationTest, ContextParallelismDividesEverythingButTheKeysAScoreSees) {
  EXPECT_DOUBLE_EQ(
      saved_per_layer(test_models::gpt3_layer(1), {.cp = 2}, gpt3_options(AttentionKernel::kFlash)),
      saved_per_layer(test_models::gpt3_layer(1), {}, gpt3_options(AttentionKernel::kFlash)) / 2);
}

TEST(ActivationTest, SelectiveRecomputationDropsTheScores) {
  EXPECT_EQ(saved_per_layer(test_models::gpt3_layer(1), {}, gpt3_options(AttentionKernel::kUnfused),
                            {SavedPart::kAttentionCore}),
            kUnit * 34);
}

TEST(ActivationTest, FlashAttentionKeepsOneNumberPerRowInstead) {
  EXPECT_EQ(saved_per_layer(test_models::gpt3_layer(1), {}, gpt3_options(AttentionKernel::kFlash)),
            kUnit * 34 + 4 * kSequence * kBatch * kHeads);
}

TEST(ActivationTest, FullRecomputationKeepsTheInputOfTheLayer) {
  EXPECT_EQ(
      saved_per_layer(test_models::gpt3_layer(1), {}, gpt3_options(AttentionKernel::kFlash),
                      {SavedPart::kResidual, SavedPart::kNormOutput, SavedPart::kAttentionCore,
                       SavedPart::kActivation, SavedPart::kProjection}),
      kUnit * 2);
}

TEST(ActivationTest, GatedLayersWithGroupedQueriesAddUp) {
  // Llama-3.1-8B, no dropout, bytes per token: norms in and out 8·h, query and output 4·h,
  // keys and values 4·1024, gate, up and product 6·14336, row sums 4·32.
  const double expected = kSequence * kBatch * (12.0 * 4096 + 4.0 * 1024 + 6.0 * 14336 + 128);
  EXPECT_EQ(saved_per_layer(test_models::llama_8b(), {}, {}), expected);
}

TEST(ActivationTest, ExpertsKeepEveryCopyOfATokenTheyWorkOn) {
  // Mixtral: two copies of every token through experts of width 14336, 8 probabilities in fp32.
  const double expected =
      kSequence * kBatch *
      (12.0 * 4096 + 4.0 * 1024 + 128 + 2 * (2.0 * 4096 + 6.0 * 14336) + 8 * 4.0);
  EXPECT_EQ(saved_per_layer(test_models::mixtral_8x7b(), {}, {}), expected);
}

TEST(ActivationTest, LogitsAreKeptOnceForTheLoss) {
  const catalog::ModelSpec model = test_models::llama_8b();
  const OpGraph graph =
      build_op_graph(model, {.tp = 2}, whole_model(model), training_batch(1, 1000), {});
  double loss = 0;
  for (const Op& op : graph.epilogue) {
    for (const SavedTensor& saved : op.saved) {
      if (saved.part == SavedPart::kLoss) loss += saved.bytes.base();
    }
  }
  EXPECT_EQ(loss, 4.0 * 1000 * 128256 / 2);
}

}  // namespace
}  // namespace loadfactor::workload
