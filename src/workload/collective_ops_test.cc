// The collectives of a step: which, over whom, how much.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "workload/moe_builder.h"
#include "workload/op_graph.h"
#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

// The collectives of one layer, in order, forward and backward.
std::vector<Op> collectives(const catalog::ModelSpec& model, const Sharding& sharding,
                            const Batch& batch) {
  const OpGraph graph = build_op_graph(model, sharding, whole_model(model), batch, {});
  std::vector<Op> found;
  for (const Op& op : graph.blocks.back().ops) {
    if (is_collective(op.kind)) found.push_back(op);
  }
  return found;
}

double payload_of(const std::vector<Op>& ops, OpKind kind, Pass pass) {
  double sum = 0;
  for (const Op& op : ops) {
    if (op.kind == kind && op.collective.pass == pass) sum += op.collective.payload.base();
  }
  return sum;
}

constexpr double kStream = 1024.0 * 4096 * 2;  // Tokens × hidden × bytes.

TEST(CollectiveOpsTest, OneRankSendsNothing) {
  for (const auto& model :
       {test_models::llama_8b(), test_models::mixtral_8x7b(), test_models::deepseek_v3()}) {
    EXPECT_TRUE(collectives(model, {}, training_batch(1, 1024)).empty());
  }
}

TEST(CollectiveOpsTest, TensorParallelismReducesTwicePerLayerAndPass) {
  const auto ops = collectives(test_models::llama_8b(), {.tp = 8}, training_batch(1, 1024));
  ASSERT_EQ(ops.size(), 4U);
  for (const Op& op : ops) {
    EXPECT_EQ(op.kind, OpKind::kAllReduce);
    EXPECT_EQ(op.collective.ranks, 8);
    EXPECT_EQ(op.collective.payload.base(), kStream);
  }
  EXPECT_EQ(payload_of(ops, OpKind::kAllReduce, Pass::kForward), 2 * kStream);
}

TEST(CollectiveOpsTest, SequenceParallelismSplitsEachReductionInTwo) {
  const auto ops =
      collectives(test_models::llama_8b(), {.tp = 8, .sp = true}, training_batch(1, 1024));
  EXPECT_EQ(payload_of(ops, OpKind::kAllReduce, Pass::kForward), 0);
  EXPECT_EQ(payload_of(ops, OpKind::kAllGather, Pass::kForward), 2 * kStream);
  EXPECT_EQ(payload_of(ops, OpKind::kReduceScatter, Pass::kForward), 2 * kStream);
  // Backward also gathers the inputs again for the weight gradients.
  EXPECT_EQ(payload_of(ops, OpKind::kAllGather, Pass::kBackward), 4 * kStream);
  EXPECT_EQ(payload_of(ops, OpKind::kReduceScatter, Pass::kBackward), 2 * kStream);
}

TEST(CollectiveOpsTest, PartsSideBySideShareOneReduction) {
  catalog::ModelSpec model = test_models::llama_8b();
  model.kinds[0].norms = 1;
  EXPECT_EQ(collectives(model, {.tp = 2}, prefill_batch(1, 1024)).size(), 1U);
}

TEST(DispatchTest, FollowsWhereTheTokensAre) {
  EXPECT_EQ(dispatch_of({}), Dispatch::kSum);
  EXPECT_EQ(dispatch_of({.tp = 8}), Dispatch::kSum);
  EXPECT_EQ(dispatch_of({.tp = 8, .ep = 8, .etp = 1}), Dispatch::kSum);
  EXPECT_EQ(dispatch_of({.tp = 8, .sp = true}), Dispatch::kGather);
  EXPECT_EQ(dispatch_of({.tp = 8, .sp = true, .ep = 8, .etp = 1}), Dispatch::kAllToAll);
  EXPECT_EQ(dispatch_of({.ep = 8, .dp = 8}), Dispatch::kAllToAll);
}

