#include "training/memory_plan.h"

#include <algorithm>

#include "base/check.h"
#include "training/memory_plan_layer.h"
#include "training/memory_plan_stages.h"

namespace loadfactor::training {
namespace {

constexpr double kHalf = 2.0;              // Bytes of a 16-bit element.
constexpr double kIdsPerToken = 16.0;      // Bytes: token, label and position.
constexpr double kLastNorm = 3.0 * kHalf;  // Input, output and gradient of the norm at the head.

constexpr std::size_t at(MemoryGroup group) {
  return static_cast<std::size_t>(group);
}

// Parameters on one rank, by the replicas they can be shared with.
struct StageParameters {
  double dense = 0;  // Layers, without embedding and head.
  double experts = 0;
  double table = 0;   // Embedding or head, one of them.
  int tables = 0;     // How many of them this rank holds.
  double widest = 0;  // The largest layer.
  double shapes = 0;  // Elements of one weight of each distinct shape.

  double total() const { return dense + experts + tables * table; }
};

// Bytes of one micro-batch on one rank.
struct StageActivations {
  SavedBytes kept{};    // By all layers of the stage,
  Bytes offloaded;      // and what they keep on the host.
  SavedBytes widest{};  // By the layer with the most to hold in backward, alone.
  Bytes widest_redone;  // What that layer computes again.
  Bytes recomputed;     // Most that any layer computes again.
  Bytes transient;      // Most that lives beside a layer in backward.
};

// Everything a stage needs is a function of the question; this class holds the intermediate.
class StagePlanner {
 public:
  StagePlanner(const MemoryQuestion& question, const MemoryScale& scale, const StageShape& shape)
      : question_(question),
        traits_(question.stack->memory),
        scale_(scale),
        shape_(shape),
        tied_(question.model->embedding.tied && shape.first && shape.last) {}

  StageMemory plan();

 private:
  StateWidths widths() const;
  double replicas(double all) const;
  void count_parameters();
  void count_activations();
  void keep_layers(const LayerActivations& layer, int count);
  void place_state();
  void place_shards(double parameters, double replicas);
  void place_buffers();
  Bytes inputs() const;
  Bytes logits() const;
  Bytes head_gradient() const;
  Bytes late_gradients(Moment moment) const;
  Moment find_peak() const;
  void place_moment();
  Bytes& group(MemoryGroup g) { return out_.groups[at(g)]; }

