#include "training/memory/memory_plan.h"

#include <algorithm>

#include "base/check.h"
#include "training/job/routing_over_ranks.h"
#include "training/memory/memory_plan_layer.h"
#include "training/memory/memory_plan_pieces.h"

namespace loadfactor::training {
namespace {

constexpr std::size_t at(MemoryGroup group) {
  return static_cast<std::size_t>(group);
}

// Everything a stage needs is a function of the question; this class holds the intermediate.
class StagePlanner {
 public:
  StagePlanner(const MemoryQuestion& question, const MemoryScale& scale, const MemoryStage& stage)
      : question_(question),
        traits_(question.stack->memory),
        scale_(scale),
        stage_(stage),
        parameters_(stage.parameters),
        activations_(stage.activations) {}

  StageMemory plan();
  // The same without what the activations are made up of.
  const StageMemory& groups();
  // The halves of that, each alone.
  const StageMemory& state();
  const StageMemory& moment();

 private:
  StateWidths widths() const;
  double replicas(double all) const;
  void place_state();
  void place_shards(double parameters, double replicas);
  void place_buffers();
  Bytes head_gradient() const;
  Bytes late_gradients(Moment moment) const;
  Moment find_peak() const;
  void place_moment();
  void place_saved();
  Bytes& group(MemoryGroup g) { return out_.groups[at(g)]; }

