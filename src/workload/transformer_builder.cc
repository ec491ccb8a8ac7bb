#include "workload/transformer_builder.h"

#include <string_view>
#include <vector>

#include "workload/attention_builder.h"
#include "workload/feed_forward_builder.h"
#include "workload/moe_builder.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::LayerSpec;

struct NormNames {
  std::string_view op, input, output;
};

double residual_elements(const StepContext& step) {
  return static_cast<double>(step.residual_tokens()) * step.model.hidden;
}

// The weights of one of the layer's norms; they are all alike.
std::vector<WeightTensor> norm_weight(const StepContext& step, const LayerSpec& layer) {
  std::vector<WeightTensor> norms =
      LocalTensors(layer_tensors(step.model, layer), step.sharding).pick({"layer.norm"});
  if (norms.size() > 1) norms.resize(1);
  return norms;
}

void write_stream_norm(OpWriter& out, const NormNames& names, SavedPart input,
                       const std::vector<WeightTensor>& weights) {
  const StepContext& step = out.context();
  out.norm(names.op, step.residual_tokens() * step.model.hidden, weights);
  out.save(names.input, input, residual_elements(step));
  out.save(names.output, SavedPart::kNormOutput, residual_elements(step));
}

// A norm on the output of a part (sandwich norms).
void write_output_norm(OpWriter& out, const NormNames& names,
                       const std::vector<WeightTensor>& weights) {
  const StepContext& step = out.context();
  out.norm(names.op, step.residual_tokens() * step.model.hidden, weights, true);
  out.save(names.input, SavedPart::kProjection, residual_elements(step));
}

void save_dropout(OpWriter& out, std::string_view name) {
  if (!out.context().options.dropout) return;
  out.save_bytes(name, SavedPart::kResidual, residual_elements(out.context()));
}

void write_mixer_part(OpWriter& out, const LayerSpec& layer, bool sums) {
  const auto weights = norm_weight(out.context(), layer);
  write_stream_norm(out, {"attention.norm", "attention.norm_input", "attention.norm_output"},
                    SavedPart::kLayerInput, weights);
  if (!gathers_compressed(layer.attention)) write_gather(out, kAttentionPart);
  write_attention(out, layer.attention);
  if (sums) write_reduce(out, kAttentionPart);
  save_dropout(out, "attention.dropout_mask");
  if (layer.norms >= 3) {
    write_output_norm(out, {"attention.output_norm", "attention.output_norm_input", ""}, weights);
  }
}

void write_feed_forward_part(OpWriter& out, const LayerSpec& layer, bool has_norm,
                             SavedPart input) {
  const auto weights = norm_weight(out.context(), layer);
  if (has_norm) {
    write_stream_norm(out, {"mlp.norm", "mlp.norm_input", "mlp.norm_output"}, input, weights);
  }
  if (layer.mlp.width > 0) {
    if (has_norm) write_gather(out, kMlpPart);
    write_mlp(out, layer.mlp);
    write_reduce(out, kMlpPart);
  }
  if (layer.moe.experts > 0) write_moe(out, layer.moe);
  save_dropout(out, "mlp.dropout_mask");
  for (int i = 3; i < layer.norms; ++i) {
    write_output_norm(out, {"mlp.output_norm", "mlp.output_norm_input", ""}, weights);
  }
}

// Embeddings of their own for every layer, gated by the stream.
void write_per_layer_embedding(OpWriter& out, const LayerSpec& layer) {
  const StepContext& step = out.context();
  const std::int64_t width = step.model.embedding.per_layer;
  if (width == 0) return;
  const LocalTensors tensors(layer_tensors(step.model, layer), step.sharding);
  const std::int64_t tokens = step.tokens();
  out.gemm("per_layer.gate", tokens, tensors.pick({"per_layer.gate"}));
  write_activation(out, {"per_layer.activation", "per_layer.gate_output", "per_layer.product"},
                   catalog::MlpKind::kGated, static_cast<double>(tokens * width));
  out.gemm("per_layer.projection", tokens, tensors.pick({"per_layer.projection"}));
  write_output_norm(out, {"per_layer.norm", "per_layer.norm_input", ""},
                    tensors.pick({"per_layer.norm"}));
}

