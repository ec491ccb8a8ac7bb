// What one layer keeps for each token, tensor by tensor, from shapes that are multiplied here.
#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "training/job/testing/shipped_stacks.h"
#include "training/memory/memory_plan_layer.h"
#include "training/memory/mixer_work.h"
#include "training/memory/stage_split.h"

namespace loadfactor::training {
namespace {

using catalog::AttentionKind;
using Tensor = SavedTensor;

// 512 wide: eight heads of 64 with two of keys and values, and a gated MLP of 1,000.
catalog::ModelSpec dense_model() {
  catalog::ModelSpec model;
  catalog::LayerSpec layer;
  layer.attention.heads = 8;
  layer.attention.kv_heads = 2;
  layer.attention.head_dim = 64;
  layer.mlp = {catalog::MlpKind::kGated, 1000, false};
  layer.norms = 2;
  model.hidden = 512;
  model.norm = catalog::NormKind::kRms;
  model.embedding.vocab = 1000;
  model.kinds = {layer};
  model.layers.assign(4, 0);
  return model;
}

StackTraits copying_stack() {
  StackTraits stack;
  stack.attention = AttentionGeneration::kFlash2;
  stack.memory.norm_copies = 4;
  stack.memory.gate_copies = 1;
  stack.memory.rotary_copies = true;
  return stack;
}

// Three sequences of 1,024 on two ranks of context and two of tensors: 1,536 tokens, halves of all.
struct Layer {
  catalog::ModelSpec model = dense_model();
  StackTraits stack = copying_stack();
  MemoryQuestion question;

