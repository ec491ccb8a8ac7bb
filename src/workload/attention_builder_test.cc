#include "workload/attention_builder.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "workload/core_attention.h"
#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

std::vector<Op> ops_of(const catalog::ModelSpec& model, int kind, const Batch& batch,
                       const Sharding& sharding = {}) {
  const BuildOptions options;
  const StepContext step{model, sharding, batch, options};
  OpWriter out(step);
  write_attention(out, model.kinds[static_cast<std::size_t>(kind)].attention);
  return std::move(out).take();
}

const Op* find(const std::vector<Op>& ops, std::string_view name) {
  for (const Op& op : ops) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

TEST(AttentionBuilderTest, OneProductServesQueryKeyAndValue) {
  const auto ops = ops_of(test_models::llama_8b(), 0, training_batch(1, 2048), {.tp = 2});
  const Op* qkv = find(ops, "attention.qkv");
  ASSERT_NE(qkv, nullptr);
  EXPECT_EQ(qkv->gemm, (GemmShape{.m = 2048, .n = (4096 + 2 * 1024) / 2, .k = 4096}));
  const Op* out = find(ops, "attention.out");
  EXPECT_EQ(out->gemm, (GemmShape{.m = 2048, .n = 4096, .k = 2048}));
}

TEST(AttentionBuilderTest, CausalAttentionDoesHalfTheSquare) {
  const auto ops = ops_of(test_models::llama_8b(), 0, training_batch(2, 4096));
  const Op* core = find(ops, "attention.core");
  const double pairs = 2 * 4096.0 * 4097 / 2;
  EXPECT_EQ(core->attention.pairs, pairs);
  EXPECT_EQ(core->forward.arithmetic.base(), 4 * pairs * 4096);
  EXPECT_EQ(core->backward_input.arithmetic.base(), 10 * pairs * 4096);  // 2.5 times.
}

TEST(AttentionBuilderTest, AWindowBoundsPairsAndCacheReads) {
  const auto model = test_models::gemma2_9b();  // Kind 0 has a window of 4096.
  const auto sliding = ops_of(model, 0, decode_batch(3, 9999));
  const auto full = ops_of(model, 1, decode_batch(3, 9999));
  EXPECT_EQ(find(sliding, "attention.core")->attention.keys, 4096);
  EXPECT_EQ(find(sliding, "attention.core")->attention.pairs, 3 * 4096.0);
  EXPECT_EQ(find(full, "attention.core")->attention.keys, 10000);
}

TEST(AttentionBuilderTest, EachGroupOfSequencesHasItsOwnKernel) {
  const auto ops = ops_of(test_models::llama_8b(), 0,
                          mixed_batch(prefill_batch(1, 512, 1024), decode_batch(64, 2000)));
  std::vector<AttentionShape> shapes;
  for (const Op& op : ops) {
    if (op.kind == OpKind::kAttention) shapes.push_back(op.attention);
  }
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].keys, 1536);
  EXPECT_EQ(shapes[0].pairs, 512.0 * 1024 + 512 * 513 / 2);
  EXPECT_EQ(shapes[1].sequences, 64);
  EXPECT_EQ(find(ops, "attention.qkv")->gemm.m, 576);
}

