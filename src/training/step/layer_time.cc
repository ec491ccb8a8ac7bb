#include "training/step/layer_time.h"

#include <algorithm>
#include <cmath>

#include "training/step/collective_time.h"
#include "training/step/layer_sum.h"
#include "workload/layer_products.h"

namespace loadfactor::training {

namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::LayerSpec;
using catalog::MlpKind;
using catalog::MoeSpec;

using Sum = LayerSum;

void add_mlp_traffic(Sum& sum, double width, MlpKind kind) {
  const double matrices = kind == MlpKind::kGated ? 3.0 : 2.0;
  sum.pointwise += sum.tokens * width / sum.tp() * matrices;
  // The activated gate is written and read once more.
  if (sum.composite() && kind == MlpKind::kGated)
    sum.unscaled += sum.tokens * width / sum.tp() * 2.0;
}

Seconds moved(const Sum& sum, double elements) {
  return Bytes::from_base(2.0 * elements) / sum.context.machine->memory;
}

// What permuting rows and their activation move beside the experts' products.
void add_expert_traffic(Sum& sum, const MoeSpec& moe) {
  const MoeDispatch dispatch = sum.context.stack->moe;
  const bool fused = dispatch == MoeDispatch::kGraph || dispatch == MoeDispatch::kCompiler;
  const ExpertRows experts = expert_rows(sum, moe);
  const double width = moe.width / double(std::max(1, sum.job.layout.etp));
  const double inner = moe.latent > 0 ? moe.latent : sum.hidden();
  if (moe.shared_width > 0) add_mlp_traffic(sum, moe.shared_width, moe.kind);
  if (moe.bias) {
    sum.unscaled +=
        experts.uneven * experts.rows * width *
        sum.constant(fused ? Constant::kBiasedExpertPassesFused : Constant::kBiasedExpertPasses);
  } else {
    sum.pointwise += experts.uneven * experts.rows * width * 3.0;
  }
  const double permuted =
      experts.uneven * experts.rows * inner *
      sum.constant(fused ? Constant::kPermutePassesFused : Constant::kPermutePasses);
  sum.unscaled += permuted;
  sum.time.modules.experts += moved(sum, permuted);
  sum.pointwise += 2.0 * experts.sent * moe.experts;
}

void add_expert_exchange(Sum& sum, const MoeSpec& moe) {
  const TrainingJob& job = sum.job;
  const ExpertRows experts = expert_rows(sum, moe);
  const double rows = experts.sent * moe.top_k;
  const double inner = moe.latent > 0 ? moe.latent : sum.hidden();
  const auto exchange = [&](double width) {
    return all_to_all_time(*sum.context.machine, *sum.context.constants,
                           Bytes::from_base(width * rows * inner * experts.uneven), job.layout.ep,
                           moe.top_k);
  };
  constexpr double kCombined = 2.0;  // Bytes of an element: results are added in 16 bit.
  const Seconds both = exchange(job.routing.dispatched_bytes) + exchange(kCombined);
  double hidden =
      sum.constant(sum.context.stack->moe == MoeDispatch::kGraph ? Constant::kEpHiddenGraph
                                                                 : Constant::kEpHidden);
  if (job.layout.schedule == Schedule::kDualPipe) {
    hidden = std::max(hidden, sum.constant(Constant::kEpHiddenGraph));
  }
  const int etp = std::max(1, job.layout.etp);
  const Bytes gathered = Bytes::from_base(2.0 * rows * inner * experts.uneven * etp);
  const Seconds shared =
      ring_time(*sum.context.machine, *sum.context.constants, gathered, {etp, 1, true});
  // Dispatch and combine; where ranks share an expert, a gather and a scatter between them.
  const Seconds exposed = both * (1.0 - hidden) + 2.0 * shared;
  sum.time.ep = {exposed, exposed};
  sum.time.modules.experts += exposed;
}

double tp_hidden(const Sum& sum) {
  switch (sum.context.stack->tp_overlap) {
    case TpOverlap::kNone:
      return 0.0;
    case TpOverlap::kUserBuffers:
      return sum.constant(Constant::kTpHiddenBuffers);
    case TpOverlap::kAsync:
      return sum.constant(Constant::kTpHiddenAsync);
    case TpOverlap::kCompiler:
      return sum.constant(Constant::kTpHiddenCompiler);
  }
  return 0.0;
}

// Two blocks, each a gather and a scatter (together an all-reduce), forward and backward.
void add_tensor_exchange(Sum& sum, bool experts) {
  if (sum.job.layout.tp <= 1) return;
  const Bytes bytes = Bytes::from_base(2.0 * sum.tokens * sum.hidden());
  const auto ring = [&](bool one_axis) {
    return ring_time(*sum.context.machine, *sum.context.constants, bytes,
                     {sum.job.layout.tp, 1, one_axis}) +
           Seconds::from_base(sum.constant(Constant::kTpSkew));
  };
  const double blocks = experts ? 1.0 : 2.0;
  const Seconds one = ring(true);
  Seconds forward = one * (2.0 * blocks);
  Seconds backward = forward;
  Seconds fed = forward * (1.0 - 1.0 / blocks);  // The part of the MLP or the experts.
  // The weight gradient needs the gathered input again; a part of that gather shows.
  if (sum.job.layout.sequence_parallel)
    backward += one * (sum.constant(Constant::kTpGatherAgain) * blocks);
  if (experts) {
    fed = ring(false);
    forward += fed;
    backward += fed;
  }
  const double hidden = tp_hidden(sum);
  const double share = fed / std::max(forward, Seconds::from_base(1e-12));
  forward -= std::min(forward * hidden, sum.time.gemm.forward);
  backward -= std::min(backward * hidden, sum.time.gemm.backward);
  sum.time.tp = {forward, backward};
  (experts ? sum.time.modules.experts : sum.time.modules.mlp) += forward * share;
}

// Queries, keys and values go to the ranks that have their heads, and outputs come back; nothing
// is there to hide that behind.
void add_head_exchange(Sum& sum, const AttentionSpec& spec) {
  const workload::ScoreHeads heads = workload::score_heads(spec, sum.job.layout.tp);
  const double width = heads.queries * (heads.key_dim + heads.value_dim) +
                       heads.keys * (heads.key_dim + heads.value_dim);
  // Ranks of one tensor-parallel group stand between those that trade.
  const Machine machine = sum.context.machine->seen_every(sum.job.layout.tp);
  const Seconds one =
      all_to_all_time(machine, *sum.context.constants, Bytes::from_base(2.0 * sum.tokens * width),
                      sum.job.layout.cp, 1);
  sum.time.cp = {one, one};
}

// Keys and values travel around a ring behind the attention over the chunk already here.
void add_context_exchange(Sum& sum, const AttentionSpec& spec) {
  const int cp = sum.job.layout.cp;
  if (cp <= 1) return;
  if (sum.context.stack->context == ContextExchange::kHeads) return add_head_exchange(sum, spec);
  const workload::ScoreHeads heads = workload::score_heads(spec, sum.job.layout.tp);
  const double width = spec.kind == AttentionKind::kLatent ? double(spec.kv_rank + spec.rope_dim)
                                                           : heads.keys * heads.key_dim * 2.0;
  // The ring hands chunks on one by one, so each of them starts anew.
  const Seconds one =
      ring_time(*sum.context.machine, *sum.context.constants,
                Bytes::from_base(2.0 * sum.tokens * width * cp), {cp, sum.job.layout.tp}) +
      Seconds::from_base((cp - 2.0) * sum.constant(Constant::kStartUp));
  const double hidden = sum.constant(Constant::kCpHidden);
  const double shown = sum.constant(Constant::kCpShown);
  const auto exposed = [&](Seconds traffic, Seconds cover) {
    return std::max(traffic - hidden * cover, shown * traffic);
  };
  sum.time.cp = {exposed(one, sum.time.attention.forward),
                 exposed(2.0 * one, sum.time.attention.backward)};
}

Seconds device_forward(const LayerTime& t) {
  return t.gemm.forward + t.attention.forward + t.pointwise.forward;
}

// Norms and activations are half of what the forward pass moves; products are named.
Seconds module_time(const LayerTime& t, const Recompute& drop) {
  Seconds out = t.pointwise.forward * 0.5;
  if (drop.latent_up) out += t.modules.latent_up;
  if (drop.mlp) out += t.modules.mlp;
  if (drop.experts) out += t.modules.experts;
  return out;
}

Seconds recompute_time(const Sum& sum, const MoeSpec& moe) {
  const LayerTime& t = sum.time;
  const Recompute& recompute = sum.job.layout.recompute;
  const Seconds device = device_forward(t);
  switch (recompute.kind) {
    case RecomputeKind::kUnknown:
    case RecomputeKind::kNone:
      return {};
    case RecomputeKind::kModules:
      return module_time(t, recompute);
    case RecomputeKind::kSelective:
      break;
    case RecomputeKind::kFull: {
      const Seconds all =
          device + t.tp.forward + t.cp.forward + (moe.experts > 0 ? t.ep.forward : Seconds{});
      return all * sum.context.recomputed;
    }
  }
  if (sum.context.stack->attention == AttentionGeneration::kUnfused) return t.attention.forward;
  switch (sum.context.stack->selective) {
    case SelectiveMeaning::kCoreAttention:
      return t.attention.forward;
    case SelectiveMeaning::kOps:
      return device * sum.constant(Constant::kRematOps);
    case SelectiveMeaning::kCompilerPolicy:
      return device * sum.constant(Constant::kRematCompiler);
  }
  return {};
}

Seconds host_per_layer(const Sum& sum) {
  switch (sum.context.stack->host) {
    case HostClass::kEager:
      return Seconds::from_base(sum.constant(Constant::kHostEager));
    case HostClass::kFused:
      return Seconds::from_base(sum.constant(Constant::kHostFused));
    case HostClass::kCompiled:
      return Seconds::from_base(sum.constant(Constant::kHostCompiled));
    case HostClass::kGraph:
      return Seconds::from_base(sum.constant(Constant::kHostGraph));
  }
  return {};
}

Seconds expert_host(const Sum& sum, const MoeSpec& moe) {
  if (moe.experts == 0) return {};
  const double close = sum.context.machine->close_host ? sum.constant(Constant::kCloseHost) : 1.0;
  switch (sum.context.stack->moe) {
    case MoeDispatch::kCompiler:
      return {};
    case MoeDispatch::kGraph:
      return Seconds::from_base(sum.constant(Constant::kMoeHostGraph));
    case MoeDispatch::kDevice:
      return Seconds::from_base(close * sum.constant(Constant::kMoeHostDevice));
    case MoeDispatch::kHostSync:
      break;
  }
  return Seconds::from_base(close * sum.constant(Constant::kMoeHost));
}

// Near the crossing launch gaps already show: a smooth maximum. Returns what the host adds.
Seconds host_excess(Seconds device, Seconds host) {
  const double ratio = host / std::max(device, Seconds::from_base(1e-12));
  const double r2 = ratio * ratio;
  return device * (std::sqrt(std::sqrt(1.0 + r2 * r2)) - 1.0);
}

void add_host(Sum& sum, const MoeSpec& moe) {
  LayerTime& t = sum.time;
  const Seconds host = host_per_layer(sum);
  const Seconds sync = expert_host(sum, moe);
  const Seconds forward = t.forward();
  const Seconds backward = t.backward();
  t.late = host_excess(backward, 2.0 * host);
  t.host = {host_excess(forward, host) + sync, t.late + sync};
  // A host that reads how many tokens each expert gets is never ahead.
  const bool reads = moe.experts > 0 && sum.context.stack->moe == MoeDispatch::kHostSync;
  t.launch = reads ? t.forward() + t.backward() : 3.0 * host;
}

}  // namespace

