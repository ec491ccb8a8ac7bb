#include "training/step_time.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "training/collective_time.h"
#include "training/layer_time.h"
#include "training/model_work.h"

namespace loadfactor::training {

namespace {

// One pipeline stage's mean layer and what surrounds it, while the step is put together.
struct Step {
  const TrainingJob& job;
  const KernelContext& context;
  LayerTime layer;  // Mean over the layers.
  HeadTime head;
  double layers = 0;  // Of the model, multi-token-prediction layers included.
  double heads = 1;   // Times the head runs: once, and once per such layer.
  double micro_batches = 1;
  RankParameters parameters;
  Seconds stage;  // Slowest stage, forward and backward of one micro-batch.
  Seconds mean_stage;
  StepTime time;

  double constant(Constant c) const { return (*context.constants)[c]; }
  const Layout& layout() const { return job.layout; }
  int data_ranks() const { return job.layout.dp * job.layout.cp; }
  double stage_layers() const { return layers / job.layout.pp; }
  Seconds ring(double bytes, int size, int stride) const {
    return ring_time(*context.machine, *context.constants, Bytes::from_base(bytes), {size, stride});
  }
  double hidden_share(Constant otherwise) const {
    return constant(context.stack->compiler ? Constant::kCompilerHidden : otherwise);
  }
};

// Of the forward work, what recomputation of layers can repeat at most: the head is not.
constexpr double kLayerShare = 0.9;

void accumulate(PassTimes& sum, const PassTimes& part, double weight) {
  sum += part * weight;
}

LayerTime mean_layer(const TrainingJob& job, const KernelContext& context) {
  const catalog::ModelSpec& model = *job.model;
  LayerTime mean;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    auto count = static_cast<double>(std::count(model.layers.begin(), model.layers.end(), kind));
    if (!model.layers.empty() && model.layers.back() == kind) count += model.mtp_layers;
    if (count == 0) continue;
    const double weight = count / (model.num_layers() + model.mtp_layers);
    const LayerTime one = layer_time(job, context, model.kinds[kind]);
    accumulate(mean.gemm, one.gemm, weight);
    accumulate(mean.attention, one.attention, weight);
    accumulate(mean.pointwise, one.pointwise, weight);
    accumulate(mean.tp, one.tp, weight);
    accumulate(mean.cp, one.cp, weight);
    accumulate(mean.ep, one.ep, weight);
    accumulate(mean.host, one.host, weight);
    mean.recompute += one.recompute * weight;
  }
  return mean;
}

Seconds both(const PassTimes& t) {
  return t.forward + t.backward;
}

// Stages hold whole layers. Where layers do not divide, spare slots sit beside embedding and
// head, as launch scripts put them there.
void set_stages(Step& step) {
  const Seconds layer = step.layer.forward() + step.layer.backward();
  const Seconds head =
      both(step.head.embedding) + (both(step.head.gemm) + both(step.head.loss)) * step.heads;
  const Layout& layout = step.layout();
  step.mean_stage = (layer * step.layers + head) / layout.pp;
  step.stage = step.mean_stage;
  if (layout.pp <= 1) return;
  const double chunks = double(layout.pp) * std::max(1, layout.vp);
  const double slots = std::ceil(step.layers / chunks) * std::max(1, layout.vp);
  const double spare = slots * layout.pp - step.layers;
  const double middle = spare > 2 ? std::ceil((step.layers + 2) / layout.pp) : slots;
  const double last = middle - (spare > 0 ? 1 : 0);
  step.stage = std::max({layer * middle, layer * last + head, step.mean_stage});
}

// Parameters are gathered, and gradients scattered, layer by layer behind the neighbours'
// computation; what overlaps still costs a share of the shorter of the two.
void add_full_sharding(Step& step) {
  const Layout& layout = step.layout();
  const int ranks = step.data_ranks();
  if (ranks <= 1) return;
  const int group = std::clamp(layout.shard_group > 0 ? layout.shard_group : ranks, 1, ranks);
  const StackTraits& stack = *step.context.stack;
  const RankParameters& p = step.parameters;
  const double per_layer = (p.dense + p.experts) * layout.pp / step.layers;
  const double gradient =
      step.job.precision.pure || stack.compiler ? 2.0 : stack.shard_gradient_bytes;
  const Seconds gather = step.ring(per_layer * 2.0, group, layout.tp);
  const Seconds scatter = step.ring(per_layer * gradient, group, layout.tp);
  const double hidden = step.hidden_share(Constant::kFsdpHidden);
  const auto with = [hidden](Seconds compute, Seconds traffic) {
    return std::max(compute, traffic) + (1.0 - hidden) * std::min(compute, traffic) - compute;
  };
  const Seconds again = layout.reshard_after_forward ? gather : Seconds{};
  Seconds extra = with(step.layer.forward(), gather) + with(step.layer.backward(), again + scatter);
  extra = extra * step.stage_layers();
  const double table =
      static_cast<double>(step.job.model->embedding.vocab) * step.job.model->hidden / layout.tp;
  extra += step.ring(table * 2.0, group, layout.tp) * (2.0 * (1.0 - hidden));
  step.time[Part::kFsdp] = extra * step.micro_batches;
  step.stage += extra;
  step.mean_stage += extra;
}

void add_pipeline(Step& step) {
  const Layout& layout = step.layout();
  if (layout.pp <= 1) return;
  const double chunks = std::max(1, layout.vp);
  const double m = step.micro_batches;
  Seconds bubble = step.mean_stage * ((layout.pp - 1) / chunks);
  const double rest = std::fmod(m, layout.pp);
  if (chunks > 1 && rest > 0) {
    bubble += step.mean_stage * ((chunks - 1) * (layout.pp - rest) / chunks * 0.5);
  }
  const bool scattered = step.context.stack->p2p_scatter_gather;
  const double bytes =
      rank_tokens(step.job) * step.job.model->hidden * 2.0 / (scattered ? layout.tp : 1);
  const Machine& machine = *step.context.machine;
  const bool leaves = layout.gpus > machine.domain;
  const BytesPerSecond link =
      leaves ? machine.scale_out * step.constant(Constant::kNicEfficiency) : machine.scale_up;
  const Seconds one =
      Bytes::from_base(bytes) / link + Seconds::from_base(step.constant(Constant::kStartUp));
  const StackTraits& stack = *step.context.stack;
  double exposed = stack.p2p_overlap && chunks > 1 ? 0.25 : 1.0;
  if (stack.p2p_blocking) exposed = 2.0;  // Receive, compute, send: nothing in parallel.
  step.time[Part::kP2p] = one * (step.constant(Constant::kP2p) * exposed * 2.0 * chunks * m) +
                          one * (2.0 * (layout.pp - 1));
  step.time[Part::kBubble] = bubble;
  step.time[Part::kImbalance] = (step.stage - step.mean_stage) * m;
}

// Gradients of one set of parameters, reduced over `size` ranks.
Seconds reduction(const Step& step, double parameters, int size, int stride) {
  if (size <= 1 || parameters <= 0) return {};
  const StackTraits& stack = *step.context.stack;
  const double bytes = step.context.width == Width::k16 ? stack.gradient_bytes : 2.0;
  const Seconds scatter = step.ring(parameters * bytes, size, stride);
  const Seconds gather = step.ring(parameters * 2.0, size, stride);
  if (!stack.dp_overlap) return scatter + gather;
  const double hidden = step.hidden_share(Constant::kDpHidden);
  const Seconds forward = step.layer.forward() * step.stage_layers();
  const Seconds backward = step.layer.backward() * step.stage_layers();
  return scatter - std::min(hidden * scatter, backward) + gather -
         std::min(hidden * gather, forward);
}

// Copies of a shard group are kept equal by an all-reduce of the shard.
Seconds replica_reduction(const Step& step, int group) {
  const StackTraits& stack = *step.context.stack;
  const int slices = step.job.fabric.slices;
  const int copies = stack.compiler ? slices : step.data_ranks() / group;
  if (copies <= 1) return {};
  const RankParameters& p = step.parameters;
  const double shard = (p.dense + p.experts + p.embedding) / group;
  const double bytes = stack.compiler ? 2.0 : stack.shard_gradient_bytes;
  const Seconds all = Bytes::from_base(2.0 * shard * bytes * (copies - 1) / copies) /
                      (step.context.machine->scale_out * step.constant(Constant::kNicEfficiency));
  const Seconds cover = step.layer.backward() * (step.stage_layers() * 0.5);
  return all - std::min(step.hidden_share(Constant::kDpHidden) * all, cover);
}

void add_data_parallel(Step& step) {
  const Layout& layout = step.layout();
  const int ranks = step.data_ranks();
  if (ranks <= 1) return;
  const bool full = layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  if (full) {
    const int group = layout.shard_group;
    if (group > 0 && group < ranks) step.time[Part::kDp] = replica_reduction(step, group);
    return;
  }
  const double share = step.job.trainable_share;
  const RankParameters& p = step.parameters;
  Seconds time = reduction(step, (p.dense + p.embedding) * share, ranks, layout.tp);
  if (p.experts > 0) {
    const int copies = std::max(1, ranks * layout.tp / std::max(1, layout.ep * layout.etp));
    time += reduction(step, p.experts * share, copies, layout.ep);
  }
  step.time[Part::kDp] = time;
}

void add_optimizer(Step& step) {
  const Layout& layout = step.layout();
  const RankParameters& p = step.parameters;
  double held = (p.dense + p.experts + p.embedding) * step.job.trainable_share;
  if (layout.sharding != Sharding::kNone) {
    const bool hybrid = layout.sharding == Sharding::kHybrid && layout.shard_group > 0;
    held /= hybrid ? layout.shard_group : step.data_ranks();
  }
  if (layout.offload.optimizer) {
    // Gradients go down in fp32 or bf16 and parameters come back in bf16: 6 bytes.
    step.time[Part::kOptimizer] =
        Seconds::from_base(held * step.constant(Constant::kOptimizerHost)) +
        Bytes::from_base(held * 6.0) / step.context.machine->host;
    return;
  }
  const bool fused = step.context.stack->fused_optimizer;
  const double bytes =
      step.constant(fused ? Constant::kOptimizerFused : Constant::kOptimizerForeach);
  const Seconds device = Bytes::from_base(held * bytes) / step.context.machine->memory;
  // Separate kernels also have to be launched: the gradient, the update and the copy back of
  // about twelve tensors per layer, at the pace of an eager host.
  const Seconds host =
      fused ? Seconds{}
            : Seconds::from_base(step.stage_layers() * step.constant(Constant::kHostEager));
  step.time[Part::kOptimizer] = std::max(device, host);
}

void add_compute(Step& step) {
  const double layers = step.stage_layers() * step.micro_batches;
  const double heads = step.micro_batches / step.layout().pp;
  StepTime& t = step.time;
  t[Part::kGemm] = both(step.layer.gemm) * layers;
  t[Part::kAttention] = both(step.layer.attention) * layers;
  t[Part::kPointwise] = both(step.layer.pointwise) * layers;
  t[Part::kRecompute] = step.layer.recompute * layers;
  t[Part::kTp] = both(step.layer.tp) * layers;
  t[Part::kCp] = both(step.layer.cp) * layers;
  t[Part::kEp] = both(step.layer.ep) * layers;
  t[Part::kHost] = both(step.layer.host) * layers;
  t[Part::kHead] = both(step.head.embedding) * heads +
                   (both(step.head.gemm) + both(step.head.loss)) * (heads * step.heads);
}

// Jitter grows with the number of hosts that must agree before a step ends.
void add_straggler(Step& step, Seconds exposed) {
  const Machine& machine = *step.context.machine;
  const double host = machine.family->systolic ? 64.0 : machine.node;
  const double hosts = step.layout().gpus / host;
  if (hosts <= 1) return;
  step.time[Part::kStraggler] = exposed * (step.constant(Constant::kStraggler) * std::log2(hosts));
}

void set_work(Step& step) {
  const catalog::ModelSpec& model = *step.job.model;
  const double tokens =
      static_cast<double>(step.job.global_batch) * static_cast<double>(step.job.sequence);
  const Flops forward =
      forward_products_per_token(model) +
      forward_attention_per_token(model, step.job.sequence, AttentionCount::kCausal);
  const double passes = step.context.frozen ? 2.0 : 3.0;
  const Seconds device =
      step.layer.gemm.forward + step.layer.attention.forward + step.layer.pointwise.forward;
  const double again = std::min(1.0, step.layer.recompute / device);
  step.time.model_work = forward * (passes * tokens);
  step.time.hardware_work = forward * ((passes + again * kLayerShare) * tokens);
}

// All chips at the datasheet rate of the widest-used format, from the first to the last instant.
Seconds fastest_possible(const TrainingJob& job, Flops work) {
  return work / (peak_rate(*job.chip, job.precision.compute) * job.layout.gpus);
}

KernelContext make_context(const TrainingJob& job, const Machine& machine,
                           const Constants& constants) {
  KernelContext context;
  context.machine = &machine;
  context.constants = &constants;
  context.stack = job.stack;
  context.precision = job.precision;
  context.width = width_of(job.precision.compute);
  context.frozen = job.trainable_share < 1.0;
  return context;
}

constexpr std::array<std::string_view, kNumParts> kPartNames{
    "gemm", "attention", "pointwise", "head",   "recompute", "tp",        "cp",   "ep",
    "fsdp", "dp",        "p2p",       "bubble", "imbalance", "optimizer", "host", "straggler",
};

}  // namespace

