// Examples that can be checked in the head, and laws over many layouts.
#include "training/memory/memory_plan.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "training/memory/memory_plan_layer.h"
#include "training/memory/memory_plan_resolve.h"
#include "training/memory/memory_plan_stages.h"

namespace loadfactor::training {
namespace {

using namespace literals;

// A plain transformer: 12 · h² parameters per layer beside norms, no vocabulary to speak of.
catalog::ModelSpec plain_model(int layers, int hidden) {
  catalog::ModelSpec model;
  catalog::LayerSpec layer;
  layer.attention.heads = 8;
  layer.attention.kv_heads = 8;
  layer.attention.head_dim = hidden / 8;
  layer.mlp = {catalog::MlpKind::kPlain, 4 * hidden, false};
  model.hidden = hidden;
  model.norm = catalog::NormKind::kNonParametric;
  model.embedding.vocab = 1000;
  model.kinds = {layer};
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  return model;
}

// The same with experts in all layers but the first.
catalog::ModelSpec expert_model(int layers, int hidden) {
  catalog::ModelSpec model = plain_model(layers, hidden);
  catalog::LayerSpec sparse = model.kinds[0];
  sparse.mlp.width = 0;
  sparse.moe.experts = 16;
  sparse.moe.top_k = 2;
  sparse.moe.width = hidden;
  sparse.moe.shared_width = hidden;
  model.kinds.push_back(sparse);
  for (std::size_t i = 1; i < model.layers.size(); ++i) model.layers[i] = 1;
  return model;
}

// 2 + 4 + 12 bytes per parameter, nothing else that a stack may add.
StackTraits bare_stack() {
  StackTraits stack;
  stack.attention = AttentionGeneration::kFlash2;
  stack.memory.loss = 0;
  stack.memory.loss_tp = 0;
  return stack;
}

MemoryQuestion ask(const catalog::ModelSpec& model, const StackTraits& stack) {
  MemoryQuestion question;
  question.model = &model;
  question.stack = &stack;
  question.sequence = 1024;
  return question;
}

Bytes state(const MemoryPlan& plan) {
  Bytes most;
  for (const StageMemory& stage : plan.all()) {
    most = std::max(most, stage.of(MemoryGroup::kWeights) + stage.of(MemoryGroup::kGradients) +
                              stage.of(MemoryGroup::kOptimizer));
  }
  return most;
}

TEST(MemoryPlanTest, FrozenWeightsAreNotCopiedByTheOptimizer) {
  const auto model = plain_model(4, 1024);
  StackTraits stack = bare_stack();
  stack.memory.late_gradient = 4;
  MemoryQuestion question = ask(model, stack);
  const auto late = [&] {
    const MemoryPlan plan = plan_memory(question);
    return plan.peak().peak == Moment::kOptimizerStep ? plan.peak().of(MemoryGroup::kLateGradients)
                                                      : Bytes();
  };
  const Bytes all = late();
  question.trainable_share = 0.01;
  EXPECT_GT(all, Bytes());
  EXPECT_LE(late(), 0.011 * all);
}

// Two layers of 12 · 1024² weights are gathered at a time. Quantised, they travel as they rest, and
// one of them is widened; only what is trained has a gradient.
// 2 bytes for the weight, 2 for its gradient and 2 for each of two moments, whatever the stack
// keeps otherwise: 8 of 18, and 8 of 16 where the fp32 weight is the parameter.
TEST(MemoryPlanTest, PureTrainingKeepsNothingWiderThanSixteenBits) {
  const catalog::ModelSpec model = plain_model(8, 1024);
  StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.precision.pure = true;
  const Bytes pure = state(plan_memory(question));
  question.precision.pure = false;
  EXPECT_NEAR(pure / state(plan_memory(question)), 8.0 / 18.0, 1e-9);
  stack.memory.state = {4, 4, 8, 0};
  EXPECT_NEAR(pure / state(plan_memory(question)), 8.0 / 16.0, 1e-9);
}

TEST(MemoryPlanTest, GatheredWeightsThatAreFrozenHaveNoGradientAndTravelAsTheyRest) {
  const auto model = plain_model(4, 1024);
  StackTraits stack = bare_stack();
  stack.memory.gathered_weight = 2;
  stack.memory.gathered_gradient = 4;
  stack.memory.gathered_layers = 2;
  MemoryQuestion question = ask(model, stack);
  question.layout.dp = question.layout.gpus = 4;
  question.layout.sharding = Sharding::kFull;
  const auto gathered = [&] {
    const MemoryPlan plan = plan_memory(question);
    return plan.all().front().of(MemoryGroup::kGathered).base();
  };
  const double layer = 12.0 * 1024 * 1024;
  const double full = gathered();
  question.trainable_share = 0.01;
  const double adapted = gathered();
  EXPECT_DOUBLE_EQ(full - adapted, 0.99 * 4 * layer);
  question.precision.frozen_weight = 0.5;
  EXPECT_DOUBLE_EQ(adapted - gathered(), 2 * 2 * layer - (2 * 0.5 * layer + 2 * layer));
}

TEST(MemoryPlanTest, AdaptersKeepTheInputsOfTheProductsTheyStandBeside) {
  const auto model = plain_model(1, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  const auto kept = [&] {
    const MemoryScale scale(question);
    return total(layer_activations(question, scale, model.kinds[0]).kept).base();
  };
  const double all = kept();
  question.trainable_share = 0.01;
  const double mlp_inputs = 2.0 * 1024.0 * (1024.0 + model.kinds[0].mlp.width);  // Up and down.
  EXPECT_DOUBLE_EQ(kept(), all - mlp_inputs);
  question.adapts_mlp = true;
  EXPECT_DOUBLE_EQ(kept(), all);
}

// [Korthikanti 2022, eq. 1 to 4].
TEST(MemoryPlanTest, UnfusedLayerKeepsThirtyFourBytesPerElementAndFivePerScore) {
  const auto model = plain_model(1, 1024);
  StackTraits stack = bare_stack();
  stack.attention = AttentionGeneration::kUnfused;
  stack.memory.dropout_masks = true;
  MemoryQuestion question = ask(model, stack);
  const double element = 1024.0 * 1024.0;       // Tokens × width.
  const double scores = 8.0 * 1024.0 * 1024.0;  // Heads × tokens².
  const auto kept = [&] {
    const MemoryScale scale(question);
    return total(layer_activations(question, scale, model.kinds[0]).kept).base();
  };
  EXPECT_DOUBLE_EQ(kept(), 34 * element + 5 * scores);
  question.layout.tp = 2;
  EXPECT_DOUBLE_EQ(kept(), (10 + 24 / 2.0) * element + 5 * scores / 2);
  question.layout.sequence_parallel = true;
  EXPECT_DOUBLE_EQ(kept(), (34 * element + 5 * scores) / 2);
  question.layout.recompute.kind = RecomputeKind::kSelective;
  EXPECT_DOUBLE_EQ(kept(), 34 * element / 2);
  question.layout.recompute.kind = RecomputeKind::kFull;
  EXPECT_DOUBLE_EQ(kept(), 2 * element / 2);
}

TEST(MemoryPlanTest, ShardingDividesWhatItSaysItDivides) {
  const auto model = plain_model(10, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.dp = 4;
  const double parameters = 10 * 12.0 * 1024 * 1024 + 2 * 1000.0 * 1024;
  const auto bytes_per_parameter = [&](Sharding sharding) {
    question.layout.sharding = sharding;
    return state(plan_memory(question)).base() / parameters;
  };
  EXPECT_NEAR(bytes_per_parameter(Sharding::kNone), 2 + 4 + 12, 1e-9);
  EXPECT_NEAR(bytes_per_parameter(Sharding::kOptimizer), 2 + 4 + 12 / 4.0, 1e-9);
  EXPECT_NEAR(bytes_per_parameter(Sharding::kGradients), 2 + 4 / 4.0 + 12 / 4.0, 1e-9);
  EXPECT_NEAR(bytes_per_parameter(Sharding::kFull), 18 / 4.0, 1e-9);
  question.layout.shard_group = 2;
  EXPECT_NEAR(bytes_per_parameter(Sharding::kHybrid), 18 / 2.0, 1e-9);
}

// Eight ranks of which two hold the same experts: a group of four has one of each.
TEST(MemoryPlanTest, AGroupSharesItsExpertsAmongThoseThatHoldTheSame) {
  const auto model = expert_model(2, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.dp = 8;
  question.layout.ep = 4;
  question.layout.sharding = Sharding::kOptimizer;
  const auto optimizer = [&](int group) {
    question.layout.shard_group = group;
    Bytes most;
    for (const StageMemory& stage : plan_memory(question).all())
      most = std::max(most, stage.of(MemoryGroup::kOptimizer));
    return most.base();
  };
  const MemoryScale scale(question);
  const double experts = 12.0 * layer_parameters(model, model.kinds[1], scale).experts;
  const double dense = 8.0 * (optimizer(0) - experts / 2.0);
  EXPECT_NEAR(optimizer(4), dense / 4.0 + experts, 1.0);
}

// 1024 tokens, two rows of experts and a shared one, each with a gate and what it gates, all of
// width 1024: a byte less of each element.
TEST(MemoryPlanTest, InputsOfGatesMayBeKeptNarrow) {
  const auto model = expert_model(2, 1024);
  StackTraits stack = bare_stack();
  stack.memory.narrow_inputs = true;
  MemoryQuestion question = ask(model, stack);
  const auto kept = [&] {
    const MemoryScale scale(question);
    return total(layer_activations(question, scale, model.kinds[1]).kept).base();
  };
  const double wide = kept();
  stack.memory.narrow_gate = true;
  EXPECT_DOUBLE_EQ(kept(), wide);  // Products in 16 bit keep 16 bits.
  question.precision.compute = catalog::Dtype::kFp8;
  const double narrow = kept();
  stack.memory.narrow_gate = false;
  EXPECT_DOUBLE_EQ(kept() - narrow, 1024.0 * 1024.0 * 3 * 2);
}

TEST(MemoryPlanTest, ExpertsAreSharedByTheReplicasThatHoldThem) {
  // 16 experts over 4 ranks of 8 · 2 in all: 4 experts here, their state over 4 replicas.
  const auto model = expert_model(2, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.tp = 2;
  question.layout.dp = 8;
  question.layout.ep = 4;
  const MemoryScale scale(question);
  EXPECT_DOUBLE_EQ(scale.expert_data, 4);
  const LayerParameters layer = layer_parameters(model, model.kinds[1], scale);
  EXPECT_DOUBLE_EQ(layer.experts, 4 * 3.0 * 1024 * 1024);
}

TEST(MemoryPlanTest, SchedulesHoldWhatTheirWarmUpStarts) {
  Layout layout;
  layout.pp = 4;
  const auto held = [&](Schedule schedule, int rank) {
    layout.schedule = schedule;
    return micro_batches_in_flight(layout, 16, rank);
  };
  EXPECT_EQ(held(Schedule::k1F1B, 0), 4);
  EXPECT_EQ(held(Schedule::k1F1B, 3), 1);
  EXPECT_EQ(held(Schedule::kGpipe, 3), 16);
  EXPECT_EQ(held(Schedule::kZeroBubble, 3), 4);
  EXPECT_EQ(held(Schedule::kDualPipe, 0), 2.5);  // 5 stages' worth over the two it holds.
  layout.vp = 2;
  EXPECT_EQ(held(Schedule::kInterleaved, 0), 11 / 2.0);  // 2 · 3 + 4 + 1 chunks of half a stage.
  EXPECT_EQ(micro_batches_in_flight(layout, 2, 0), 2);
}

TEST(MemoryPlanTest, SpareSlotsStandBesideEmbeddingAndHead) {
  // 10 layers over 4 stages of 3: the two missing ones stand at the ends.
  const auto model = plain_model(10, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.pp = 4;
  const StageShapes shapes = find_stage_shapes(question);
  ASSERT_EQ(shapes.count, 3U);
  EXPECT_EQ(shapes.shapes[0].layers, 2);
  EXPECT_EQ(shapes.shapes[1].layers, 3);
  EXPECT_EQ(shapes.shapes[2].layers, 2);
  EXPECT_EQ(shapes.shapes[1].rank, 1);
}

TEST(MemoryPlanTest, MiddleStagesThatDifferAreAllLookedAt) {
  // One dense layer, then experts: ranks 0, 1 and 3 are unlike; rank 2 is like rank 1.
  const auto model = expert_model(8, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.pp = 4;
  EXPECT_EQ(find_stage_shapes(question).count, 3U);
  question.layout.schedule = Schedule::kDualPipe;
  const StageShapes doubled = find_stage_shapes(question);
  EXPECT_EQ(doubled.shapes[0].layers, 4);  // Two stages each.
  EXPECT_TRUE(doubled.shapes[0].first && doubled.shapes[0].last);
}

TEST(MemoryPlanTest, VerdictsHaveTheirLines) {
  const auto model = plain_model(4, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  EXPECT_EQ(plan_memory(question).verdict, Verdict::kNotAsked);
  const Bytes needed = plan_memory(question).needed;
  const auto verdict_at = [&](double fill) {
    question.capacity = needed / fill;
    return plan_memory(question).verdict;
  };
  EXPECT_EQ(verdict_at(0.90), Verdict::kFits);
  EXPECT_EQ(verdict_at(0.95), Verdict::kTight);
  EXPECT_EQ(verdict_at(1.01), Verdict::kDoesNotFit);
}

TEST(MemoryPlanTest, OffloadMovesBytesToTheHostAndLosesNone) {
  const auto model = plain_model(8, 1024);
  const StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  const StageMemory before = plan_memory(question).peak();
  question.layout.offload.optimizer = true;
  const StageMemory after = plan_memory(question).peak();
  EXPECT_EQ(after.of(MemoryGroup::kOptimizer), Bytes());
  EXPECT_EQ(after.host, before.of(MemoryGroup::kOptimizer));
  question.layout.offload.activation_layers = 2;  // A quarter of eight.
  const StageMemory away = plan_memory(question).peak();
  EXPECT_DOUBLE_EQ((away.host - after.host).base(),
                   0.25 * before.of(MemoryGroup::kActivations).base());
}

TEST(MemoryPlanTest, UnknownRecomputationIsTheLeastThatFits) {
  const auto model = plain_model(16, 1024);
  StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.micro_batch = 8;
  question.layout.recompute.kind = RecomputeKind::kUnknown;
  question.capacity = 1_TB;
  EXPECT_EQ(resolve_memory(question).rung, 0);
  EXPECT_EQ(resolve_memory(question).layout.recompute.kind, RecomputeKind::kNone);

  Layout layers = question.layout;
  layers.recompute.kind = RecomputeKind::kFull;
  layers.recompute.layers_per_stage = 6;
  MemoryQuestion six = question;
  six.layout = layers;
  question.capacity = plan_memory(six).needed;
  EXPECT_EQ(resolve_memory(question).layout.recompute, layers.recompute);
  question.capacity = 1_MB;
  EXPECT_EQ(resolve_memory(question).plan.verdict, Verdict::kDoesNotFit);
  EXPECT_EQ(resolve_memory(question).layout.recompute.layers_per_stage, 0);
}

TEST(MemoryPlanTest, UnstatedOffloadIsTheFewestLayersThatFit) {
  const auto model = plain_model(16, 1024);
  StackTraits stack = bare_stack();
  MemoryQuestion question = ask(model, stack);
  question.layout.micro_batch = 8;
  question.layout.offload.activations = true;
  MemoryQuestion five = question;
  five.layout.offload.activation_layers = 5;
  question.capacity = plan_memory(five).needed;
  EXPECT_EQ(resolve_memory(question).layout.offload.activation_layers, 5);
}

// Layouts drawn from what stacks offer; every law below holds for each.
class MemoryLawTest : public ::testing::Test {
 protected:
  MemoryLawTest() : dense_(plain_model(16, 2048)), sparse_(expert_model(16, 2048)) {
    stack_.memory.loss = 4;
    stack_.memory.loss_tp = 8;
    stack_.memory.slack = 0.04;
    stack_.memory.context = 1_GB;
  }

  int pick(std::initializer_list<int> values) {
    return values.begin()[stream_.below(values.size())];
  }
  MemoryQuestion draw() {
    stack_.attention =
        pick({0, 1}) != 0 ? AttentionGeneration::kUnfused : AttentionGeneration::kFlash3;
    stack_.selective = static_cast<SelectiveMeaning>(pick({0, 1, 2}));
    stack_.memory.late_gradient = pick({0, 2});
    stack_.memory.head_gradient_at_loss = pick({0, 1}) != 0;
    stack_.memory.stage_outputs = pick({0, 1}) != 0;
    stack_.memory.dummy_gradients = pick({0, 1}) != 0;
    MemoryQuestion question = ask(pick({0, 1}) != 0 ? dense_ : sparse_, stack_);
    Layout& layout = question.layout;
    layout.tp = pick({1, 2, 4});
    layout.pp = pick({1, 2, 4, 8});
    layout.vp = layout.pp > 1 ? pick({1, 2}) : 1;
    layout.cp = pick({1, 2});
    layout.dp = pick({2, 4, 8});
    layout.ep = pick({1, 2, 4});
    layout.sharding = static_cast<Sharding>(pick({0, 1, 2, 3, 4}));
    layout.shard_group = layout.sharding == Sharding::kHybrid ? 2 : 0;
    layout.schedule = static_cast<Schedule>(pick({1, 2, 3, 4, 5, 6}));
    if (layout.schedule != Schedule::kInterleaved) layout.vp = 1;
    layout.sequence_parallel = pick({0, 1}) != 0;
    layout.micro_batch = pick({1, 2, 4});
    layout.recompute.kind = static_cast<RecomputeKind>(pick({1, 2, 3, 4}));
    layout.recompute.norms = pick({0, 1}) != 0;
    layout.recompute.mlp = pick({0, 1}) != 0;
    question.micro_batches = pick({1, 4, 32});
    question.sequence = pick({512, 2048});
    return question;
  }

  static constexpr int kCases = 1000;
  static constexpr double kUlps = 1.0 + 1e-12;
  catalog::ModelSpec dense_;
  catalog::ModelSpec sparse_;
  StackTraits stack_ = bare_stack();
  RandomStream stream_{1, "memory laws"};
};

Bytes peak(const MemoryQuestion& question) {
  return plan_memory(question).peak().allocated();
}

TEST_F(MemoryLawTest, GroupsSumToTheUseAndTensorsToTheActivations) {
  for (int i = 0; i < kCases; ++i) {
    const MemoryPlan plan = plan_memory(draw());
    for (const StageMemory& stage : plan.all()) {
      Bytes sum;
      for (const Bytes group : stage.groups) sum += group;
      EXPECT_NEAR(sum / stage.used(), 1.0, 1e-12);
      Bytes saved;
      for (const Bytes tensor : stage.saved) saved += tensor;
      EXPECT_EQ(saved, stage.of(MemoryGroup::kActivations));
      EXPECT_LE(stage.allocated(), plan.peak().allocated());
    }
  }
}

TEST_F(MemoryLawTest, MoreShardingNeverHoldsMoreState) {
  for (int i = 0; i < kCases; ++i) {
    MemoryQuestion question = draw();
    const Bytes before = state(plan_memory(question)) * kUlps;
    MemoryQuestion more = question;
    more.layout.tp *= 2;
    EXPECT_LE(state(plan_memory(more)), before);
    more = question;
    more.layout.pp *= 2;
    // A pipeline of two directions holds two stages, and any pipeline whole gradients.
    if (question.layout.schedule != Schedule::kDualPipe &&
        question.layout.sharding != Sharding::kGradients) {
      EXPECT_LE(state(plan_memory(more)), before);
    }
    more = question;
    more.layout.dp *= 2;
    EXPECT_LE(state(plan_memory(more)), before);
    if (question.layout.sharding < Sharding::kFull) {
      more = question;
      more.layout.sharding = static_cast<Sharding>(static_cast<int>(question.layout.sharding) + 1);
      EXPECT_LE(state(plan_memory(more)), before);
    }
  }
}

TEST_F(MemoryLawTest, MoreTokensNeverNeedLess) {
  for (int i = 0; i < kCases; ++i) {
    const MemoryQuestion question = draw();
    MemoryQuestion more = question;
    more.layout.micro_batch *= 2;
    EXPECT_GE(peak(more) * kUlps, peak(question));
    more = question;
    more.sequence *= 2;
    EXPECT_GE(peak(more) * kUlps, peak(question));
    more = question;
    more.micro_batches *= 2;
    EXPECT_GE(peak(more) * kUlps, peak(question));
  }
}

TEST_F(MemoryLawTest, MoreRecomputationNeverNeedsMore) {
  for (int i = 0; i < kCases; ++i) {
    MemoryQuestion question = draw();
    const auto with = [&](RecomputeKind kind, int layers = 0) {
      question.layout.recompute.kind = kind;
      question.layout.recompute.layers_per_stage = layers;
      return peak(question);
    };
    const Bytes none = with(RecomputeKind::kNone) * kUlps;
    const Bytes selective = with(RecomputeKind::kSelective);
    const Bytes full = with(RecomputeKind::kFull);
    EXPECT_LE(full, selective * kUlps);
    EXPECT_LE(selective, none);
    EXPECT_LE(with(RecomputeKind::kModules), none);
    EXPECT_LE(full, with(RecomputeKind::kFull, 1) * kUlps);
  }
}

TEST_F(MemoryLawTest, TwiceTheLayersHoldTwiceTheLayerPart) {
  for (int i = 0; i < kCases; ++i) {
    MemoryQuestion question = draw();
    question.model = &dense_;
    question.layout.schedule = Schedule::k1F1B;
    question.layout.vp = 1;
    question.layout.recompute = Recompute{};
    stack_.memory.late_gradient = 0;
    catalog::ModelSpec twice = dense_;
    twice.layers.assign(dense_.layers.size() * 2, 0);
    catalog::ModelSpec thrice = dense_;
    thrice.layers.assign(dense_.layers.size() * 3, 0);
    const auto grow = [&](const catalog::ModelSpec& model) {
      question.model = &model;
      const MemoryPlan plan = plan_memory(question);
      const StageMemory& stage = plan.stages[0];
      return stage.of(MemoryGroup::kWeights) + stage.of(MemoryGroup::kOptimizer) +
             stage.of(MemoryGroup::kGradients) + stage.of(MemoryGroup::kActivations);
    };
    const Bytes first = grow(twice) - grow(dense_);
    EXPECT_NEAR((grow(thrice) - grow(twice)) / first, 1.0, 1e-9);
  }
}

}  // namespace
}  // namespace loadfactor::training