void LayerTime::add(const LayerTime& layer, double weight) {
  gemm += layer.gemm * weight;
  attention += layer.attention * weight;
  pointwise += layer.pointwise * weight;
  tp += layer.tp * weight;
  cp += layer.cp * weight;
  ep += layer.ep * weight;
  host += layer.host * weight;
  late += layer.late * weight;
  launch += layer.launch * weight;
  recompute += layer.recompute * weight;
}

Seconds LayerTime::forward() const {
  return gemm.forward + attention.forward + pointwise.forward + tp.forward + cp.forward +
         ep.forward + host.forward;
}

Seconds LayerTime::backward() const {
  return gemm.backward + attention.backward + pointwise.backward + tp.backward + cp.backward +
         ep.backward + host.backward + recompute;
}

double rank_tokens(const TrainingJob& job) {
  return static_cast<double>(job.layout.micro_batch * job.sequence) / job.layout.cp;
}

LayerWork layer_work(const TrainingJob& job, const KernelContext& context, const LayerSpec& layer) {
  Sum sum{job, context, rank_tokens(job), {}};
  add_products(sum, layer);
  add_mixer(sum, layer.attention);
  if (layer.moe.experts > 0) add_expert_traffic(sum, layer.moe);
  if (layer.mlp.width > 0) add_mlp_traffic(sum, layer.mlp.width, layer.mlp.kind);
  return {sum.time, sum.pointwise, sum.unscaled};
}

