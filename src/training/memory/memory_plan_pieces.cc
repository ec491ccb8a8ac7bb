#include "training/memory/memory_plan_pieces.h"

#include <algorithm>

#include "workload/layer_weights.h"

namespace loadfactor::training {
namespace {

constexpr double kIdsPerToken = 16.0;  // Bytes: token, label and position.
constexpr double kLastNorm =
    3.0 * kBytesOf16Bits;  // Input, output and gradient of the norm at the head.

// Adds up what the layers of one stage hold.
class StageCounter {
 public:
  StageCounter(const MemoryQuestion& question, const MemoryScale& scale, const MemoryBlock& block,
               const StageShape& shape)
      : question_(question),
        traits_(question.stack->memory),
        scale_(scale),
        block_(block),
        shape_(shape),
        tied_(question.model->embedding.tied && shape.first && shape.last) {}

  // As set_kept() has it.
  void keep(MemoryStage& stage) {
    keep_all();
    stage.activations.kept = out_.activations.kept;
    stage.activations.kept_total = total(out_.activations.kept);
    stage.activations.offloaded = out_.activations.offloaded;
  }

  MemoryStage count() {
    out_.rank = shape_.rank;
    out_.layers = shape_.layers;
    out_.in_flight = shape_.in_flight;
    out_.last = shape_.last;
    count_parameters();
    count_activations();
    return out_;
  }

 private:
  void count_parameters();
  void count_activations();
  void keep_all();
  void keep_layers(const LayerActivations& layer, int count);
  void find_widest(const LayerActivations& layer);
  Bytes inputs() const;
  Bytes logits() const;

  const MemoryQuestion& question_;
  const MemoryTraits& traits_;
  const MemoryScale& scale_;
  const MemoryBlock& block_;
  const StageShape& shape_;
  bool tied_;
  MemoryStage out_;
};

void StageCounter::count_parameters() {
  const auto& model = *question_.model;
  double attention = 0;
  double mlp = 0;
  double expert = 0;
  const std::size_t kinds = std::min(model.kinds.size(), kMostKinds);
  for (std::size_t k = 0; k < kinds; ++k) {
    const int count = shape_.of_kind[k];
    if (count == 0) continue;
    const LayerParameters& layer = block_.parameters[k];
    out_.parameters.dense += count * layer.dense();
    out_.parameters.experts += count * layer.experts;
    out_.parameters.widest = std::max(out_.parameters.widest, layer.total());
    attention = std::max(attention, layer.attention);
    // A dense MLP and a shared expert have shapes of their own.
    if (layer.experts > 0) {
      expert = std::max(expert, layer.one_expert + layer.mlp);
    } else {
      mlp = std::max(mlp, layer.mlp);
    }
  }
  out_.parameters.shapes = attention + mlp + expert;
  out_.parameters.table = block_.table / scale_.tp;
  out_.parameters.tables = (shape_.first ? 1 : 0) + (shape_.last && !tied_ ? 1 : 0);
  const workload::EndWeights& ends = block_.ends;
  if (shape_.first) out_.parameters.dense += ends.input + ends.split / scale_.tp;
  if (shape_.last) out_.parameters.dense += ends.output;
}

void StageCounter::keep_layers(const LayerActivations& layer, int count) {
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
    out_.activations.kept[i] += one * (count * (1.0 - moved));
    out_.activations.offloaded += one * (count * moved);
  }
}

void StageCounter::find_widest(const LayerActivations& layer) {
  const Bytes redo = total(layer.saved) - total(layer.kept);
  if (total(layer.saved) > out_.activations.widest_total + out_.activations.widest_redone) {
    out_.activations.widest = layer.kept;
    out_.activations.widest_total = total(layer.kept);
    out_.activations.widest_redone = redo;
  }
  out_.activations.recomputed = std::max(out_.activations.recomputed, redo);
  out_.activations.transient = std::max(out_.activations.transient, layer.transient);
}

void StageCounter::keep_all() {
  const std::size_t kinds = std::min(question_.model->kinds.size(), kMostKinds);
  for (std::size_t k = 0; k < kinds; ++k)
    if (shape_.of_kind[k] > 0) keep_layers(block_.activations[k], shape_.of_kind[k]);
}

void StageCounter::count_activations() {
  keep_all();
  const std::size_t kinds = std::min(question_.model->kinds.size(), kMostKinds);
  for (std::size_t k = 0; k < kinds; ++k)
    if (shape_.of_kind[k] > 0) find_widest(block_.activations[k]);
  StageActivations& a = out_.activations;
  a.kept_total = total(a.kept);
  a.inputs = inputs();
  if (shape_.last) a.logits = logits();
}

// Bytes beside the layers' activations, per micro-batch in flight.
Bytes StageCounter::inputs() const {
  const double hidden = question_.model->hidden;
  const bool sends = traits_.stage_outputs && question_.layout.pp > 1 && !shape_.last;
  double per_token = kIdsPerToken;
  if (shape_.first && traits_.dropout_masks) per_token += hidden / scale_.sp;
  if (sends) per_token += kBytesOf16Bits * hidden;
  return Bytes::from_base(per_token * scale_.tokens);
}

Bytes StageCounter::logits() const {
  const auto& model = *question_.model;
  const double per_logit = question_.layout.tp > 1 ? traits_.loss_tp : traits_.loss;
  const double vocab = static_cast<double>(model.embedding.vocab) / scale_.tp;
  return Bytes::from_base(scale_.tokens *
                          (vocab * per_logit + kLastNorm * model.hidden / scale_.sp));
}

}  // namespace

