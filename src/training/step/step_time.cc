#include "training/step/step_time.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "training/step/collective_time.h"
#include "training/step/layer_time.h"
#include "training/step/model_work.h"
#include "training/step/offload_time.h"

namespace loadfactor::training {

namespace {

// What the parts of a step read while it is put together.
struct Step {
  const StepScene& scene;
  const BlockTime& block;
  const Layout& layout;
  double micro_batches = 1;
  RankParameters parameters;
  StepTime time;

  const StackTraits& stack() const { return *scene.job.stack; }
  double constant(Constant c) const { return scene.constant(c); }
  int data_ranks() const { return layout.dp * layout.cp; }
  double stage_layers() const { return double(scene.layers) / layout.pp; }
  bool fully_sharded() const {
    return layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  }
  Seconds ring(double bytes, int size, int stride) const {
    return ring_time(scene.machine, *scene.constants, Bytes::from_base(bytes), {size, stride});
  }
  double dp_hidden() const {
    return constant(stack().compiler ? Constant::kCompilerHidden : Constant::kDpHidden);
  }
};

Seconds both(const PassTimes& t) {
  return t.forward + t.backward;
}

void add_compute(Step& step) {
  const double layers = step.stage_layers() * step.micro_batches;
  const double heads = step.micro_batches / step.layout.pp;
  const LayerTime& layer = step.block.layer;
  const HeadTime& head = step.block.head;
  StepTime& t = step.time;
  t[Part::kGemm] = both(layer.gemm) * layers;
  t[Part::kAttention] = both(layer.attention) * layers;
  t[Part::kPointwise] = both(layer.pointwise) * layers;
  t[Part::kRecompute] = layer.recompute * layers;
  t[Part::kTp] = both(layer.tp) * layers;
  t[Part::kCp] = both(layer.cp) * layers;
  t[Part::kEp] = both(layer.ep) * layers;
  t[Part::kHost] = both(layer.host) * layers;
  if (step.layout.pp == 1) {
    t[Part::kHost] -= caught_up(step.block, step.scene.layers) * step.micro_batches;
  }
  t[Part::kHead] = both(head.embedding) * heads +
                   (both(head.gemm) + both(head.loss)) * (heads * step.scene.heads);
}

// What parameters cost that are gathered layer by layer behind the neighbours' computation.
Seconds full_sharding(const Step& step) {
  if (!step.fully_sharded()) return {};
  const GatherTime gather = gather_time(step.scene, step.block, step.layout);
  const Seconds layers = (gather.forward + gather.backward) * step.stage_layers();
  return (layers + gather.table / step.layout.pp) * step.micro_batches;
}

// The makespan is that of whole micro-batches; beyond the work of the busiest rank it is bubble.
void add_pipeline(Step& step, const PipelineTime& p) {
  if (step.layout.pp <= 1) return;
  const double m = step.micro_batches;
  const double whole = std::max(1.0, std::round(m));
  step.time[Part::kP2p] = p.occupied * m + p.latency;
  step.time[Part::kBubble] = std::max(Seconds{}, p.makespan - (p.slowest + p.occupied) * whole);
  step.time[Part::kImbalance] = std::max(Seconds{}, (p.slowest - p.mean) * m);
}

// What travels when gradients of one set of parameters are reduced and the parameters spread again.
struct Exchange {
  Seconds scatter;  // With an all-reduce between the copies of a shard, where there are several.
  Seconds gather;
  Seconds work{};  // On the device, before and after: nothing hides it.
};

double gradient_width(const Step& step) {
  return step.scene.width == Width::k16 ? step.stack().gradient_bytes : 2.0;
}

// Compression reads what the stack would have sent and writes what is sent; so does its end.
Seconds cast_time(const Step& step, double parameters, double plain, double sent) {
  if (sent >= plain) return {};
  return Bytes::from_base(2.0 * parameters * (plain + sent)) / step.scene.machine.memory;
}

// Where whole tensors are dealt out, each is reduced to its owner and broadcast from it by a ring
// of its own: seven of a layer, the parts of attention and MLP and two norms.
Seconds tensor_latency(const Step& step, int group) {
  constexpr double kTensors = 7;
  if (!step.stack().shards_tensors) return {};
  return Seconds::from_base(kTensors * step.stage_layers() * (group - 1) *
                            step.constant(Constant::kRingHop));
}

// Lossy compression: what is sent of a parameter, and the passes over gradient and error that it
// takes. PowerSGD sends two factors of a rank for each matrix, here as wide as the model, and
// multiplies the matrix three times [Vogels 2019]; one bit sends signs in two phases [Tang 2021].
struct Compressed {
  double bytes = 0;
  Seconds work;
};
Compressed compressed(const Step& step, double parameters) {
  constexpr double kWide = 4;  // Gradients and errors are in fp32 meanwhile.
  const Precision& precision = step.scene.job.precision;
  if (precision.compression == Compression::kOneBit) {
    constexpr double kPasses = 5;  // Reads of both, writes of error, signs and result.
    return {1.0 / 8, Bytes::from_base(kPasses * kWide * parameters) / step.scene.machine.memory};
  }
  constexpr double kProducts = 3;
  constexpr double kPasses = kProducts + 2;  // And writes of error and result.
  const double rank = precision.compression_rank;
  const Seconds moved = Bytes::from_base(kPasses * kWide * parameters) / step.scene.machine.memory;
  const Seconds multiplied =
      Flops::from_base(2 * kProducts * rank * parameters) / step.scene.machine.gemm[0];
  const double width = std::max<double>(1, step.scene.job.model->hidden);
  return {std::min(kWide, kWide * 2 * rank / width), std::max(moved, multiplied)};
}

Exchange exchange(const Step& step, double parameters, int size, int stride) {
  if (step.scene.job.precision.compression != Compression::kNone) {
    const Compressed sent = compressed(step, parameters);
    return {2.0 * step.ring(parameters * sent.bytes, size, stride), {}, sent.work};
  }
  const double plain = gradient_width(step);
  const double wire = step.scene.job.precision.wire_gradient;
  const double bytes = wire > 0 ? std::min(wire, plain) : plain;
  const Seconds casts = cast_time(step, parameters, plain, bytes);
  // As many in a group hold the same experts as among all ranks.
  const int asked = step.layout.shard_group * size / step.data_ranks();
  const int group = step.layout.shard_group > 0 ? std::clamp(asked, 1, size) : size;
  Seconds scatter = step.ring(parameters * bytes, group, stride) + casts;
  const int copies = size / group;
  if (copies > 1) scatter += 2.0 * step.ring(parameters * bytes / group, copies, stride * group);
  if (step.layout.sharding == Sharding::kNone) return {2.0 * scatter, {}};
  const Seconds latency = tensor_latency(step, group);
  return {scatter + latency, step.ring(parameters * 2.0, group, stride) + latency};
}

// Gradients of one set of parameters, reduced over `size` ranks. Shards of gradients have no room
// for whole ones, so they are reduced at every micro-batch, each behind a backward pass of its own;
// a pipeline keeps them whole.
Seconds reduction(const Step& step, double parameters, int size, int stride) {
  if (size <= 1 || parameters <= 0) return {};
  const StackTraits& stack = step.stack();
  const auto [scatter, gather, work] = exchange(step, parameters, size, stride);
  const bool each = step.layout.sharding == Sharding::kGradients && step.layout.pp == 1;
  const double times = each ? std::max(1.0, step.micro_batches) : 1.0;
  const double hidden = step.dp_hidden();
  const Seconds forward = step.block.layer.forward() * step.stage_layers();
  const Seconds backward = step.block.layer.backward() * step.stage_layers();
  const Seconds behind_backward =
      stack.dp_overlap ? std::min(hidden * scatter, backward) : Seconds{};
  const Seconds behind_forward =
      stack.gather_overlap ? std::min(hidden * gather, forward) : Seconds{};
  return (scatter - behind_backward) * times + gather - behind_forward + work;
}

// Copies of a shard group are kept equal by an all-reduce of the shard.
Seconds replica_reduction(const Step& step, int group) {
  const StackTraits& stack = step.stack();
  const int slices = step.scene.job.fabric.slices;
  const int copies = stack.compiler ? slices : step.data_ranks() / group;
  if (copies <= 1) return {};
  const double shard = step.parameters.total() * step.scene.job.trainable_share / group;
  const double bytes = stack.compiler ? 2.0 : stack.shard_gradient_bytes;
  const Seconds all = Bytes::from_base(2.0 * shard * bytes * (copies - 1) / copies) /
                      (step.scene.machine.scale_out * step.constant(Constant::kNicEfficiency));
  const Seconds cover = step.block.layer.backward() * (step.stage_layers() * 0.5);
  return all - std::min(step.dp_hidden() * all, cover);
}

Seconds data_parallel(const Step& step) {
  const Layout& layout = step.layout;
  const int ranks = step.data_ranks();
  if (ranks <= 1) return {};
  if (step.fully_sharded()) {
    const int group = layout.shard_group;
    return group > 0 && group < ranks ? replica_reduction(step, group) : Seconds{};
  }
  const double share = step.scene.job.trainable_share;
  const RankParameters& p = step.parameters;
  Seconds time = reduction(step, (p.dense + p.embedding) * share, ranks, layout.tp);
  if (p.experts > 0) {
    const int copies = std::max(1, ranks * layout.tp / std::max(1, layout.ep * layout.etp));
    time += reduction(step, p.experts * share, copies, layout.ep);
  }
  return time;
}

// Gradients of a micro-batch join those of the ones before: both are read and the sum is written,
// in 16 bit or in fp32. A fused product does so by itself, and a shard is next to nothing.
Seconds accumulation(const Step& step) {
  const StackTraits& stack = step.stack();
  const bool scattered = step.layout.sharding == Sharding::kGradients && step.layout.pp == 1;
  const bool in_shards = step.data_ranks() > 1 && (step.fully_sharded() || scattered);
  if (stack.fp32_main_grad || stack.compiler || in_shards) return {};
  if (step.micro_batches <= 1 && !stack.adds_apart) return {};
  const double bytes = stack.adds_apart ? 10.0 : 6.0;
  const double held = step.parameters.total() * step.scene.job.trainable_share;
  return Bytes::from_base(held * bytes) / step.scene.machine.memory * step.micro_batches;
}

// Weights that rest in few bits are made 16 bits wide before each of their products, forward and
// backward: read narrow, written wide.
Seconds widening(const Step& step) {
  const double narrow = step.scene.job.precision.frozen_weight;
  if (narrow <= 0 || !step.scene.frozen) return {};
  constexpr double kPasses = 2.0;
  const double bytes = step.parameters.total() * (narrow + kBytesOf16Bits) * kPasses;
  return Bytes::from_base(bytes) / step.scene.machine.memory * step.micro_batches;
}

// Parameters of the adapters on one rank.
double adapter_weights(const Step& step) {
  return step.scene.frozen ? step.parameters.total() * step.scene.job.trainable_share : 0.0;
}

// Adapters are thin products beside those of the frozen weights: once forward, twice backward. They
// take as long as it takes to move what stands at their wide ends, in 16 bit: forward the input is
// read, the output written and added to that of the frozen product; backward the gradient is read
// twice and the input once, and the gradient of the input is written and added.
Seconds adapter_products(const Step& step) {
  const Layout& layout = step.layout;
  const Machine& machine = step.scene.machine;
  const double tokens = static_cast<double>(layout.micro_batch) *
                        static_cast<double>(step.scene.job.sequence) / layout.cp;
  constexpr double kPasses = 3.0;
  const Flops work = Flops::from_base(2.0 * kPasses * adapter_weights(step) * tokens);
  constexpr double kForward = 5 * kBytesOf16Bits / 2;  // Input and output of a product, on average.
  constexpr double kBackward = 7 * kBytesOf16Bits / 2;
  const double moved = (kForward * (1 + step.block.again) + kBackward) * tokens *
                       step.scene.job.adapted_widths / layout.pp / layout.tp;
  const Seconds computed = work / machine.gemm[static_cast<std::size_t>(Width::k16)];
  return std::max(computed, Bytes::from_base(moved) / machine.memory) * step.micro_batches;
}

// Adam on the host reads and writes its whole state: where a rank's share of the host's memory is
// slower than in the runs that were measured, so is the update. Those had two sockets of eight
// channels of DDR5-4800 for eight ranks.
Seconds host_update(const Step& step, double held) {
  constexpr BytesPerSecond kMeasuredShare = BytesPerSecond::from_base(614.4e9 / 8);
  const BytesPerSecond share = step.scene.machine.host_memory;
  const double slower = share > BytesPerSecond() ? std::max(1.0, kMeasuredShare / share) : 1.0;
  return Seconds::from_base(held * step.constant(Constant::kOptimizerHost) * slower);
}

// Without the launch of its kernels.
Seconds optimizer_time(const Step& step, bool on_host) {
  const Layout& layout = step.layout;
  const Machine& machine = step.scene.machine;
  double held = step.parameters.total() * step.scene.job.trainable_share;
  if (layout.sharding != Sharding::kNone) {
    held /= layout.shard_group > 0 ? layout.shard_group : step.data_ranks();
  }
  if (on_host) {
    // Gradients go down in fp32 or bf16 and parameters come back in bf16: 6 bytes.
    return host_update(step, held) + Bytes::from_base(held * 6.0) / machine.host;
  }
  const bool fused = step.stack().fused_optimizer;
  const double bytes =
      step.constant(fused ? Constant::kOptimizerFused : Constant::kOptimizerForeach);
  return Bytes::from_base(held * bytes) / machine.memory;
}

// Separate kernels also have to be launched: the gradient, the update and the copy back of about
// twelve tensors per layer, at the pace of an eager host. A trainer reads the norm of the gradients
// first and so begins when the device is done; else it begins earlier.
void set_update(const Step& step, CommonParts& common) {
  common.sums = accumulation(step);
  common.update = {optimizer_time(step, false), optimizer_time(step, true)};
  if (!step.stack().fused_optimizer)
    common.launches = Seconds::from_base(step.stage_layers() * step.constant(Constant::kHostEager));
  common.launched = step.block.layer.launch * (step.stage_layers() * step.micro_batches);
  common.waits = !step.scene.job.step_alone;
}

void add_optimizer(const CommonParts& common, const Offload& offload, StepTime& time) {
  if (offload.optimizer) {
    time[Part::kOptimizer] = common.sums + common.update[1];
    return;
  }
  time[Part::kOptimizer] = common.sums;
  const Seconds lead =
      common.waits ? Seconds{} : std::max(Seconds{}, time.total() - common.launched);
  time[Part::kOptimizer] = common.sums + std::max(common.update[0], common.launches - lead);
}

// What a trainer does once per step, whatever the layout.
Seconds fixed_time(const StepScene& scene) {
  return scene.job.step_alone ? Seconds{}
                              : Seconds::from_base(scene.constant(Constant::kStepFixed));
}

// The loader works beside the step: what it takes longer shows.
Seconds loading_time(const StepScene& scene, std::int64_t global_batch) {
  const TokensPerSecond rate = scene.job.loader;
  if (rate <= TokensPerSecond()) return {};
  const double tokens = static_cast<double>(global_batch) * static_cast<double>(scene.job.sequence);
  return Tokens::from_base(tokens) / rate;
}

void set_work(Step& step, std::int64_t global_batch) {
  const double tokens =
      static_cast<double>(global_batch) * static_cast<double>(step.scene.job.sequence);
  const Flops forward = step.scene.forward_per_token;
  // Frozen weights have no gradients; attention has no weights.
  const Flops weights = step.scene.frozen ? forward - step.scene.attention_per_token : Flops();
  const Flops trained = forward * 3.0 - weights;
  step.time.model_work = trained * tokens;
  // Layers are computed again, the head is not.
  const double layers = 1.0 - Flops::from_base(2.0 * step.scene.table_weights) / forward;
  step.time.hardware_work = (trained + forward * (step.block.again * layers)) * tokens;
}

// Software sets the pace of its own work; no software makes the link to the host faster.
void keep_pace(const StepScene& scene, const Layout& layout, StepTime& time) {
  for (std::size_t i = 0; i < kNumParts; ++i) {
    const auto part = static_cast<Part>(i);
    const bool is_link =
        part == Part::kOffload || (part == Part::kOptimizer && layout.offload.optimizer);
    time.parts[i] = time.parts[i] * (is_link ? std::max(1.0, scene.pace) : scene.pace);
  }
}

// Whatever the software's pace and what was measured of the parts, the whole is no faster than the
// datasheet.
void lay_over_measured(const StepScene& scene, Seconds least, StepTime& time) {
  for (std::size_t i = 0; i < kNumParts; ++i)
    time.parts[i] = time.parts[i] * scene.job.measured[static_cast<Part>(i)];
  const Seconds total = time.total();
  if (total >= least) return;
  for (Seconds& part : time.parts) part = part * (least / total);
}

constexpr std::array<std::string_view, kNumParts> kPartNames{
    "gemm",      "attention", "pointwise", "head", "recompute", "tp",
    "cp",        "ep",        "fsdp",      "dp",   "p2p",       "bubble",
    "imbalance", "optimizer", "offload",   "host", "data",      "straggler",
};

// A step refers to the question's layout.
Step make_step(const StepScene&, const BlockTime&, StepQuestion&&) = delete;
Step make_step(const StepScene& scene, const BlockTime& block, const StepQuestion& question) {
  const Layout& layout = question.layout;
  return {scene,
          block,
          layout,
          micro_batches(question.global_batch, layout),
          rank_parameters(scene, layout),
          {}};
}

}  // namespace

std::string_view name(Part part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

Seconds StepTime::total() const {
  Seconds sum;
  for (const Seconds part : parts) sum += part;
  return sum;
}

SharingTime sharing_time(const StepScene& scene, const BlockTime& block,
                         const StepQuestion& question) {
  const Step step = make_step(scene, block, question);
  return {full_sharding(step), data_parallel(step)};
}

CommonParts common_parts(const StepScene& scene, const StepPieces& pieces,
                         const StepQuestion& question) {
  Step step = make_step(scene, pieces.block, question);
  add_compute(step);
  step.time[Part::kPointwise] += widening(step);
  step.time[Part::kGemm] += adapter_products(step);
  step.time[Part::kFsdp] = pieces.sharing.gathers;
  add_pipeline(step, pieces.pipeline);
  step.time[Part::kDp] = pieces.sharing.reductions;
  set_work(step, question.global_batch);
  CommonParts common{.time = step.time};
  set_update(step, common);
  common.micro_batches = step.micro_batches;
  common.fixed = fixed_time(scene);
  common.loading = loading_time(scene, question.global_batch);
  common.least = step.time.hardware_work / scene.peak;
  return common;
}

StepTime finish_step(const StepScene& scene, const StepPieces& pieces,
                     const StepQuestion& question) {
  const Layout& layout = question.layout;
  const CommonParts common = common_parts(scene, pieces, question);
  StepTime time = common.time;
  time[Part::kOffload] = offload_time(scene, pieces.block, layout) * common.micro_batches;
  time[Part::kStraggler] = time.total() * scene.straggler;
  add_optimizer(common, layout.offload, time);
  time[Part::kHost] += common.fixed;
  LF_CHECK(time.total() >= common.least, "a step beats the roofline");
  keep_pace(scene, layout, time);
  if (common.loading > Seconds())
    time[Part::kData] = std::max(Seconds{}, common.loading - time.total());
  lay_over_measured(scene, common.least, time);
  return time;
}

Seconds least_pipeline_work(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                            PipelineWorkspace& workspace) {
  const PipelineForm form = pipeline_form(scene, key);
  set_stage_times(scene, block, key, form, workspace.chunks);
  const Seconds latency = block.hop * (2.0 * (form.ranks - 1));
  return least_makespan(form, workspace.chunks) + latency * kBoundSlack;
}

Seconds least_even_work(const StepScene& scene, const BlockTime& block, double micro_batches,
                        int pp) {
  const HeadTime& head = block.head;
  const Seconds spared = pp == 1 ? caught_up(block, scene.layers) : Seconds{};
  const Seconds all = (block.layer.forward() + block.layer.backward()) * scene.layers +
                      both(head.embedding) + (both(head.gemm) + both(head.loss)) * scene.heads -
                      spared;
  return all * (micro_batches / pp * kBoundSlack);
}

Seconds work_of(const StepScene& scene, const StepTime& step) {
  const Seconds others = step[Part::kDp] + step[Part::kOffload] + step[Part::kStraggler] +
                         step[Part::kOptimizer] + step[Part::kData] +
                         fixed_time(scene) * scene.pace;
  return (step.total() - others) / scene.pace;
}

Seconds least_total(const StepScene& scene, Seconds work) {
  return (work * (1.0 + scene.straggler) + fixed_time(scene)) *
         (scene.pace * scene.job.measured.least() * kBoundSlack);
}

LeastTotals::LeastTotals(const StepScene& scene, const BlockTime& block,
                         const StepQuestion& question, Seconds reductions)
    : scene_(scene),
      block_(block),
      reductions_(reductions),
      micro_batches_(micro_batches(question.global_batch, question.layout)) {
  const double least = scene.pace * scene.job.measured.least() * kBoundSlack;
  factor_ = (1.0 + scene.straggler) * least;
  StepQuestion changed = question;
  for (const bool away : {false, true}) {
    changed.layout.offload.optimizer = away;
    const Step step = make_step(scene, block, changed);
    on_top_[away ? 1 : 0] =
        (optimizer_time(step, away) + accumulation(step) + fixed_time(scene)) * least;
  }
}

Seconds LeastTotals::plain(Seconds work, bool offloads_optimizer) const {
  return (work + reductions_) * factor_ + on_top_[offloads_optimizer ? 1 : 0];
}

Seconds LeastTotals::total(Seconds work, const Layout& layout) const {
  const Seconds offload = offload_time(scene_, block_, layout) * micro_batches_;
  return plain(work + offload, layout.offload.optimizer);
}

StepTime step_time(const StepScene& scene, const StepQuestion& question,
                   PipelineWorkspace& workspace) {
  const Layout& layout = question.layout;
  const BlockTime block = block_time(scene, block_key(scene, layout));
  const GatherTime gather = gather_time(scene, block, layout);
  const PipelineKey key =
      pipeline_key(layout, micro_batches(question.global_batch, layout), gather);
  const PipelineTime pipeline = pipeline_time(scene, block, key, workspace);
  const SharingTime sharing = sharing_time(scene, block, question);
  return finish_step(scene, {block, pipeline, sharing}, question);
}

StepTime step_time(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                   const KernelFamily& family) {
  PipelineWorkspace workspace;
  const StepScene scene = make_scene(job, constants, chip, family);
  return step_time(scene, {job.layout, job.global_batch}, workspace);
}

}  // namespace loadfactor::training