LayerTime layer_kernels(const TrainingJob& job, const KernelContext& context,
                        const LayerSpec& layer, const LayerWork& work) {
  const double tokens = rank_tokens(job);
  Sum sum{job, context, tokens, work.time, work.pointwise, work.unscaled};
  // Norms, residual additions and dropout read and write the hidden state ten times, in the region
  // that sequence parallelism splits.
  const bool split = job.layout.sequence_parallel || context.stack->compiler;
  const double rows = split ? tokens / job.layout.tp : tokens;
  sum.pointwise += rows * sum.hidden() * 10.0;
  // A root-mean-square norm of single kernels: to fp32, square, mean, scale, back, weigh. They move
  // 36 bytes per element where one kernel moves 4.
  if (sum.composite() && job.model->norm == catalog::NormKind::kRms)
    sum.unscaled += rows * sum.hidden() * 16.0 * layer.norms;
  const Seconds pointwise =
      pointwise_time(context, Bytes::from_base(2.0 * sum.pointwise)) + moved(sum, sum.unscaled);
  // Two norms, rotation, activation and residual additions: five kernels forward.
  const Seconds gaps = Seconds::from_base(5.0 * sum.constant(Constant::kKernelGap));
  sum.time.pointwise = {pointwise + gaps, 2.0 * (pointwise + gaps)};
  const bool experts = layer.moe.experts > 0;
  if (experts) add_expert_exchange(sum, layer.moe);
  add_tensor_exchange(sum, experts);
  add_context_exchange(sum, layer.attention);
  return sum.time;
}