void write_loss(OpWriter& out, std::int64_t rows, std::int64_t width) {
  const StepContext& step = out.context();
  const double logits = static_cast<double>(rows) * static_cast<double>(width);
  const Bytes read = Bytes::from_base(logits * step.activation_bytes());
  const Bytes kept = Bytes::from_base(logits * step.options.logit_bytes);
  Op op{.name = "loss", .kind = OpKind::kSoftmaxLoss, .math = catalog::Dtype::kFp32};
  op.forward = {Flops(), read, kept, Bytes()};
  op.backward_input = {Flops(), kept, read, Bytes()};
  out.add(op);
  out.save_bytes("loss.logits", SavedPart::kLoss, logits * step.options.logit_bytes);
  // Ranks with a part of the vocabulary agree on maximum, sum and target, in fp32 each.
  const double agreed = 3.0 * 4.0 * static_cast<double>(rows) / step.activation_bytes();
  out.collective("loss.reduce", {OpKind::kAllReduce, RankGroup::kTensor, agreed, Pass::kForward});
}

void write_logits(OpWriter& out, std::int64_t rows) {
  const StepContext& step = out.context();
  const LocalTensors tensors(head_tensors(step.model, true), step.sharding);
  out.gemm("head.project", rows, tensors.pick({"head.project_out"}));
  // The head is stored as a table; as a product it is a linear.
  std::vector<WeightTensor> weights = tensors.pick({"head", "head.bias"});
  weights.front().linear = true;
  out.gemm("head", rows, weights);
  const std::int64_t width = weights.front().rows;
  if (step.batch.training) {
    write_loss(out, rows, width);
  } else {
    const double all = static_cast<double>(rows * step.model.embedding.vocab);
    out.collective("head.gather", {OpKind::kAllGather, RankGroup::kTensor, all, Pass::kForward});
  }
}

}  // namespace

void write_layer(OpWriter& out, const LayerSpec& layer) {
  const bool mixes = layer.attention.kind != AttentionKind::kNone;
  const bool feeds = layer.mlp.width > 0 || layer.moe.experts > 0;
  // With one norm for both, the parts run side by side on its output and share the sum.
  const bool parallel = mixes && feeds && layer.norms == 1;
  if (mixes) write_mixer_part(out, layer, !parallel);
  if (feeds) {
    write_feed_forward_part(out, layer, !parallel,
                            mixes ? SavedPart::kResidual : SavedPart::kLayerInput);
  }
  write_per_layer_embedding(out, layer);
}

void write_embedding(OpWriter& out) {
  const StepContext& step = out.context();
  const LocalTensors tensors(embedding_tensors(step.model), step.sharding);
  const std::int64_t tokens = step.tokens();
  const std::int64_t elements = tokens * step.model.hidden;
  out.pointwise("embedding", {.read = elements, .written = elements});
  Op lookup = out.pop();
  lookup.kind = OpKind::kEmbedding;
  if (step.batch.training) {
    lookup.backward_weight = {
        Flops(), lookup.forward.written,
        Bytes::from_base(static_cast<double>(elements) * step.options.gradient_bytes), Bytes()};
  }
  out.add(lookup);
  out.gemm("embedding.project", tokens, tensors.pick({"embedding.project_in"}));
  out.gemm("per_layer.model_projection", tokens,
           tensors.pick({"per_layer.model_projection", "per_layer.model_norm"}));
  const CollectiveCall sum{step.sharding.sp ? OpKind::kReduceScatter : OpKind::kAllReduce,
                           RankGroup::kTensor, static_cast<double>(elements), Pass::kForward};
  out.collective("embedding.reduce", sum);
  if (step.sharding.sp) {
    out.collective("embedding.gather_gradient", {OpKind::kAllGather, RankGroup::kTensor,
                                                 static_cast<double>(elements), Pass::kBackward});
  }
  save_dropout(out, "embedding.dropout_mask");
  if (!step.model.embedding.norm) return;
  write_output_norm(out, {"embedding.norm", "embedding.norm_input", ""},
                    tensors.pick({"embedding.norm"}));
}

void write_head(OpWriter& out) {
  const StepContext& step = out.context();
  const LocalTensors tensors(head_tensors(step.model, true), step.sharding);
  const std::int64_t rows = share_of(step.batch.logit_rows, step.sharding.cp);
  if (step.model.final_norm) {
    write_stream_norm(out, {"final_norm", "final_norm.input", "head.input"}, SavedPart::kResidual,
                      tensors.pick({"final_norm"}));
  }
  if (step.sharding.sp) {
    const double elements = static_cast<double>(rows) * step.model.hidden;
    out.collective("head.gather_input",
                   {OpKind::kAllGather, RankGroup::kTensor, elements, Pass::kForward});
    out.collective("head.scatter_gradient",
                   {OpKind::kReduceScatter, RankGroup::kTensor, elements, Pass::kBackward});
  }
  write_logits(out, rows);
}

void write_send(OpWriter& out, Pass pass) {
  const std::string_view name = pass == Pass::kForward ? "stage.send" : "stage.send_gradient";
  out.collective(name,
                 {OpKind::kSend, RankGroup::kPipeline, residual_elements(out.context()), pass});
}

}  // namespace loadfactor::workload
