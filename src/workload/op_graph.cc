#include "workload/op_graph.h"

#include <algorithm>
#include <utility>

#include "workload/core_attention.h"
#include "workload/op_writer.h"
#include "workload/transformer_builder.h"
#include "workload/weight_tensor.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::ModelSpec;

void accumulate(Work& sum, const Work& work, int times) {
  const auto n = static_cast<double>(times);
  sum.arithmetic += work.arithmetic * n;
  sum.read += work.read * n;
  sum.written += work.written * n;
  sum.weights += work.weights * n;
}

// Parameters that one token is multiplied with in a layer.
double multiplied(const ModelSpec& model, const catalog::LayerSpec& layer) {
  double sum = 0;
  for (const WeightTensor& tensor : layer_tensors(model, layer)) {
    if (!tensor.linear) continue;
    const auto elements = static_cast<double>(tensor.elements());
    const bool routed = tensor.component == Component::kExperts;
    sum += routed ? elements / layer.moe.experts * layer.moe.top_k : elements;
  }
  return sum;
}

double full_pairs(const catalog::AttentionSpec& attention, std::int64_t tokens) {
  const std::int64_t keys = attention.window > 0 ? std::min(attention.window, tokens) : tokens;
  return static_cast<double>(tokens) * static_cast<double>(keys);
}

// FLOPs of one sequence in the part of a layer that has no weights.
double mixing_flops(const catalog::AttentionSpec& a, std::int64_t tokens, AttentionCount count) {
  if (count == AttentionCount::kNone) return 0;
  const SequenceGroup group{.sequences = 1, .new_tokens = tokens};
  const double pairs =
      count == AttentionCount::kFull ? full_pairs(a, tokens) : attention_pairs(a, group);
  const auto all = static_cast<double>(causal_pairs(tokens, 0, 0));
  const double stride = a.compress > 0 ? a.compress : 1;
  const double index = a.sparse_top_k > 0 ? 2.0 * all / stride * a.index_heads * a.index_dim : 0;
  const double state = 2.0 * static_cast<double>(tokens) * a.value_heads * a.value_dim * a.key_dim;
  switch (a.kind) {
    case AttentionKind::kStandard:
      return 4.0 * pairs * a.heads * a.head_dim + index;
    case AttentionKind::kLatent:
      return 2.0 * pairs * a.heads * (a.nope_dim + a.rope_dim + a.value_dim) + index;
    case AttentionKind::kLinear:
      return 3.0 * state;
    case AttentionKind::kMamba2:
      return 2.0 * state;
    case AttentionKind::kNone:
      break;
  }
  return 0;
}

std::vector<Op> layer_ops(const StepContext& step, const catalog::LayerSpec& layer) {
  OpWriter out(step);
  write_layer(out, layer);
  return std::move(out).take();
}

std::size_t block_of(OpGraph& graph, const StepContext& step, int kind) {
  for (std::size_t i = 0; i < graph.blocks.size(); ++i) {
    if (graph.blocks[i].kind == kind) return i;
  }
  const auto& layer = step.model.kinds[static_cast<std::size_t>(kind)];
  graph.blocks.push_back({.kind = kind, .count = 0, .ops = layer_ops(step, layer)});
  return graph.blocks.size() - 1;
}

}  // namespace

OpGraph build_op_graph(const ModelSpec& model, const Sharding& sharding, const Stage& stage,
                       const Batch& batch, const BuildOptions& options) {
  const StepContext step{model, sharding, batch, options};
  OpGraph graph;
  OpWriter prologue(step);
  if (stage.first) {
    write_embedding(prologue);
  } else {
    write_send(prologue, Pass::kBackward);
  }
  graph.prologue = std::move(prologue).take();
  for (const int layer : stage.layers) {
    const int kind = model.layers[static_cast<std::size_t>(layer)];
    const std::size_t block = block_of(graph, step, kind);
    ++graph.blocks[block].count;
    graph.order.push_back(static_cast<std::uint8_t>(block));
  }
  OpWriter epilogue(step);
  if (stage.last) {
    write_head(epilogue);
  } else {
    write_send(epilogue, Pass::kForward);
  }
  graph.epilogue = std::move(epilogue).take();
  return graph;
}

void for_each_op(const OpGraph& graph, const std::function<void(const Op&, int)>& visit) {
  for (const Op& op : graph.prologue) visit(op, 1);
  for (const Block& block : graph.blocks) {
    for (const Op& op : block.ops) visit(op, block.count);
  }
  for (const Op& op : graph.epilogue) visit(op, 1);
}

GraphTotals totals(const OpGraph& graph) {
  GraphTotals sum;
  for_each_op(graph, [&](const Op& op, int times) {
    accumulate(sum.forward, op.forward, times);
    accumulate(sum.backward, op.backward_input, times);
    accumulate(sum.backward, op.backward_weight, times);
    for (const SavedTensor& saved : op.saved) sum.saved += saved.bytes * times;
    const bool forward = op.collective.pass == Pass::kForward;
    if (is_collective(op.kind)) {
      sum.collectives += forward ? times : 0;
    } else {
      sum.kernels += times;
    }
  });
  return sum;
}

Flops forward_model_flops(const ModelSpec& model, std::int64_t sequences, std::int64_t tokens,
                          AttentionCount count) {
  const catalog::EmbeddingSpec& e = model.embedding;
  const double width = e.project > 0 ? e.project : model.hidden;
  double products = static_cast<double>(e.vocab) * width;  // The head.
  for (const WeightTensor& tensor : embedding_tensors(model)) {
    if (tensor.linear) products += static_cast<double>(tensor.elements());
  }
  if (e.project > 0) products += width * model.hidden;
  double mixing = 0;
  for (const std::uint8_t kind : model.layers) {
    products += multiplied(model, model.kinds[kind]);
    mixing += mixing_flops(model.kinds[kind].attention, tokens, count);
  }
  return Flops::from_base(static_cast<double>(sequences) *
                          (2.0 * static_cast<double>(tokens) * products + mixing));
}

}  // namespace loadfactor::workload