  const MemoryQuestion& question_;
  const MemoryTraits& traits_;
  const MemoryScale& scale_;
  const StageShape& shape_;
  bool tied_;
  StageParameters parameters_;
  StageActivations activations_;
  StageMemory out_;
};

// The stack's widths, as the job's precision changes them.
StateWidths StagePlanner::widths() const {
  const Precision& precision = question_.precision;
  const bool fp16 = precision.compute == catalog::Dtype::kFp16;
  StateWidths out = fp16 ? traits_.state_fp16 : traits_.state;
  if (precision.short_gradients && out.gradient > kHalf) {
    out.shard_gradient = out.gradient;
    out.gradient = kHalf;
  }
  if (precision.short_moments) out.optimizer = std::max(0.0, out.optimizer - 2.0 * kHalf);
  return out;
}

void StagePlanner::count_parameters() {
  const auto& model = *question_.model;
  double attention = 0;
  double mlp = 0;
  double expert = 0;
  const std::size_t kinds = std::min(model.kinds.size(), kMostKinds);
  for (std::size_t k = 0; k < kinds; ++k) {
    const int count = shape_.of_kind[k];
    if (count == 0) continue;
    const LayerParameters layer = layer_parameters(model, model.kinds[k], scale_);
    parameters_.dense += count * layer.dense();
    parameters_.experts += count * layer.experts;
    parameters_.widest = std::max(parameters_.widest, layer.total());
    attention = std::max(attention, layer.attention);
    // A dense MLP and a shared expert have shapes of their own.
    if (layer.experts > 0) {
      expert = std::max(expert, layer.one_expert + layer.mlp);
    } else {
      mlp = std::max(mlp, layer.mlp);
    }
  }
  parameters_.shapes = attention + mlp + expert;
  const double width = model.embedding.project > 0 ? model.embedding.project : model.hidden;
  parameters_.table = static_cast<double>(model.embedding.vocab) * width / scale_.tp;
  parameters_.tables = (shape_.first ? 1 : 0) + (shape_.last && !tied_ ? 1 : 0);
  if (shape_.first) parameters_.dense += static_cast<double>(model.embedding.positions) * width;
}

void StagePlanner::keep_layers(const LayerActivations& layer, int count) {
  const Layout& layout = question_.layout;
  const Recompute& recompute = layout.recompute;
  const double layers = shape_.layers;
  const double redone =
      recompute.kind == RecomputeKind::kFull && recompute.layers_per_stage > 0
          ? std::min(1.0, static_cast<double>(recompute.layers_per_stage) * layout.vp / layers)
          : 1.0;
  const Offload& offload = layout.offload;
  const double away = offload.activation_layers > 0
                          ? std::min(1.0, static_cast<double>(offload.activation_layers) / layers)
                          : 0.0;
  for (std::size_t i = 0; i < kNumSavedTensors; ++i) {
    const Bytes one = layer.kept[i] * redone + layer.saved[i] * (1.0 - redone);
    const bool input = i == static_cast<std::size_t>(SavedTensor::kLayerInput);
    const double moved = away > 0 ? away : offload.activations && input ? 1.0 : 0.0;
    activations_.kept[i] += one * (count * (1.0 - moved));
    activations_.offloaded += one * (count * moved);
  }
  const Bytes redo = total(layer.saved) - total(layer.kept);
  if (total(layer.saved) > total(activations_.widest) + activations_.widest_redone) {
    activations_.widest = layer.kept;
    activations_.widest_redone = redo;
  }
  activations_.recomputed = std::max(activations_.recomputed, redo);
  activations_.transient = std::max(activations_.transient, layer.transient);
}

void StagePlanner::count_activations() {
  const auto& model = *question_.model;
  const std::size_t kinds = std::min(model.kinds.size(), kMostKinds);
  for (std::size_t k = 0; k < kinds; ++k) {
    const int count = shape_.of_kind[k];
    if (count == 0) continue;
    keep_layers(layer_activations(question_, scale_, model.kinds[k]), count);
  }
}

// Ranks that share one copy of the state, of `all` that hold the same parameters.
double StagePlanner::replicas(double all) const {
  const double group = question_.layout.shard_group;
  return group > 0 ? std::max(1.0, std::min(group, all)) : all;
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
  const double weight =
      scale_.frozen ? (traits_.narrow_inputs ? scale_.input_width : kHalf) : w.weight;
  const double tuned = scale_.frozen ? trained * w.weight : 0.0;
  const Bytes weights =
      Bytes::from_base((parameters * weight + tuned) / (scale_.sharded ? d : 1.0));
  const double state = w.optimizer + (scale_.sharded ? 0.0 : w.shard_gradient);
  const Bytes held = Bytes::from_base(trained * state / (optimizer ? d : 1.0));
  group(MemoryGroup::kGradients) += Bytes::from_base(trained * w.gradient / (gradients ? d : 1.0));
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
    // Where everything is reduced in 16 bit, no wider copy of the gradient comes to be.
    const bool narrow = question_.precision.pure || question_.precision.short_gradients;
    const double gradient =
        narrow ? std::min(kHalf, traits_.gathered_gradient) : traits_.gathered_gradient;
    double bytes = traits_.gathered_weight * (live + tables * p.table) + gradient * p.widest;
    if (layout.pp > 1) bytes += traits_.pipeline_gradient * p.total();
    group(MemoryGroup::kGathered) = Bytes::from_base(bytes);
  }
  group(MemoryGroup::kBuckets) = traits_.buckets;
  // Gradients that are reduced at once and thrown away need no stand-in.
  if (traits_.dummy_gradients && !scale_.frozen && !scale_.sharded) {
    group(MemoryGroup::kDummyGradients) =
        Bytes::from_base(kHalf * (p.shapes + (shape_.last ? p.table : 0.0)));
  }
}

// Bytes beside the layers' activations, per micro-batch in flight.
Bytes StagePlanner::inputs() const {
  const double hidden = question_.model->hidden;
  const bool sends = traits_.stage_outputs && question_.layout.pp > 1 && !shape_.last;
  double per_token = kIdsPerToken;
  if (shape_.first && traits_.dropout_masks) per_token += hidden / scale_.sp;
  if (sends) per_token += kHalf * hidden;
  return Bytes::from_base(per_token * scale_.tokens);
}

Bytes StagePlanner::logits() const {
  const auto& model = *question_.model;
  const double per_logit = question_.layout.tp > 1 ? traits_.loss_tp : traits_.loss;
  const double vocab = static_cast<double>(model.embedding.vocab) / scale_.tp;
  return Bytes::from_base(scale_.tokens *
                          (vocab * per_logit + kLastNorm * model.hidden / scale_.sp));
}

Bytes StagePlanner::head_gradient() const {
  if (!traits_.head_gradient_at_loss) return {};
  const bool gathered = scale_.sharded && scale_.data > 1;
  return Bytes::from_base(parameters_.table * (gathered ? traits_.gathered_gradient : kHalf));
}

// Finds the moment with the most bytes; ties go to the earliest.
Moment StagePlanner::find_peak() const {
  const auto& a = activations_;
  const Bytes held = (total(a.kept) + inputs()) * shape_.in_flight;
  const Bytes layer = total(a.widest) + a.widest_redone + a.transient;
  const std::array<Bytes, 4> moments{
      shape_.last ? held + logits() + head_gradient() : Bytes(), held + a.recomputed + a.transient,
      late_gradients(Moment::kBackwardFirst) + layer, late_gradients(Moment::kOptimizerStep)};
  return static_cast<Moment>(std::max_element(moments.begin(), moments.end()) - moments.begin());
}

// At the first layer's backward its own gradient and the embedding's are still to come.
Bytes StagePlanner::late_gradients(Moment moment) const {
  const auto& p = parameters_;
  const double there =
      moment == Moment::kOptimizerStep ? p.total() : std::max(0.0, p.total() - p.table - p.widest);
  return Bytes::from_base(traits_.late_gradient * there);
}

// Places what is live at the peak.
void StagePlanner::place_moment() {
  const auto& a = activations_;
  out_.peak = find_peak();
  if (out_.peak == Moment::kLoss) {
    group(MemoryGroup::kLogits) = logits();
    group(MemoryGroup::kHeadGradient) = head_gradient();
  } else if (out_.peak != Moment::kOptimizerStep) {
    group(MemoryGroup::kRecomputed) =
        out_.peak == Moment::kBackwardLast ? a.recomputed : a.widest_redone;
    group(MemoryGroup::kBackward) = a.transient;
  }
  if (out_.peak == Moment::kLoss || out_.peak == Moment::kBackwardLast) {
    group(MemoryGroup::kInputs) = inputs() * shape_.in_flight;
    for (std::size_t i = 0; i < kNumSavedTensors; ++i) {
      out_.saved[i] = a.kept[i] * shape_.in_flight;
    }
  } else {
    group(MemoryGroup::kLateGradients) = late_gradients(out_.peak);
    if (out_.peak == Moment::kBackwardFirst) out_.saved = a.widest;
  }
  group(MemoryGroup::kActivations) = total(out_.saved);
  out_.host += a.offloaded * shape_.in_flight;
}

StageMemory StagePlanner::plan() {
  out_.rank = shape_.rank;
  out_.layers = shape_.layers;
  out_.in_flight = shape_.in_flight;
  count_parameters();
  count_activations();
  place_state();
  place_buffers();
  place_moment();
  group(MemoryGroup::kSlack) = out_.allocated() * traits_.slack;
  group(MemoryGroup::kContext) = traits_.context;
  return out_;
}

Verdict verdict_of(const MemoryPlan& plan) {
  if (plan.capacity <= Bytes()) return Verdict::kNotAsked;
  if (plan.fill() > kFullLine) return Verdict::kDoesNotFit;
  return plan.fill() > kTightLine ? Verdict::kTight : Verdict::kFits;
}

}  // namespace

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
  question.expert_imbalance = job.expert_imbalance;
  if (job.chip != nullptr) question.capacity = job.chip->memory.usable - job.stack->memory.driver;
  return question;
}

MemoryPlan plan_memory(const MemoryQuestion& question) {
  LF_CHECK(question.model != nullptr && question.stack != nullptr);
  const MemoryScale scale(question);
  const StageShapes shapes = find_stage_shapes(question);
  MemoryPlan plan;
  for (std::size_t i = 0; i < shapes.count; ++i) {
    plan.stages[i] = StagePlanner(question, scale, shapes.shapes[i]).plan();
    if (plan.stages[i].allocated() > plan.stages[plan.peak_stage].allocated()) plan.peak_stage = i;
  }
  plan.num_stages = shapes.count;
  const StageMemory& peak = plan.peak();
  plan.needed = peak.allocated() + peak.of(MemoryGroup::kSlack) * kNeededSlack +
                peak.of(MemoryGroup::kContext);
  plan.capacity = question.capacity;
  plan.verdict = verdict_of(plan);
  return plan;
}

}  // namespace loadfactor::training
