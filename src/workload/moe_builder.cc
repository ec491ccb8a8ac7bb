#include "workload/moe_builder.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "workload/feed_forward_builder.h"

namespace loadfactor::workload {
namespace {

using catalog::MoeSpec;

// Tokens that one rank routes: its own share where tokens travel, else all.
std::int64_t routing_tokens(const StepContext& step) {
  const bool travels = dispatch_of(step.sharding) == Dispatch::kAllToAll;
  return travels ? share_of(step.tokens(), step.sharding.tp) : step.tokens();
}

void write_router(OpWriter& out, const MoeSpec& moe, const LocalTensors& tensors) {
  const std::int64_t tokens = routing_tokens(out.context());
  out.gemm("router", tokens,
           tensors.pick({"router", "router.bias", "router.correction", "shared.router"}));
  // Probabilities in fp32.
  out.save_bytes("router.probabilities", SavedPart::kRouting,
                 4.0 * static_cast<double>(tokens) * moe.experts);
}

struct Exchange {
  double sent = 0;      // Elements one rank sends to all experts.
  double gathered = 0;  // Elements the ranks of one expert hold together.
};

void write_dispatch(OpWriter& out, const Exchange& exchange) {
  for (const auto& [name, pass] : {std::pair{"experts.dispatch", Pass::kForward},
                                   std::pair{"experts.dispatch_gradient", Pass::kBackward}}) {
    out.collective(name, {OpKind::kAllToAll, RankGroup::kExpert, exchange.sent, pass});
  }
  out.collective("experts.gather",
                 {OpKind::kAllGather, RankGroup::kExpertTensor, exchange.gathered, Pass::kForward});
  out.collective("experts.scatter_gradient", {OpKind::kReduceScatter, RankGroup::kExpertTensor,
                                              exchange.gathered, Pass::kBackward});
}

void write_return(OpWriter& out, const Exchange& exchange) {
  out.collective("experts.scatter", {OpKind::kReduceScatter, RankGroup::kExpertTensor,
                                     exchange.gathered, Pass::kForward});
  out.collective("experts.gather_gradient", {OpKind::kAllGather, RankGroup::kExpertTensor,
                                             exchange.gathered, Pass::kBackward});
  for (const auto& [name, pass] : {std::pair{"experts.return", Pass::kForward},
                                   std::pair{"experts.return_gradient", Pass::kBackward}}) {
    out.collective(name, {OpKind::kAllToAll, RankGroup::kExpert, exchange.sent, pass});
  }
}

void write_experts(OpWriter& out, const MoeSpec& moe, const LocalTensors& tensors) {
  const Routed routed = routed_rows(moe, out.context());
  const double input = moe.latent > 0 ? moe.latent : out.context().model.hidden;
  const auto width = static_cast<double>(share_of(moe.width, out.context().sharding.expert_tp()));
  out.grouped_gemm(
      "experts.up", routed,
      tensors.pick({"experts.gate", "experts.up", "experts.gate_bias", "experts.up_bias"}));
  out.save("experts.input", SavedPart::kRouting, routed.rows * input);
  write_activation(out,
                   {"experts.activation", "experts.activation_input", "experts.activation_output"},
                   moe.kind, routed.rows * width);
  out.grouped_gemm("experts.down", routed, tensors.pick({"experts.down", "experts.down_bias"}));
}

// Copies every token to each of its experts' places, or sums the copies again.
void write_permutation(OpWriter& out, std::string_view name, double few, double many) {
  const auto a = static_cast<std::int64_t>(std::ceil(few));
  const auto b = static_cast<std::int64_t>(std::ceil(many));
  out.pointwise(name, {.read = a, .written = b, .backward_read = b, .backward_written = a});
}

void write_routed_experts(OpWriter& out, const MoeSpec& moe, const LocalTensors& tensors) {
  const StepContext& step = out.context();
  const std::int64_t tokens = routing_tokens(step);
  const bool travels = dispatch_of(step.sharding) == Dispatch::kAllToAll;
  const double width = moe.latent > 0 ? moe.latent : step.model.hidden;
  const double own = static_cast<double>(tokens) * width;
  const Exchange exchange{.sent = own * moe.top_k, .gathered = routed_rows(moe, step).rows * width};
  const double copies = travels ? exchange.sent : exchange.gathered;
  out.gemm("latent.down", tokens, tensors.pick({"latent.down"}));
  write_permutation(out, "experts.permute", own, copies);
  if (travels) write_dispatch(out, exchange);
  write_experts(out, moe, tensors);
  if (travels) write_return(out, exchange);
  write_permutation(out, "experts.combine", copies, own);
  out.gemm("latent.up", tokens, tensors.pick({"latent.up"}));
}

void write_shared_experts(OpWriter& out, const MoeSpec& moe, const LocalTensors& tensors) {
  const StepContext& step = out.context();
  const std::int64_t tokens = step.tokens();
  const std::int64_t width = share_of(moe.shared_width, step.sharding.tp);
  out.gemm("shared.up", tokens,
           tensors.pick({"shared.gate", "shared.up", "shared.gate_bias", "shared.up_bias"}));
  write_activation(out,
                   {"shared.activation", "shared.activation_input", "shared.activation_output"},
                   moe.kind, static_cast<double>(tokens * width));
  out.gemm("shared.down", tokens, tensors.pick({"shared.down", "shared.down_bias"}));
}

}  // namespace

Dispatch dispatch_of(const Sharding& sharding) {
  const bool inside_tp = sharding.ep * sharding.expert_tp() == sharding.tp;
  if (inside_tp && !sharding.sp) return Dispatch::kSum;
  if (sharding.ep == 1 && sharding.expert_tp() == sharding.tp) return Dispatch::kGather;
  return Dispatch::kAllToAll;
}

Routed routed_rows(const MoeSpec& moe, const StepContext& step) {
  const Sharding& s = step.sharding;
  // The ep · etp ranks that share one set of experts bring tokens() / tp of their own each,
  // and the etp ranks of one expert all work on the same rows.
  const double tokens = static_cast<double>(step.tokens()) * s.ep * s.expert_tp() / s.tp;
  return {.rows = tokens * moe.top_k / s.ep,
          .tokens = tokens,
          .top_k = moe.top_k,
          .experts = moe.experts};
}

void write_moe(OpWriter& out, const MoeSpec& moe) {
  const StepContext& step = out.context();
  const LocalTensors tensors(moe_tensors(step.model.hidden, moe), step.sharding);
  const bool travels = dispatch_of(step.sharding) == Dispatch::kAllToAll;
  if (!travels) write_gather(out, kMlpPart);
  write_router(out, moe, tensors);
  write_routed_experts(out, moe, tensors);
  if (travels && !step.sharding.sp) {
    // Every tensor-parallel rank routed a share of the same tokens: bring the outputs together,
    // and the gradients of the inputs.
    const double elements = static_cast<double>(step.tokens()) * step.model.hidden;
    for (const auto& [name, pass] : {std::pair{"mlp.gather", Pass::kForward},
                                     std::pair{"mlp.gather_gradient", Pass::kBackward}}) {
      out.collective(name, {OpKind::kAllGather, RankGroup::kTensor, elements, pass});
    }
  }
  if (moe.shared_width > 0) {
    if (travels) write_gather(out, kMlpPart);
    write_shared_experts(out, moe, tensors);
    if (travels) write_reduce(out, kMlpPart);
  }
  if (!travels) write_reduce(out, kMlpPart);
}

}  // namespace loadfactor::workload