TEST(LatentAttentionTest, PromptsExpandTheLatent) {
  const auto ops = ops_of(test_models::deepseek_v3(), 1, prefill_batch(1, 1000));
  EXPECT_EQ(find(ops, "attention.kv_b")->gemm,
            (GemmShape{.m = 1000, .n = 128 * (128 + 128), .k = 512}));
  const Op* core = find(ops, "attention.core");
  EXPECT_EQ(core->attention.qk_dim, 192);
  EXPECT_EQ(core->attention.value_dim, 128);
  EXPECT_EQ(core->forward.arithmetic.base(), 2 * 500'500.0 * 128 * (192 + 128));
  EXPECT_EQ(find(ops, "attention.k_absorbed"), nullptr);
}

TEST(LatentAttentionTest, ALaterChunkExpandsTheCacheAgain) {
  const auto ops = ops_of(test_models::deepseek_v3(), 1, prefill_batch(1, 1000, 3000));
  EXPECT_EQ(find(ops, "attention.kv_b")->gemm.m, 4000);
}

TEST(LatentAttentionTest, DecodesAbsorbTheExpansionAndReadTheLatentOnce) {
  const auto ops = ops_of(test_models::deepseek_v3(), 1, decode_batch(32, 4095), {.tp = 8});
  EXPECT_EQ(find(ops, "attention.kv_b"), nullptr);
  EXPECT_EQ(find(ops, "attention.k_absorbed")->gemm,
            (GemmShape{.m = 32, .n = 512, .k = 128, .batch = 16}));
  EXPECT_EQ(find(ops, "attention.v_absorbed")->gemm,
            (GemmShape{.m = 32, .n = 128, .k = 512, .batch = 16}));
  const Op* core = find(ops, "attention.core");
  EXPECT_EQ(core->attention.kv_heads, 1);
  EXPECT_EQ(core->forward.arithmetic.base(), 2.0 * 32 * 4096 * 16 * (576 + 512));
  const double query = 32.0 * 16 * 576 * 2;
  EXPECT_EQ(core->forward.read.base(), query + 32.0 * 4096 * 576 * 2);
}

TEST(LatentAttentionTest, BothFormsMultiplyWithTheSameWeights) {
  // Absorbing costs 2·heads·kv_rank·(nope + value) per token, as expanding one token does.
  const auto model = test_models::deepseek_v3();
  const auto expanded = ops_of(model, 1, prefill_batch(7, 1));
  const auto absorbed = ops_of(model, 1, decode_batch(7, 0));
  EXPECT_EQ(find(absorbed, "attention.k_absorbed")->forward.arithmetic.base() +
                find(absorbed, "attention.v_absorbed")->forward.arithmetic.base(),
            find(expanded, "attention.kv_b")->forward.arithmetic.base());
}

TEST(LatentAttentionTest, SequenceParallelRanksGatherOnlyTheLatent) {
  const auto ops =
      ops_of(test_models::deepseek_v3(), 1, training_batch(1, 4096), {.tp = 4, .sp = true});
  EXPECT_EQ(find(ops, "attention.down")->gemm.m, 1024);
  const Op* gather = find(ops, "attention.gather");
  ASSERT_NE(gather, nullptr);
  EXPECT_EQ(gather->collective.payload.base(), 4096.0 * (1536 + 512 + 64) * 2);
}

TEST(IndexerTest, SparseAttentionReadsTheChosenKeysAndScoresAll) {
  const auto model = test_models::deepseek_v32();
  const auto ops = ops_of(model, 1, decode_batch(1, 99'999));
  EXPECT_EQ(find(ops, "attention.core")->attention.keys, 2048);
  const Op* index = find(ops, "attention.index");
  EXPECT_EQ(index->forward.arithmetic.base(), 2.0 * 100'000 * 64 * 128);
  // Short contexts are attended to whole.
  EXPECT_EQ(find(ops_of(model, 1, decode_batch(1, 99)), "attention.core")->attention.pairs, 100);
}

TEST(AttentionPairsTest, CompressedPastsAddTheirEntries) {
  catalog::AttentionSpec attention = test_models::heads(8, 1, 64);
  attention.window = 128;
  attention.compress = 4;
  const SequenceGroup decode{.sequences = 1, .new_tokens = 1, .past = 3999, .decode = true};
  EXPECT_EQ(attention_pairs(attention, decode), 128 + 1000);
  attention.sparse_top_k = 512;
  EXPECT_EQ(attention_pairs(attention, decode), 128 + 512);
}

TEST(ContextParallelTest, RanksGatherKeysAndValuesAndReturnTheirGradients) {
  const auto ops = ops_of(test_models::llama_8b(), 0, training_batch(1, 8192), {.cp = 4});
  const Op* gather = find(ops, "attention.gather_context");
  ASSERT_NE(gather, nullptr);
  EXPECT_EQ(gather->collective.payload.base(), 8192.0 * 2 * 1024 * 2);
  EXPECT_EQ(gather->collective.ranks, 4);
  EXPECT_EQ(find(ops, "attention.scatter_context")->collective.pass, Pass::kBackward);
  EXPECT_EQ(find(ops, "attention.core")->attention.queries, 2048);
  EXPECT_EQ(find(ops, "attention.core")->attention.keys, 8192);
}

TEST(ContextParallelTest, DecodesSplitTheCacheAndMergeTheOutputs) {
  const auto ops = ops_of(test_models::llama_8b(), 0, decode_batch(16, 7999), {.cp = 4});
  EXPECT_EQ(find(ops, "attention.core")->attention.keys, 2000);
  EXPECT_EQ(find(ops, "attention.merge_context")->collective.payload.base(), 16.0 * 4096 * 2);
  EXPECT_EQ(find(ops, "attention.qkv")->gemm.m, 16);
}

TEST(RecurrentMixerTest, TheScanDoesNotGrowWithTheContext) {
  const auto model = test_models::qwen3_next_80b();
  const auto early = ops_of(model, 0, decode_batch(4, 10));
  const auto late = ops_of(model, 0, decode_batch(4, 100'000));
  EXPECT_EQ(early, late);
  const Op* scan = find(early, "attention.scan");
  EXPECT_EQ(scan->forward.arithmetic.base(), 4 * 6.0 * 32 * 128 * 128);
  // The state comes in and goes out for every sequence.
  EXPECT_GT(scan->forward.written.base(), 4 * 32.0 * 128 * 128 * 4);
  const auto mamba = ops_of(test_models::nemotron3_nano_30b(), 0, decode_batch(1, 0));
  EXPECT_EQ(find(mamba, "attention.scan")->forward.arithmetic.base(), 4.0 * 64 * 64 * 128);
  EXPECT_EQ(find(mamba, "attention.in")->gemm.n, 2 * 4096 + 2 * 1024 + 64);
}

}  // namespace
}  // namespace loadfactor::workload