LayerTime with_recompute(const TrainingJob& job, const KernelContext& context,
                         const LayerSpec& layer, const LayerTime& kernels) {
  Sum sum{job, context, 0, kernels};
  sum.time.recompute = recompute_time(sum, layer.moe);
  add_host(sum, layer.moe);
  return sum.time;
}

LayerTime layer_time(const TrainingJob& job, const KernelContext& context, const LayerSpec& layer) {
  const LayerWork work = layer_work(job, context, layer);
  return with_recompute(job, context, layer, layer_kernels(job, context, layer, work));
}

HeadTime head_time(const TrainingJob& job, const KernelContext& context) {
  const double tokens = rank_tokens(job);
  const workload::LayerProduct head = workload::head_product(*job.model, ranks_of(job.layout));
  const double vocab = head.columns;
  HeadTime time;
  time.gemm.forward = gemm_time(context, head.over(tokens), Width::k16);
  time.gemm.backward = gemm_time(context, {tokens, head.inner, vocab}, Width::k16);
  if (!context.frozen) {
    time.gemm.weight = gemm_time(context, {vocab, head.inner, tokens}, Width::k16);
    time.gemm.backward += time.gemm.weight;
  }
  const Seconds loss = pointwise_time(
      context,
      Bytes::from_base((*context.constants)[Constant::kLossPasses] * 4.0 * tokens * vocab));
  time.loss = {loss * 0.5, loss * 0.5};
  const Seconds embedding =
      Bytes::from_base(12.0 * tokens * job.model->hidden) / context.machine->memory;
  time.embedding = {embedding, embedding};
  return time;
}

}  // namespace loadfactor::training