MemoryBlock memory_block(const MemoryQuestion& question) {
  const MemoryScale scale(question);
  const auto& model = *question.model;
  const std::size_t kinds = std::min(model.kinds.size(), kMostKinds);
  MemoryBlock block;
  for (std::size_t k = 0; k < kinds; ++k) {
    block.parameters[k] = layer_parameters(model, model.kinds[k], scale);
    block.activations[k] = layer_activations(question, scale, model.kinds[k]);
  }
  block.ends = workload::end_weights(model);
  block.table = workload::table_weights(model);
  return block;
}

MemoryStages memory_stages(const MemoryQuestion& question, const MemoryBlock& block,
                           const StageShapes& shapes) {
  const MemoryScale scale(question);
  MemoryStages out;
  for (std::size_t i = 0; i < shapes.count; ++i) {
    out.stages[i] = StageCounter(question, scale, block, shapes.shapes[i]).count();
  }
  out.count = shapes.count;
  return out;
}

void set_kept(const MemoryQuestion& question, const MemoryBlock& block, const StageShapes& shapes,
              MemoryStages& stages) {
  const MemoryScale scale(question);
  for (std::size_t i = 0; i < shapes.count; ++i)
    StageCounter(question, scale, block, shapes.shapes[i]).keep(stages.stages[i]);
}

MemoryStages least_stages(const MemoryQuestion& question, const MemoryBlock& block) {
  const auto& model = *question.model;
  const double ranks = question.layout.pp;
  MemoryStages out;
  out.count = 1;
  MemoryStage& stage = out.stages[0];
  const std::size_t kinds = std::min(model.kinds.size(), kMostKinds);
  std::array<int, kMostKinds> held{};
  for (const std::size_t kind : model.layers) ++held[std::min(kind, kMostKinds - 1)];
  held[std::min<std::size_t>(model.layers.back(), kMostKinds - 1)] += model.mtp_layers;
  for (std::size_t k = 0; k < kinds; ++k) {
    const double share = held[k] / ranks;
    stage.parameters.dense += share * block.parameters[k].dense();
    stage.parameters.experts += share * block.parameters[k].experts;
  }
  return out;
}

}  // namespace loadfactor::training