std::string_view name(Part part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

Seconds StepTime::total() const {
  Seconds sum;
  for (const Seconds part : parts) sum += part;
  return sum;
}

RankParameters rank_parameters(const TrainingJob& job) {
  const catalog::ModelSpec& model = *job.model;
  const Layout& layout = job.layout;
  RankParameters p;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const auto count =
        static_cast<double>(std::count(model.layers.begin(), model.layers.end(), kind));
    const LayerWeights weights = layer_weights(model, model.kinds[kind]);
    p.dense += count * weights.dense / layout.tp / layout.pp;
    p.experts += count * weights.experts / (double(layout.ep) * layout.etp) / layout.pp;
  }
  const double tables = layout.pp == 1 && !model.embedding.tied ? 2.0 : 1.0;
  p.embedding = tables * static_cast<double>(model.embedding.vocab) * model.hidden / layout.tp;
  return p;
}

StepTime step_time(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                   const KernelFamily& family) {
  const Machine machine = make_machine(job, constants, chip, family);
  const KernelContext context = make_context(job, machine, constants);
  Step step{job, context, mean_layer(job, context), head_time(job, context)};
  step.layers = job.model->num_layers() + job.model->mtp_layers;
  step.heads = 1.0 + job.model->mtp_layers;
  step.micro_batches =
      std::max(1.0, static_cast<double>(job.global_batch) /
                        (static_cast<double>(job.layout.micro_batch) * job.layout.dp));
  step.parameters = rank_parameters(job);
  set_stages(step);
  const bool full =
      job.layout.sharding == Sharding::kFull || job.layout.sharding == Sharding::kHybrid;
  if (full) add_full_sharding(step);
  add_pipeline(step);
  add_compute(step);
  add_data_parallel(step);
  add_straggler(step, step.time.total());
  add_optimizer(step);
  if (job.stack->trainer) {
    step.time[Part::kHost] += Seconds::from_base(constants[Constant::kStepFixed]);
  }
  set_work(step);
  LF_CHECK(step.time.total() >= fastest_possible(job, step.time.hardware_work),
           "a step beats the roofline");
  return step.time;
}

}  // namespace loadfactor::training
