#include "workload/op_graph.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "workload/parameters.h"
#include "workload/test_models.h"
#include "workload/weights.h"

namespace loadfactor::workload {
namespace {

using catalog::ActiveExcludes;
using catalog::ModelSpec;

OpGraph graph_of(const ModelSpec& model, const Batch& batch, const Sharding& sharding = {},
                 const BuildOptions& options = {}) {
  return build_op_graph(model, sharding, whole_model(model), batch, options);
}

std::vector<ModelSpec> many_models() {
  return {test_models::toy(),
          test_models::llama_8b(),
          test_models::mixtral_8x7b(),
          test_models::gpt2(),
          test_models::gemma2_9b(),
          test_models::gpt_oss_20b(),
          test_models::deepseek_v3(),
          test_models::deepseek_v32(),
          test_models::qwen3_30b_a3b(),
          test_models::qwen3_next_80b(),
          test_models::nemotron3_nano_30b(),
          test_models::opt_350m()};
}

double forward_flops(const OpGraph& graph) {
  return totals(graph).forward.arithmetic.base();
}

// Sum of one kind of work over the ops of some kinds.
double flops_where(const OpGraph& graph, bool (*wanted)(OpKind), Work Op::*pass) {
  double sum = 0;
  for_each_op(graph, [&](const Op& op, int times) {
    if (wanted(op.kind)) sum += (op.*pass).arithmetic.base() * times;
  });
  return sum;
}
bool is_product(OpKind kind) {
  return kind == OpKind::kGemm || kind == OpKind::kGroupedGemm;
}
bool is_mixing(OpKind kind) {
  return kind == OpKind::kAttention || kind == OpKind::kScan;
}

TEST(OpGraphTest, ForwardIsTwicePerActiveParameterAndTokenPlusAttention) {
  for (const ModelSpec& model : many_models()) {
    const OpGraph graph = graph_of(model, training_batch(2, 512));
    // Left out of the products are vectors: norms, biases, convolutions.
    const std::int64_t looked_up = model.embedding.positions * model.hidden;
    const std::int64_t active = active_parameters(model, ActiveExcludes::kInput) - looked_up;
    const double rule = 2.0 * static_cast<double>(active) * 1024;
    const double products = flops_where(graph, is_product, &Op::forward);
    EXPECT_NEAR(products / rule, 1.0, 0.005) << model.name;
    EXPECT_EQ(products + flops_where(graph, is_mixing, &Op::forward), forward_flops(graph));
  }
}

TEST(OpGraphTest, BackwardOfEveryProductIsTwiceItsForward) {
  for (const ModelSpec& model : many_models()) {
    const OpGraph graph = graph_of(model, training_batch(1, 256));
    const double forward = flops_where(graph, is_product, &Op::forward);
    EXPECT_EQ(flops_where(graph, is_product, &Op::backward_input), forward) << model.name;
    EXPECT_EQ(flops_where(graph, is_product, &Op::backward_weight), forward) << model.name;
  }
}

TEST(OpGraphTest, ModelFlopsCountTheSameProductsByAnotherRoute) {
  for (const ModelSpec& model : many_models()) {
    const double graph = forward_flops(graph_of(model, training_batch(3, 1000)));
    const double counted = forward_model_flops(model, 3, 1000, AttentionCount::kCausal).base();
    EXPECT_NEAR(graph / counted, 1.0, 1e-12) << model.name;
  }
}

TEST(OpGraphTest, FullAttentionCountsTwiceTheCausalPairs) {
  const ModelSpec llama = test_models::llama_8b();
  const auto flops = [&](AttentionCount count) {
    return forward_model_flops(llama, 1, 4096, count).base();
  };
  const double none = flops(AttentionCount::kNone);
  EXPECT_EQ(none, 2.0 * 4096 * (7'504'924'672 - 65 * 4096));  // All but input table and norms.
  // 4 · s² · q per layer.
  EXPECT_EQ(flops(AttentionCount::kFull) - none, 32 * 4.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR((flops(AttentionCount::kCausal) - none) / (flops(AttentionCount::kFull) - none), 0.5,
              1e-3);
}

TEST(OpGraphTest, DoublingTheLayersDoublesTheMiddle) {
  ModelSpec model = test_models::mixtral_8x7b();
  const Batch batch = training_batch(1, 128);
  const OpGraph once = graph_of(model, batch);
  model.layers.assign(64, 0);
  const OpGraph twice = graph_of(model, batch);
  EXPECT_EQ(twice.blocks[0].count, 2 * once.blocks[0].count);
  EXPECT_EQ(twice.blocks[0].ops, once.blocks[0].ops);
  EXPECT_EQ(twice.prologue, once.prologue);
  EXPECT_EQ(twice.epilogue, once.epilogue);
}

TEST(OpGraphTest, DecodeReadsEveryWeightButTheInputTableOnce) {
  for (const ModelSpec& model : many_models()) {
    for (const WeightRecipe& recipe : kWeightRecipes) {
      BuildOptions options;
      options.recipe = &recipe;
      // So many tokens that every expert has one.
      const double read =
          totals(graph_of(model, decode_batch(100'000, 10), {}, options)).forward.weights.base();
      const WeightBytes stored = weight_bytes(model, recipe);
      const Bytes table = model.embedding.tied ? Bytes() : stored.embedding;
      // A tied table is the head: read once as such; learned positions are looked up.
      const double positions = static_cast<double>(model.embedding.positions) * model.hidden *
                               catalog::bytes_per_element(recipe.plain);
      EXPECT_NEAR((stored.total() - table).base() - positions, read, read * 1e-9)
          << model.name << " " << recipe.name;
    }
  }
}

TEST(OpGraphTest, FewTokensTouchFewExperts) {
  const ModelSpec model = test_models::qwen3_30b_a3b();  // 8 of 128.
  const auto touched = [&](std::int64_t sequences) {
    double found = 0;
    for_each_op(graph_of(model, decode_batch(sequences, 10)), [&](const Op& op, int) {
      if (op.name == "experts.up") found = op.groups_touched;
    });
    return found;
  };
  EXPECT_DOUBLE_EQ(touched(1), 8.0);
  EXPECT_DOUBLE_EQ(touched(2), 128 * (1 - 0.9375 * 0.9375));  // 15.5: some are chosen twice.
  EXPECT_NEAR(touched(1000), 128.0, 1e-9);
}

TEST(OpGraphTest, TensorParallelRanksShareTheProducts) {
  for (const ModelSpec& model : {test_models::llama_70b(), test_models::mixtral_8x7b()}) {
    const Batch batch = training_batch(1, 512);
    const double whole = forward_flops(graph_of(model, batch));
    const double router = 32 * 2.0 * 512 * 4096 * 8;  // The same on every rank.
    const double copies = model.name == "mixtral-8x7b" ? 7 * router : 0;
    for (const bool sp : {false, true}) {
      const double local = forward_flops(graph_of(model, batch, {.tp = 8, .sp = sp}));
      EXPECT_NEAR(8 * local, whole + copies, whole * 1e-12) << model.name;
    }
  }
}

TEST(OpGraphTest, ExpertParallelismOnlyMovesWork) {
  const ModelSpec model = test_models::qwen3_30b_a3b();
  const Batch batch = training_batch(1, 4096);
  const double whole = forward_flops(graph_of(model, batch));
  // Eight data-parallel ranks with 4096 tokens each: every rank does as much as one alone.
  EXPECT_NEAR(forward_flops(graph_of(model, batch, {.ep = 8, .dp = 8})) / whole, 1.0, 1e-12);
  // Inside tensor parallelism the ranks share one set of tokens.
  const double router = 48 * 2.0 * 4096 * 2048 * 128;
  const Sharding inside{.tp = 4, .ep = 4, .etp = 1};
  EXPECT_NEAR(4 * forward_flops(graph_of(model, batch, inside)), whole + 3 * router, whole * 1e-12);
}

TEST(OpGraphTest, ContextParallelRanksShareTheTokens) {
  const ModelSpec model = test_models::llama_8b();
  const Batch batch = training_batch(1, 8192);
  EXPECT_NEAR(4 * forward_flops(graph_of(model, batch, {.cp = 4})),
              forward_flops(graph_of(model, batch)), 1e3);
}

TEST(OpGraphTest, StagesTogetherDoTheWholeStep) {
  for (const ModelSpec& model : many_models()) {
    const Batch batch = training_batch(1, 128);
    const Sharding sharding{.pp = 2, .uneven = true};
    double sum = 0;
    for (int stage = 0; stage < 2; ++stage) {
      sum += forward_flops(
          build_op_graph(model, sharding, pipeline_stage(model, sharding, stage), batch, {}));
    }
    EXPECT_NEAR(sum / forward_flops(graph_of(model, batch)), 1.0, 1e-12) << model.name;
  }
}

TEST(OpGraphTest, ServingSavesNothingAndGoesOnlyForward) {
  for (const ModelSpec& model : many_models()) {
    const GraphTotals sum =
        totals(graph_of(model, mixed_batch(prefill_batch(2, 300, 100), decode_batch(16, 1000))));
    EXPECT_EQ(sum.saved.base(), 0.0);
    EXPECT_EQ(sum.backward.arithmetic.base(), 0.0);
    EXPECT_GT(sum.forward.arithmetic.base(), 0.0);
  }
}

TEST(OpGraphTest, Fp8LinearsMultiplyInFp8AndTheHeadDoesNot) {
  BuildOptions options;
  options.recipe = find_weight_recipe("fp8");
  for_each_op(graph_of(test_models::llama_8b(), decode_batch(1, 10), {}, options), [](const Op& op,
                                                                                      int) {
    if (op.kind != OpKind::kGemm) return;
    EXPECT_EQ(op.math, op.name == "head" ? catalog::Dtype::kBf16 : catalog::Dtype::kFp8) << op.name;
  });
}

TEST(OpGraphTest, AttentionDecodesAtTheBytesOfItsCache) {
  const ModelSpec model = test_models::llama_8b();
  double read = 0;
  for_each_op(graph_of(model, decode_batch(64, 1999)), [&](const Op& op, int times) {
    if (op.kind == OpKind::kAttention) read += op.forward.read.base() * times;
  });
  const double query = 64.0 * 4096 * 2 * 32;
  EXPECT_EQ(read, query + 64 * 2000 * 131072.0);  // 128 KiB per token.
}

}  // namespace
}  // namespace loadfactor::workload