  const MemoryQuestion& question_;
  const MemoryTraits& traits_;
  const MemoryScale& scale_;
  const MemoryStage& stage_;
  const StageParameters& parameters_;
  const StageActivations& activations_;
  StageMemory out_;
};

// Nothing is kept wider: weights and gradients of 2 bytes, two moments, and no master copy.
StateWidths in_16_bits(const StateWidths& usual) {
  return {std::min(usual.weight, kBytesOf16Bits), std::min(usual.gradient, kBytesOf16Bits),
          std::min(usual.optimizer, 2.0 * kBytesOf16Bits), 0};
}

// The stack's widths, as the job's precision changes them.
StateWidths StagePlanner::widths() const {
  const Precision& precision = question_.precision;
  const bool fp16 = precision.compute == catalog::Dtype::kFp16;
  StateWidths out = fp16 ? traits_.state_fp16 : traits_.state;
  // The buffer in which such a stack sums gradients travels as it is: what a job says of the one
  // holds for the other.
  const double told = question_.stack->fp32_main_grad ? precision.wire_gradient : 0;
  const bool is_short = precision.short_gradients || (told > 0 && told <= kBytesOf16Bits);
  if (told > out.gradient) {
    out.gradient = told;
    out.shard_gradient = 0;  // It is as wide as the optimizer reads it.
  }
  if (is_short && out.gradient > kBytesOf16Bits) {
    out.shard_gradient = out.gradient;
    out.gradient = kBytesOf16Bits;
  }
  // A compiler hands gradients to the optimizer one by one, unless they add up over micro-batches.
  if (question_.stack->compiler && question_.micro_batches > 1)
    out.gradient = std::max(out.gradient, out.weight);
  if (precision.short_moments) out.optimizer = std::max(0.0, out.optimizer - 2.0 * kBytesOf16Bits);
  return precision.pure ? in_16_bits(out) : out;
}

// Ranks that share one copy of the state, of `all` that hold the same parameters.
double StagePlanner::replicas(double all) const {
  const double group = question_.layout.shard_group;
  // As many in a group hold the same experts as among all ranks.
  return group > 0 ? std::clamp(group * all / scale_.data, 1.0, all) : all;
}

void StagePlanner::place_shards(double parameters, double all) {
  const Layout& layout = question_.layout;
  const double d = replicas(all);
  const bool optimizer = layout.sharding != Sharding::kNone;
  // Micro-batches of a pipeline add to whole gradients, ZeRO-2 or not.
  const bool gradients =
      scale_.sharded || (layout.sharding == Sharding::kGradients && layout.pp == 1);
  const StateWidths w = widths();
  const double trained = parameters * question_.trainable_share;
  const double resting = question_.precision.frozen_weight;
  const double frozen =
      resting > 0 ? resting : (traits_.narrow_inputs ? scale_.product_width : kBytesOf16Bits);
  const double weight = scale_.frozen ? frozen : w.weight;
  const double tuned = scale_.frozen ? trained * w.weight : 0.0;
  const Bytes weights =
      Bytes::from_base((parameters * weight + tuned) / (scale_.sharded ? d : 1.0));
  const double state = w.optimizer + (scale_.sharded ? 0.0 : w.shard_gradient);
  const Bytes held = Bytes::from_base(trained * state / (optimizer ? d : 1.0));
  group(MemoryGroup::kGradients) += Bytes::from_base(trained * w.gradient / (gradients ? d : 1.0));
  constexpr double kErrorWidth = 4;  // What compression loses of a gradient waits for the next one.
  if (question_.precision.compression != Compression::kNone)
    group(MemoryGroup::kGradients) += Bytes::from_base(trained * kErrorWidth);
  (layout.offload.parameters ? out_.host : group(MemoryGroup::kWeights)) += weights;
  (layout.offload.optimizer ? out_.host : group(MemoryGroup::kOptimizer)) += held;
}

void StagePlanner::place_state() {
  const auto& p = parameters_;
  place_shards(p.dense + p.tables * p.table, scale_.data);
  place_shards(p.experts, scale_.expert_data);
}

void StagePlanner::place_buffers() {
  const Layout& layout = question_.layout;
  const auto& p = parameters_;
  const bool compiler = question_.stack->compiler;
  const double tables = compiler ? std::min(1, p.tables) : p.tables;
  if ((scale_.sharded && scale_.data > 1) || layout.offload.parameters) {
    const bool stays = scale_.sharded && !layout.reshard_after_forward;
    const double live = stays ? p.dense + p.experts : p.widest * traits_.gathered_layers;
    // Quantised weights travel as they rest; one layer at a time is widened for its products.
    const double resting = scale_.frozen ? question_.precision.frozen_weight : 0.0;
    const double layers =
        resting > 0 ? resting * live + kBytesOf16Bits * p.widest : traits_.gathered_weight * live;
    // Where everything is reduced in 16 bit, no wider copy of the gradient comes to be.
    const Precision& precision = question_.precision;
    const bool told = precision.wire_gradient > 0 && precision.wire_gradient <= kBytesOf16Bits;
    const bool narrow = precision.pure || told || precision.short_gradients;
    const double gradient =
        narrow ? std::min(kBytesOf16Bits, traits_.gathered_gradient) : traits_.gathered_gradient;
    // Weights that are not trained have no gradient to gather.
    const double trained = scale_.frozen ? question_.trainable_share : 1.0;
    double bytes =
        layers + traits_.gathered_weight * tables * p.table + gradient * trained * p.widest;
    if (layout.pp > 1) bytes += traits_.pipeline_gradient * p.total();
    group(MemoryGroup::kGathered) = Bytes::from_base(bytes);
  }
  group(MemoryGroup::kBuckets) = traits_.buckets;
  // Gradients that are reduced at once and thrown away need no stand-in.
  if (traits_.dummy_gradients && !scale_.frozen && !scale_.sharded) {
    group(MemoryGroup::kDummyGradients) =
        Bytes::from_base(kBytesOf16Bits * (p.shapes + (stage_.last ? p.table : 0.0)));
  }
}

Bytes StagePlanner::head_gradient() const {
  if (!traits_.head_gradient_at_loss) return {};
  const bool gathered = scale_.sharded && scale_.data > 1;
  return Bytes::from_base(parameters_.table *
                          (gathered ? traits_.gathered_gradient : kBytesOf16Bits));
}

// Finds the moment with the most bytes; ties go to the earliest.
Moment StagePlanner::find_peak() const {
  const auto& a = activations_;
  const Bytes held = (a.kept_total + a.inputs) * stage_.in_flight;
  const Bytes layer = a.widest_total + a.widest_redone + a.transient;
  const std::array<Bytes, 4> moments{
      stage_.last ? held + a.logits + head_gradient() : Bytes(), held + a.recomputed + a.transient,
      late_gradients(Moment::kBackwardFirst) + layer, late_gradients(Moment::kOptimizerStep)};
  return static_cast<Moment>(std::max_element(moments.begin(), moments.end()) - moments.begin());
}

// At the first layer's backward its own gradient and the embedding's are still to come.
Bytes StagePlanner::late_gradients(Moment moment) const {
  const auto& p = parameters_;
  const double there =
      moment == Moment::kOptimizerStep ? p.total() : std::max(0.0, p.total() - p.table - p.widest);
  return Bytes::from_base(traits_.late_gradient * there * question_.trainable_share);
}

// Places what is live at the peak.
void StagePlanner::place_moment() {
  const auto& a = activations_;
  out_.peak = find_peak();
  if (out_.peak == Moment::kLoss) {
    group(MemoryGroup::kLogits) = a.logits;
    group(MemoryGroup::kHeadGradient) = head_gradient();
  } else if (out_.peak != Moment::kOptimizerStep) {
    group(MemoryGroup::kRecomputed) =
        out_.peak == Moment::kBackwardLast ? a.recomputed : a.widest_redone;
    group(MemoryGroup::kBackward) = a.transient;
  }
  if (out_.peak == Moment::kLoss || out_.peak == Moment::kBackwardLast) {
    group(MemoryGroup::kInputs) = a.inputs * stage_.in_flight;
    group(MemoryGroup::kActivations) = a.kept_total * stage_.in_flight;
  } else {
    group(MemoryGroup::kLateGradients) = late_gradients(out_.peak);
    if (out_.peak == Moment::kBackwardFirst) group(MemoryGroup::kActivations) = a.widest_total;
  }
  out_.host += a.offloaded * stage_.in_flight;
}

// The tensors behind the group kActivations.
void StagePlanner::place_saved() {
  const auto& a = activations_;
  if (out_.peak == Moment::kBackwardFirst) out_.saved = a.widest;
  if (out_.peak != Moment::kLoss && out_.peak != Moment::kBackwardLast) return;
  for (std::size_t i = 0; i < kNumSavedTensors; ++i) out_.saved[i] = a.kept[i] * stage_.in_flight;
}

StageMemory StagePlanner::plan() {
  groups();
  place_saved();
  return out_;
}

const StageMemory& StagePlanner::groups() {
  out_.rank = stage_.rank;
  out_.layers = stage_.layers;
  out_.in_flight = stage_.in_flight;
  place_state();
  place_buffers();
  place_moment();
  group(MemoryGroup::kSlack) = out_.allocated() * traits_.slack;
  group(MemoryGroup::kContext) = traits_.context;
  return out_;
}

const StageMemory& StagePlanner::state() {
  place_state();
  place_buffers();
  return out_;
}

const StageMemory& StagePlanner::moment() {
  place_moment();
  return out_;
}

}  // namespace

Verdict verdict_of(const MemoryQuestion& question, Bytes needed, Bytes host) {
  if (question.capacity <= Bytes()) return Verdict::kNotAsked;
  const double fill = needed / question.capacity;
  if (fill > kFullLine || !has_host_room(question, host)) return Verdict::kDoesNotFit;
  return fill > kTightLine ? Verdict::kTight : Verdict::kFits;
}

Bytes needed_for(const MemoryQuestion& question, Bytes allocated) {
  const MemoryTraits& traits = question.stack->memory;
  return allocated + allocated * traits.slack * kNeededSlack + traits.context;
}

StageMemory state_of(const MemoryQuestion& question, const MemoryStage& stage) {
  return StagePlanner(question, MemoryScale(question), stage).state();
}

std::array<StageMemory, MemoryPlan::kMostStages> moments_of(const MemoryQuestion& question,
                                                            const MemoryStages& stages) {
  const MemoryScale scale(question);
  std::array<StageMemory, MemoryPlan::kMostStages> moments;
  for (std::size_t i = 0; i < stages.count; ++i)
    moments[i] = StagePlanner(question, scale, stages.stages[i]).moment();
  return moments;
}

Bytes StageMemory::allocated() const {
  Bytes sum;
  for (std::size_t i = 0; i < at(MemoryGroup::kSlack); ++i) sum += groups[i];
  return sum;
}

Bytes StageMemory::reserved() const {
  return allocated() + of(MemoryGroup::kSlack);
}

Bytes StageMemory::used() const {
  return reserved() + of(MemoryGroup::kContext);
}

bool has_host_room(const MemoryQuestion& question, Bytes host) {
  return question.host_capacity <= Bytes() || host <= question.host_capacity;
}

MemoryQuestion memory_question(const TrainingJob& job) {
  const Layout& layout = job.layout;
  const double sequences = static_cast<double>(layout.dp) * static_cast<double>(layout.micro_batch);
  MemoryQuestion question;
  question.model = job.model;
  question.stack = job.stack;
  question.layout = layout;
  question.sequence = job.sequence;
  question.micro_batches = std::max(1.0, static_cast<double>(job.global_batch) / sequences);
  question.precision = job.precision;
  question.trainable_share = job.trainable_share;
  question.adapts_mlp = job.adapts_mlp;
  question.expert_imbalance = over_ranks(job.routing, layout.ep).room();
  if (job.chip != nullptr) question.capacity = job.chip->memory.usable - job.stack->memory.driver;
  const int sharers = std::max(1, std::min(job.fabric.host_gpus, layout.gpus));
  // Memory behind a link of its own is no part of the host's.
  if (!job.fabric.offload) question.host_capacity = job.fabric.host_memory / sharers;
  return question;
}

MemoryPlan finish_memory(const MemoryQuestion& question, const MemoryStages& stages) {
  const MemoryScale scale(question);
  MemoryPlan plan;
  Bytes most;
  for (std::size_t i = 0; i < stages.count; ++i) {
    plan.stages[i] = StagePlanner(question, scale, stages.stages[i]).plan();
    plan.host = std::max(plan.host, plan.stages[i].host);
    const Bytes allocated = plan.stages[i].allocated();
    if (i > 0 && allocated <= most) continue;
    most = allocated;
    plan.peak_stage = i;
  }
  plan.num_stages = stages.count;
  plan.needed = needed_for(question, plan.peak().allocated());
  plan.capacity = question.capacity;
  plan.host_capacity = question.host_capacity;
  plan.verdict = verdict_of(question, plan.needed, plan.host);
  return plan;
}

MemoryNeed memory_need(const MemoryQuestion& question, const MemoryStages& stages) {
  const MemoryScale scale(question);
  MemoryNeed need;
  Bytes most;
  for (std::size_t i = 0; i < stages.count; ++i) {
    StagePlanner planner(question, scale, stages.stages[i]);
    const StageMemory& stage = planner.groups();
    need.host = std::max(need.host, stage.host);
    const Bytes allocated = stage.allocated();
    if (i > 0 && allocated <= most) continue;
    most = allocated;
  }
  need.needed = needed_for(question, most);
  need.verdict = verdict_of(question, need.needed, need.host);
  return need;
}

MemoryPlan plan_memory(const MemoryQuestion& question) {
  LF_CHECK(question.model != nullptr && question.stack != nullptr);
  const MemoryBlock block = memory_block(question);
  return finish_memory(question, memory_stages(question, block, find_stage_shapes(question)));
}

}  // namespace loadfactor::training