TEST(DispatchTest, AllToAllCarriesEveryCopyOfATokenTwice) {
  const auto ops =
      collectives(test_models::mixtral_8x7b(), {.ep = 8, .dp = 8}, training_batch(1, 1024));
  // Two experts per token, there and back.
  EXPECT_EQ(payload_of(ops, OpKind::kAllToAll, Pass::kForward), 2 * 2 * kStream);
  EXPECT_EQ(payload_of(ops, OpKind::kAllToAll, Pass::kBackward), 2 * 2 * kStream);
  EXPECT_EQ(ops.front().collective.group, RankGroup::kExpert);
}

TEST(DispatchTest, SequenceParallelRanksSendTheirOwnTokens) {
  const auto ops = collectives(test_models::mixtral_8x7b(),
                               {.tp = 4, .sp = true, .ep = 4, .etp = 1}, training_batch(1, 1024));
  EXPECT_EQ(payload_of(ops, OpKind::kAllToAll, Pass::kForward), 2 * 2 * kStream / 4);
}

TEST(DispatchTest, RanksThatHeldTheSameTokensBringTheirSharesTogether) {
  const auto ops = collectives(test_models::mixtral_8x7b(), {.tp = 2, .ep = 8, .etp = 1, .dp = 4},
                               training_batch(1, 1024));
  EXPECT_EQ(payload_of(ops, OpKind::kAllToAll, Pass::kForward), 2 * 2 * kStream / 2);
  EXPECT_EQ(payload_of(ops, OpKind::kAllGather, Pass::kForward), kStream);
  EXPECT_EQ(payload_of(ops, OpKind::kAllGather, Pass::kBackward), kStream);
  EXPECT_EQ(payload_of(ops, OpKind::kAllReduce, Pass::kForward), kStream);  // Attention's.
}

TEST(DispatchTest, CutExpertsGatherTheirRows) {
  const auto ops =
      collectives(test_models::mixtral_8x7b(), {.tp = 2, .sp = true, .ep = 4, .etp = 2, .dp = 4},
                  training_batch(1, 1024));
  double gathered = 0;
  for (const Op& op : ops) {
    if (op.collective.group == RankGroup::kExpertTensor && op.collective.pass == Pass::kForward &&
        op.kind == OpKind::kAllGather) {
      gathered += op.collective.payload.base();
    }
  }
  EXPECT_EQ(gathered, 2 * kStream);  // Two ranks of 512 tokens, two copies of each.
}

TEST(PipelineTest, StagesSendTheStreamForwardAndItsGradientBack) {
  const catalog::ModelSpec model = test_models::llama_8b();
  const Sharding sharding{.tp = 2, .sp = true, .pp = 2};
  const auto stage = [&](int index) {
    return build_op_graph(model, sharding, pipeline_stage(model, sharding, index),
                          training_batch(1, 1024), {});
  };
  const OpGraph first = stage(0);
  EXPECT_EQ(first.epilogue.back().kind, OpKind::kSend);
  EXPECT_EQ(first.epilogue.back().collective.payload.base(), kStream / 2);  // Own tokens.
  const OpGraph last = stage(1);
  EXPECT_EQ(last.prologue.front().name, "stage.send_gradient");
  EXPECT_EQ(last.prologue.front().collective.pass, Pass::kBackward);
  EXPECT_EQ(last.epilogue.back().name, "loss.reduce");
}

TEST(EndsTest, TablesAreSharedByVocabulary) {
  const catalog::ModelSpec model = test_models::llama_8b();
  const OpGraph graph =
      build_op_graph(model, {.tp = 8}, whole_model(model), decode_batch(16, 100), {});
  EXPECT_EQ(graph.prologue.back().name, "embedding.reduce");
  std::map<std::string_view, const Op*> ends;
  for (const Op& op : graph.epilogue) ends[op.name] = &op;
  ASSERT_TRUE(ends.count("head") == 1 && ends.count("head.gather") == 1);
  EXPECT_EQ(ends["head"]->gemm, (GemmShape{.m = 16, .n = 128256 / 8, .k = 4096}));
  EXPECT_EQ(ends["head.gather"]->collective.payload.base(), 16.0 * 128256 * 2);
}

}  // namespace
}  // namespace loadfactor::workload
