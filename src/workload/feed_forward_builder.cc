#include "workload/feed_forward_builder.h"

#include <cmath>

namespace loadfactor::workload {
namespace {

double stream_elements(const StepContext& step) {
  return static_cast<double>(step.tokens()) * step.model.hidden;
}

}  // namespace

void write_gather(OpWriter& out, const PartNames& names) {
  const StepContext& step = out.context();
  if (!step.sharding.sp) return;
  const double elements = stream_elements(step);
  out.collective(names.gather, {OpKind::kAllGather, RankGroup::kTensor, elements, Pass::kForward});
  // The weight gradient needs the gathered input once more, and its own gradient is scattered.
  out.collective(names.regather,
                 {OpKind::kAllGather, RankGroup::kTensor, elements, Pass::kBackward});
  out.collective(names.scatter_gradient,
                 {OpKind::kReduceScatter, RankGroup::kTensor, elements, Pass::kBackward});
}

void write_reduce(OpWriter& out, const PartNames& names) {
  const StepContext& step = out.context();
  const double elements = stream_elements(step);
  if (step.sharding.sp) {
    out.collective(names.scatter,
                   {OpKind::kReduceScatter, RankGroup::kTensor, elements, Pass::kForward});
    out.collective(names.gather_gradient,
                   {OpKind::kAllGather, RankGroup::kTensor, elements, Pass::kBackward});
    return;
  }
  out.collective(names.reduce, {OpKind::kAllReduce, RankGroup::kTensor, elements, Pass::kForward});
  out.collective(names.reduce_gradient,
                 {OpKind::kAllReduce, RankGroup::kTensor, elements, Pass::kBackward});
}

void write_activation(OpWriter& out, const ActivationNames& names, catalog::MlpKind kind,
                      double elements) {
  const auto n = static_cast<std::int64_t>(std::ceil(elements));
  const std::int64_t inputs = kind == catalog::MlpKind::kGated ? 2 : 1;
  out.pointwise(names.op, {.read = inputs * n,
                           .written = n,
                           .backward_read = (inputs + 1) * n,
                           .backward_written = inputs * n});
  out.save(names.input, SavedPart::kProjection, static_cast<double>(inputs) * elements);
  out.save(names.output, SavedPart::kActivation, elements);
}

void write_mlp(OpWriter& out, const catalog::MlpSpec& mlp) {
  const StepContext& step = out.context();
  const LocalTensors tensors(mlp_tensors(step.model.hidden, mlp), step.sharding);
  const std::int64_t tokens = step.tokens();
  const std::int64_t width = share_of(mlp.width, step.sharding.tp);
  out.gemm("mlp.up", tokens, tensors.pick({"mlp.gate", "mlp.up", "mlp.gate_bias", "mlp.up_bias"}));
  write_activation(out, {"mlp.activation", "mlp.activation_input", "mlp.activation_output"},
                   mlp.kind, static_cast<double>(tokens * width));
  out.gemm("mlp.down", tokens, tensors.pick({"mlp.down", "mlp.down_bias"}));
}

}  // namespace loadfactor::workload
