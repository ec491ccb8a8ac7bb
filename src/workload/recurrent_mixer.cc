// Linear attention (gated delta net) and state-space mixers (Mamba-2).
//
// Arithmetic is that of the recurrence: three products of key and value width per token and
// head for the delta rule (read, correct, query), two for Mamba-2 (write, query). Kernels that
// work in chunks do up to twice as much on the tensor cores.
#include <cstdint>
#include <utility>

#include "workload/attention_builder.h"
#include "workload/kv_cache.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;

// Tokens between two states that a chunked kernel keeps for the backward pass.
std::int64_t chunk_of(AttentionKind kind) {
  return kind == AttentionKind::kLinear ? 64 : 256;
}

struct Widths {
  std::int64_t heads = 0;
  std::int64_t value = 0;     // heads × value_dim.
  std::int64_t channels = 0;  // Through the convolution.
  std::int64_t state = 0;     // Elements of the state.
};

Widths widths_of(const AttentionSpec& a, int tp) {
  Widths w;
  w.heads = share_of(a.value_heads, tp);
  w.value = w.heads * a.value_dim;
  const int shared = a.kind == AttentionKind::kLinear ? a.key_heads : a.groups;
  w.channels = w.value + 2 * share_of(shared, tp) * a.key_dim;
  w.state = w.value * a.key_dim;
  return w;
}

void write_convolution(OpWriter& out, const LocalTensors& tensors, std::int64_t elements) {
  out.pointwise("attention.convolution",
                {.read = elements,
                 .written = elements,
                 .backward_read = 2 * elements,
                 .backward_written = elements},
                tensors.pick({"attention.conv_q", "attention.conv_k", "attention.conv_v",
                              "attention.conv_x", "attention.conv_b", "attention.conv_c"}));
  out.save("attention.convolution_input", SavedPart::kProjection, static_cast<double>(elements));
}

void write_scan(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors,
                const Widths& w) {
  const StepContext& step = out.context();
  const auto tokens = static_cast<double>(step.tokens());
  std::int64_t sequences = 0;
  for (const SequenceGroup& group : step.batch.groups) sequences += group.sequences;
  const double products = a.kind == AttentionKind::kLinear ? 3 : 2;
  const double element = step.activation_bytes();
  const auto weights = tensors.pick({"attention.a_log", "attention.dt_bias", "attention.d"});
  const Bytes stored = stored_bytes(weights, *step.options.recipe);
  const Bytes states =
      state_bytes(a, KvFormat{}, step.sharding.tp) * static_cast<double>(sequences);
  const Bytes input = Bytes::from_base(tokens * static_cast<double>(w.channels) * element);
  const Bytes output = Bytes::from_base(tokens * static_cast<double>(w.value) * element);
  Op op{.name = "attention.scan", .kind = OpKind::kScan, .math = step.options.activation};
  const Flops arithmetic = Flops::from_base(2.0 * products * tokens * static_cast<double>(w.state));
  op.forward = {arithmetic, input + stored + states, output + states, stored};
  if (step.batch.training) {
    op.backward_input = {arithmetic * 2.0, input + output + states, input, Bytes()};
  }
  out.add(std::move(op));
  out.save("attention.scan_input", SavedPart::kProjection,
           tokens * static_cast<double>(w.channels));
  out.save("attention.chunk_states", SavedPart::kAttentionCore,
           tokens / static_cast<double>(chunk_of(a.kind)) * static_cast<double>(w.state));
}

}  // namespace

void write_recurrent_mixer(OpWriter& out, const AttentionSpec& a) {
  const StepContext& step = out.context();
  const LocalTensors tensors(attention_tensors(step.model.hidden, a), step.sharding);
  const Widths w = widths_of(a, step.sharding.tp);
  const std::int64_t tokens = step.tokens();
  out.gemm("attention.in", tokens,
           tensors.pick({"attention.q", "attention.k", "attention.v", "attention.z",
                         "attention.beta", "attention.decay", "attention.x", "attention.b",
                         "attention.c", "attention.dt"}));
  write_convolution(out, tensors, tokens * w.channels);
  write_scan(out, a, tensors, w);
  out.norm("attention.gated_norm", 2 * tokens * w.value, tensors.pick({"attention.gated_norm"}),
           true);
  out.save("attention.gate", SavedPart::kProjection, 2.0 * static_cast<double>(tokens * w.value));
  out.gemm("attention.out", tokens, tensors.pick({"attention.out"}));
  out.save("attention.output", SavedPart::kNormOutput, static_cast<double>(tokens * w.value));
}

}  // namespace loadfactor::workload