  Layer() {
    question.sequence = 1024;
    question.layout.micro_batch = 3;
    question.layout.cp = 2;
    question.layout.tp = 2;
    question.layout.sequence_parallel = true;
  }
  catalog::LayerSpec& kind() { return model.kinds[0]; }
  LayerActivations held() {
    question.model = &model;
    question.stack = &stack;
    return layer_activations(question, MemoryScale(question), kind());
  }
  // Bytes a token, without those of no size.
  static std::map<Tensor, double> per_token(const SavedBytes& bytes) {
    std::map<Tensor, double> result;
    for (std::size_t i = 0; i < kNumSavedTensors; ++i)
      if (bytes[i] > Bytes()) result[static_cast<Tensor>(i)] = bytes[i].base() / 1536;
    return result;
  }
  std::map<Tensor, double> saved() { return per_token(held().saved); }
  std::map<Tensor, double> kept() { return per_token(held().kept); }
};

// One H200, tools/gpu/eager_memory.py: 45.0 and 45.7 bytes for each token and element of the width.
TEST(MemoryLayerTest, LayersOfSingleKernelsKeepWhatWasMeasured) {
  const StackShelf shelf = testing::shipped_stacks();
  Layer layer;
  layer.stack = *shelf.find("deepspeed-2023");
  layer.model.hidden = 4096;
  layer.kind().attention.heads = layer.kind().attention.kv_heads = 32;
  layer.kind().attention.head_dim = 128;
  layer.kind().mlp.width = 11008;
  layer.question.layout.tp = layer.question.layout.cp = 1;
  layer.question.layout.sequence_parallel = false;
  constexpr double kTokens = 3 * 1024;
  Bytes all;
  for (const Bytes one : layer.held().saved) all += one;
  EXPECT_NEAR(all.base() / kTokens / 4096, 45.35, 0.7);
}

TEST(MemoryLayerTest, AGatedLayerKeepsTheInputsOfItsProducts) {
  Layer layer;
  const double row = 512 / 2.0;
  const std::map<Tensor, double> expected{
      {Tensor::kLayerInput, 2 * row},
      {Tensor::kNorm, (2 + 4) * row},  // With what an RMS norm copies.
      // Query, key and value, and the rotated query and key.
      {Tensor::kProjections, 2 * (256 + 2 * 64) + 2 * (256 + 64)},
      {Tensor::kMixerOutput, 2 * 256},
      {Tensor::kStatistics, 4 * 8 / 2.0},
      {Tensor::kResidual, 2 * row},
      {Tensor::kMlpNorm, (2 + 4) * row},
      {Tensor::kMlpUp, 2 * 2 * 500},
      {Tensor::kMlpActivation, (2 + 2) * 500}};
  EXPECT_EQ(layer.saved(), expected);
  EXPECT_EQ(layer.kept(), expected);
  // Gradients of the MLP's input beside the gathered input: 2 · 2 · 500 + 2 · 512 + 2 · 512 + row.
  EXPECT_DOUBLE_EQ(layer.held().transient.base() / 1536, 2000 + 1024 + 1024 + 512);
  layer.stack.memory.in_place_gate = true;  // Then those of the mixer: 1,024 + 768 + 1,024.
  EXPECT_DOUBLE_EQ(layer.held().transient.base() / 1536, 2816);
  layer.kind().mlp.width = 4000;  // Or of a wide activation.
  EXPECT_DOUBLE_EQ(layer.held().transient.base() / 1536, 2 * 2000 + 512);
}

TEST(MemoryLayerTest, FourNormsKeepTheOutputsBeforeThem) {
  Layer layer;
  layer.kind().norms = 4;
  EXPECT_EQ(layer.saved()[Tensor::kMlpNorm], (2 + 4) * 256 + 2 * 2 * 256);
  layer.kind().norms = 1;
  EXPECT_EQ(layer.saved().count(Tensor::kMlpNorm), 0U);
  EXPECT_EQ(layer.saved().count(Tensor::kResidual), 0U);
}

TEST(MemoryLayerTest, KeysAndValuesAreNeverSplitBelowAHead) {
  Layer layer;
  layer.question.layout.tp = 4;
  layer.stack.memory.rotary_copies = false;
  EXPECT_EQ(layer.saved()[Tensor::kProjections], 2 * (128 + 2 * 64));
  layer.kind().attention.gate = true;
  EXPECT_EQ(layer.saved()[Tensor::kProjections], 2 * (2 * 128 + 2 * 64));
}

TEST(MemoryLayerTest, UnfusedAttentionKeepsFourOrFiveBytesAScore) {
  Layer layer;
  layer.stack.attention = AttentionGeneration::kUnfused;
  EXPECT_EQ(layer.saved()[Tensor::kScores], 4 * 4 * 512);
  EXPECT_EQ(layer.saved().count(Tensor::kStatistics), 0U);
  EXPECT_EQ(layer.saved().count(Tensor::kDropoutMasks), 0U);
  layer.stack.memory.dropout_masks = true;
  EXPECT_EQ(layer.saved()[Tensor::kScores], 5 * 4 * 512);
  EXPECT_EQ(layer.saved()[Tensor::kDropoutMasks], 2 * 256);
  layer.question.layout.recompute.kind = RecomputeKind::kSelective;
  EXPECT_EQ(layer.kept().count(Tensor::kScores), 0U);
}

Layer latent_layer() {
  Layer layer;
  auto& attention = layer.kind().attention;
  attention.kind = AttentionKind::kLatent;
  attention.q_rank = 100;
  attention.kv_rank = 50;
  attention.rope_dim = 16;
  attention.nope_dim = 32;
  attention.value_dim = 24;
  return layer;
}

TEST(MemoryLayerTest, LatentAttentionKeepsItsDownAndUpProjections) {
  Layer layer = latent_layer();
  const double output = 8 * 24;
  const double query = 8 * (32 + 16) / 2.0;
  EXPECT_EQ(layer.saved()[Tensor::kProjections], 2 * (2 * 100 + 2 * 50 + 16));
  EXPECT_EQ(layer.saved()[Tensor::kLatentUp], 2 * (2 * query + output / 2));
  EXPECT_EQ(layer.saved()[Tensor::kMixerOutput], 2 * output / 2);
  EXPECT_EQ(layer.saved()[Tensor::kStatistics], 16);
  layer.question.layout.recompute.kind = RecomputeKind::kSelective;
  layer.stack.selective = SelectiveMeaning::kOps;
  EXPECT_EQ(layer.kept()[Tensor::kLatentUp], 2 * (query + query));
  layer.question.layout.recompute.kind = RecomputeKind::kModules;
  layer.question.layout.recompute.norms = true;
  EXPECT_EQ(layer.kept().count(Tensor::kLatentUp), 1U);
  layer.question.layout.recompute.latent_up = true;
  EXPECT_EQ(layer.kept().count(Tensor::kLatentUp), 0U);
}

TEST(MemoryLayerTest, EverySecondProductIsKeptByPolicyOfOps) {
  Layer layer;
  layer.question.layout.recompute.kind = RecomputeKind::kSelective;
  layer.stack.selective = SelectiveMeaning::kOps;
  const std::map<Tensor, double> expected{
      {Tensor::kLayerInput, 512},  {Tensor::kProjections, 2 * (256 + 64)},
      {Tensor::kMixerOutput, 512}, {Tensor::kStatistics, 16},
      {Tensor::kResidual, 512},    {Tensor::kMlpUp, 2 * 500}};
  EXPECT_EQ(layer.kept(), expected);
  layer.stack.memory.gate_copies = 0;
  EXPECT_EQ(layer.kept().count(Tensor::kResidual), 0U);
  layer.stack.selective = SelectiveMeaning::kCompilerPolicy;
  const auto by_policy = layer.kept();
  for (const Tensor tensor :
       {Tensor::kNorm, Tensor::kMlpNorm, Tensor::kResidual, Tensor::kMlpActivation})
    EXPECT_EQ(by_policy.count(tensor), 0U);
  EXPECT_EQ(by_policy.at(Tensor::kMlpUp), 2000);
  layer.question.layout.recompute.kind = RecomputeKind::kFull;
  EXPECT_EQ(layer.kept(), (std::map<Tensor, double>{{Tensor::kLayerInput, 512}}));
}

// Sixteen experts of 300, two for each token, half as many again on the busiest rank.
Layer expert_layer() {
  Layer layer;
  auto& kind = layer.kind();
  kind.mlp.width = 0;
  kind.moe.experts = 16;
  kind.moe.top_k = 2;
  kind.moe.width = 300;
  kind.moe.shared_width = 200;
  kind.moe.kind = catalog::MlpKind::kGated;
  layer.stack.memory.expert_output = true;
  layer.question.expert_imbalance = 1.5;
  return layer;
}

TEST(MemoryLayerTest, ExpertsKeepTheRowsOfTheBusiestRank) {
  Layer layer = expert_layer();
  const double rows = 2 * 1.5 / 2;
  auto saved = layer.saved();
  EXPECT_EQ(saved[Tensor::kExpertInput], 2 * 512 * rows);
  EXPECT_EQ(saved[Tensor::kExpertUp], 2 * 2 * 300 * rows);
  EXPECT_EQ(saved[Tensor::kExpertActivation], (2 + 2) * 300 * rows);
  EXPECT_EQ(saved[Tensor::kExpertOutput], 2 * 512 * rows);
  EXPECT_EQ(saved[Tensor::kStatistics], 16 + 2 * 4 * 16 / 2.0);
  EXPECT_EQ(saved[Tensor::kMlpUp], 2 * 2 * 100);  // The shared expert.
  EXPECT_EQ(saved[Tensor::kMlpActivation], 4 * 100);
  layer.kind().moe.latent = 128;
  layer.question.layout.etp = 3;
  EXPECT_EQ(layer.saved()[Tensor::kExpertInput], 2 * 128 * rows * 3);
  EXPECT_EQ(layer.saved()[Tensor::kExpertOutput], 2 * 128 * rows);
  layer.stack.memory.expert_output = false;
  EXPECT_EQ(layer.saved().count(Tensor::kExpertOutput), 0U);
}

TEST(MemoryLayerTest, ModulesThatAreRecomputedKeepTheirOwnTensorsOnly) {
  const auto gone = [](auto set) {
    Layer layer = expert_layer();
    layer.question.layout.recompute.kind = RecomputeKind::kModules;
    set(layer.question.layout.recompute);
    const auto kept = layer.kept();
    std::vector<Tensor> result;
    for (const auto& [tensor, bytes] : layer.saved())
      if (kept.count(tensor) == 0) result.push_back(tensor);
    return result;
  };
  using Tensors = std::vector<Tensor>;
  EXPECT_EQ(gone([](Recompute& r) { r.norms = true; }), (Tensors{Tensor::kNorm, Tensor::kMlpNorm}));
  EXPECT_EQ(gone([](Recompute& r) { r.activation = true; }),
            (Tensors{Tensor::kMlpActivation, Tensor::kExpertActivation}));
  EXPECT_EQ(gone([](Recompute& r) { r.mlp = true; }),
            (Tensors{Tensor::kMlpUp, Tensor::kMlpActivation}));
  EXPECT_EQ(gone([](Recompute& r) { r.experts = true; }),
            (Tensors{Tensor::kExpertInput, Tensor::kExpertUp, Tensor::kExpertActivation,
                     Tensor::kExpertOutput}));
}

TEST(MemoryLayerTest, AStateSpaceKeepsWhatItConvolvesAndAStateForEveryChunk) {
  Layer layer;
  auto& mixer = layer.kind().attention;
  mixer.kind = AttentionKind::kMamba2;
  mixer.value_heads = 8;
  mixer.value_dim = 64;
  mixer.groups = 2;
  mixer.key_dim = 16;
  mixer.conv = 4;
  const double output = 8 * 64;
  const double keys = 2 * 16;
  auto saved = layer.saved();
  EXPECT_EQ(saved[Tensor::kProjections],
            2 * (2 * output + 2 * keys + 8) / 2 + 2 * (output / 2 + 2 * keys / 2));
  EXPECT_EQ(saved[Tensor::kStatistics], 2 * (output / 2) * 16 / 64);
  EXPECT_EQ(saved[Tensor::kMixerOutput], 2 * output / 2);
  const ScanWidths widths = scan_widths(mixer);
  EXPECT_EQ(widths.value, output);
  EXPECT_EQ(widths.key, keys);
  EXPECT_EQ(widths.state, output * 16);
  mixer.kind = AttentionKind::kLinear;
  mixer.key_heads = 4;
  EXPECT_EQ(scan_widths(mixer).key, 4 * 16);
}

TEST(MemoryLayerTest, ParametersAreTheWeightsThatARankHolds) {
  const auto parameters = [](Layer layer) {
    layer.question.model = &layer.model;
    layer.question.stack = &layer.stack;
    return layer_parameters(layer.model, layer.kind(), MemoryScale(layer.question));
  };
  // A router of 16 beside halves of a gated shared expert of 200.
  EXPECT_DOUBLE_EQ(parameters(expert_layer()).mlp, 3 * 512 * 200 / 2.0 + 512 * 16);
  EXPECT_DOUBLE_EQ(parameters(expert_layer()).one_expert, 3 * 512 * 300);
  Layer plain;
  const double without = parameters(plain).attention;
  plain.kind().attention.qkv_bias = true;  // Eight heads, two pairs of keys and values.
  EXPECT_DOUBLE_EQ(parameters(plain).attention - without, (8 + 2 * 2) * 64 / 2.0);
  Layer state;
  auto& mixer = state.kind().attention;
  mixer.kind = AttentionKind::kMamba2;
  mixer.value_heads = 8;
  mixer.value_dim = 64;
  mixer.groups = 2;
  mixer.key_dim = 16;
  const double still = parameters(state).attention;
  mixer.conv = 4;
  EXPECT_NEAR(parameters(state).attention - still, (512 + 2 * 32) * 4 / 2.0, 1e-6);
}

// Half of the sequence on average; of a window w in s tokens, w less what the first w lack.
TEST(MemoryLayerTest, AWindowIsSeenLessOftenAtTheBeginning) {
  const auto counted = [](int sequence, int window) {
    double sum = 0;
    for (int token = 0; token < sequence; ++token) sum += std::min(token + 0.5, double(window));
    return sum / sequence;
  };
  EXPECT_NEAR(mean_keys(1000, 0), counted(1000, 1000), 1e-9);
  EXPECT_NEAR(mean_keys(1000, 200), counted(1000, 200), 0.1);
  EXPECT_DOUBLE_EQ(mean_keys(1000, 1000), 500);
  EXPECT_DOUBLE_EQ(mean_keys(1000, 2000), 500);
  catalog::AttentionSpec spec;
  EXPECT_DOUBLE_EQ(attended_keys(spec, 1000), 500);
  spec.sparse_top_k = 200;
  EXPECT_DOUBLE_EQ(attended_keys(spec, 1000), mean_keys(1000, 200));
  spec.window = 100;
  EXPECT_DOUBLE_EQ(attended_keys(spec, 1000), mean_keys(1000, 100));
  spec.compress = 4;  // The best 200 of 250 entries beside the window.
  EXPECT_DOUBLE_EQ(attended_keys(spec, 1000), mean_keys(1000, 100) + mean_keys(250, 200));
}

TEST(MemoryLayerTest, WhereOneEndIsWrittenTheOthersShareTheRest) {
  EXPECT_EQ(other_layers(32, 4, 8), 8);
  EXPECT_EQ(other_layers(32, 4, 5), 9);
  EXPECT_EQ(other_layers(32, 4, 7), 0);
  EXPECT_EQ(other_layers(32, 1, 7), 0);
  EXPECT_EQ(other_layers(10, 2, 3), 7);
}

}  // namespace
}  // namespace loadfactor::training
