#include "training/memory/memory_plan_layer.h"

#include <algorithm>

namespace loadfactor::training {
namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::LayerSpec;
using catalog::MlpKind;

constexpr double kBytesOf32Bits = 4.0;
// Tokens between two states that the chunked kernels of recurrent mixers keep.
constexpr double kStateChunk = 64.0;

constexpr std::size_t index_of(SavedTensor tensor) {
  return static_cast<std::size_t>(tensor);
}

double gates(MlpKind kind) {
  return kind == MlpKind::kGated ? 2.0 : 1.0;
}

// Elements per token that leave the mixer's kernel, and those of its inputs.
struct MixerWidths {
  double output = 0;  // All ranks together; the other three are one rank's.
  double inputs = 0;
  double query = 0;
  double key = 0;  // A key-value head is never split.
};

MixerWidths mixer_widths(const AttentionSpec& a, double tp) {
  MixerWidths w;
  if (a.kind == AttentionKind::kStandard) {
    w.output = static_cast<double>(a.heads) * a.head_dim;
    w.query = w.output / tp;
    w.key = std::max(a.kv_heads / tp, std::min<double>(a.kv_heads, 1.0)) * a.head_dim;
    w.inputs = w.query * (a.gate ? 2.0 : 1.0) + 2.0 * w.key;
  } else if (a.kind == AttentionKind::kLatent) {
    w.output = static_cast<double>(a.heads) * a.value_dim;
    w.query = static_cast<double>(a.heads) * (a.nope_dim + a.rope_dim) / tp;
    w.key = w.query;
    w.inputs = 2.0 * w.query + w.output / tp;
  } else if (a.kind != AttentionKind::kNone) {
    const double keys = a.kind == AttentionKind::kMamba2
                            ? static_cast<double>(a.groups) * a.key_dim
                            : static_cast<double>(a.key_heads) * a.key_dim;
    w.output = static_cast<double>(a.value_heads) * a.value_dim;
    w.query = w.output / tp;
    w.key = keys / tp;
    w.inputs = (2.0 * w.output + 2.0 * keys + a.value_heads) / tp;
  }
  return w;
}

// A question and its scale, with one layer of it; fills what the layer keeps per token.
class LayerTensors {
 public:
  LayerTensors(const MemoryQuestion& question, const MemoryScale& scale, const LayerSpec& layer)
      : question_(question),
        traits_(question.stack->memory),
        scale_(scale),
        layer_(layer),
        hidden_(question.model->hidden),
        widths_(mixer_widths(layer.attention, scale.tp)),
        rms_(question.model->norm == catalog::NormKind::kRms) {
    add_residual_stream();
    add_mixer();
    add_mlp();
    add_experts();
  }

  SavedBytes saved() const;
  SavedBytes kept() const;
  Bytes transient() const;

 private:
  double& of(SavedTensor tensor) { return bytes_[index_of(tensor)]; }
  double of(SavedTensor tensor) const { return bytes_[index_of(tensor)]; }
  bool has_mixer() const { return layer_.attention.kind != AttentionKind::kNone; }
  bool has_mlp() const { return layer_.mlp.width > 0 || layer_.moe.experts > 0; }
  // Rows of experts per token of this rank.
  double rows() const { return layer_.moe.top_k * scale_.imbalance / scale_.sp; }
  double gate_width() const { return traits_.narrow_gate ? scale_.input_width : kBytesOf16Bits; }
  double expert_hidden() const { return layer_.moe.latent > 0 ? layer_.moe.latent : hidden_; }
  void add_residual_stream();
  void add_mixer();
  void add_mlp();
  void add_experts();
  std::array<double, kNumSavedTensors> keep_by_op() const;
  void drop_modules(std::array<double, kNumSavedTensors>& kept) const;

  const MemoryQuestion& question_;
  const MemoryTraits& traits_;
  const MemoryScale& scale_;
  const LayerSpec& layer_;
  double hidden_;
  MixerWidths widths_;
  bool rms_;
  std::array<double, kNumSavedTensors> bytes_{};  // Per token.
};

void LayerTensors::add_residual_stream() {
  const double row = hidden_ / scale_.sp;
  const double copies = rms_ ? traits_.norm_copies : 0.0;
  of(SavedTensor::kLayerInput) = kBytesOf16Bits * row;
  if (has_mixer()) of(SavedTensor::kNorm) = (scale_.input_width + copies) * row;
  if (has_mixer() && has_mlp() && layer_.norms >= 2)
    of(SavedTensor::kResidual) = kBytesOf16Bits * row;
  if (has_mlp() && (layer_.norms >= 2 || !has_mixer())) {
    of(SavedTensor::kMlpNorm) =
        ((scale_.keeps_mlp_input ? scale_.input_width : 0.0) + copies) * row;
  }
  // Norms behind the mixer and the MLP keep the output of the product before them.
  if (layer_.norms > 2) of(SavedTensor::kMlpNorm) += kBytesOf16Bits * (layer_.norms - 2) * row;
  if (traits_.dropout_masks) of(SavedTensor::kDropoutMasks) = 2.0 * row;
}

void LayerTensors::add_mixer() {
  const AttentionSpec& a = layer_.attention;
  if (a.kind == AttentionKind::kNone) return;
  const double output = widths_.output / scale_.tp;
  // 16 bit for the mixer's own backward, and a narrow copy for the projection behind it.
  const bool narrow = scale_.input_width < kBytesOf16Bits && !scale_.frozen;
  of(SavedTensor::kMixerOutput) = (kBytesOf16Bits + (narrow ? scale_.input_width : 0.0)) * output;
  if (a.kind == AttentionKind::kLatent) {
    // The packed keys and values are freed once key and value stand on their own.
    of(SavedTensor::kProjections) =
        kBytesOf16Bits * (2.0 * a.q_rank + 2.0 * a.kv_rank + a.rope_dim);
    of(SavedTensor::kLatentUp) = kBytesOf16Bits * widths_.inputs;
  } else {
    of(SavedTensor::kProjections) = kBytesOf16Bits * widths_.inputs;
  }
  if (a.kind == AttentionKind::kStandard || a.kind == AttentionKind::kLatent) {
    const bool rotary = rms_ && question_.model->embedding.positions == 0;
    if (a.kind == AttentionKind::kStandard && traits_.rotary_copies && rotary) {
      of(SavedTensor::kProjections) += kBytesOf16Bits * (widths_.query + widths_.key);
    }
    of(SavedTensor::kProjections) += kBytesOf16Bits * (a.index_heads + 1.0) * a.index_dim;
    const double heads = a.heads / scale_.tp;
    if (scale_.unfused) {
      of(SavedTensor::kScores) = (traits_.dropout_masks ? 5.0 : 4.0) * heads * scale_.context;
    } else {
      of(SavedTensor::kStatistics) = kBytesOf32Bits * heads;
    }
    return;
  }
  of(SavedTensor::kProjections) +=
      kBytesOf16Bits * (widths_.query + 2.0 * widths_.key);  // Convolved.
  of(SavedTensor::kStatistics) = kBytesOf16Bits * output * a.key_dim / kStateChunk;
}

void LayerTensors::add_mlp() {
  const auto add = [this](MlpKind kind, double width) {
    const double local = width / scale_.tp;
    const double copies = kind == MlpKind::kGated ? kBytesOf16Bits * traits_.gate_copies : 0.0;
    of(SavedTensor::kMlpUp) += gate_width() * gates(kind) * local;
    of(SavedTensor::kMlpActivation) +=
        ((scale_.keeps_mlp_input ? scale_.input_width : 0.0) + copies) * local;
  };
  add(layer_.mlp.kind, layer_.mlp.width);
  if (layer_.moe.experts > 0) add(layer_.moe.kind, layer_.moe.shared_width);
}

void LayerTensors::add_experts() {
  const auto& moe = layer_.moe;
  if (moe.experts == 0) return;
  const double copies = moe.kind == MlpKind::kGated ? kBytesOf16Bits * traits_.gate_copies : 0.0;
  of(SavedTensor::kExpertInput) = scale_.input_width * expert_hidden() * rows() * scale_.etp;
  of(SavedTensor::kExpertUp) = gate_width() * gates(moe.kind) * moe.width * rows();
  of(SavedTensor::kExpertActivation) = (scale_.input_width + copies) * moe.width * rows();
  if (traits_.expert_output)
    of(SavedTensor::kExpertOutput) = kBytesOf16Bits * expert_hidden() * rows();
  of(SavedTensor::kStatistics) += 2.0 * kBytesOf32Bits * moe.experts / scale_.sp;
}

// Keeps layer input, attention output and every second product: query and value projections
// and the first of the MLP. Only a compiler sees that nobody needs the output of the last.
std::array<double, kNumSavedTensors> LayerTensors::keep_by_op() const {
  std::array<double, kNumSavedTensors> kept{};
  const auto keep = [&](SavedTensor tensor, double bytes) {
    kept[index_of(tensor)] = std::min(bytes, of(tensor));
  };
  const bool latent = layer_.attention.kind == AttentionKind::kLatent;
  keep(SavedTensor::kLayerInput, of(SavedTensor::kLayerInput));
  keep(SavedTensor::kStatistics, of(SavedTensor::kStatistics));
  keep(SavedTensor::kMixerOutput, kBytesOf16Bits * widths_.output / scale_.tp);
  keep(latent ? SavedTensor::kLatentUp : SavedTensor::kProjections,
       kBytesOf16Bits * (widths_.query + widths_.key));
  keep(SavedTensor::kMlpUp,
       kBytesOf16Bits *
           (layer_.mlp.width + (layer_.moe.experts > 0 ? layer_.moe.shared_width : 0)) / scale_.tp);
  keep(SavedTensor::kExpertUp, kBytesOf16Bits * layer_.moe.width * rows());
  if (traits_.gate_copies > 0) keep(SavedTensor::kResidual, kBytesOf16Bits * hidden_ / scale_.sp);
  return kept;
}

void LayerTensors::drop_modules(std::array<double, kNumSavedTensors>& kept) const {
  const Recompute& drop = question_.layout.recompute;
  const auto clear = [&](SavedTensor tensor) { kept[index_of(tensor)] = 0.0; };
  if (drop.norms) {
    clear(SavedTensor::kNorm);
    clear(SavedTensor::kMlpNorm);
  }
  if (drop.activation || drop.mlp) clear(SavedTensor::kMlpActivation);
  if (drop.activation || drop.experts) clear(SavedTensor::kExpertActivation);
  if (drop.mlp) clear(SavedTensor::kMlpUp);
  if (drop.latent_up) clear(SavedTensor::kLatentUp);
  if (drop.experts) {
    clear(SavedTensor::kExpertInput);
    clear(SavedTensor::kExpertUp);
    clear(SavedTensor::kExpertOutput);
  }
}

SavedBytes in_bytes(const std::array<double, kNumSavedTensors>& per_token, double tokens) {
  SavedBytes out;
  for (std::size_t i = 0; i < kNumSavedTensors; ++i)
    out[i] = Bytes::from_base(per_token[i] * tokens);
  return out;
}

SavedBytes LayerTensors::saved() const {
  return in_bytes(bytes_, scale_.tokens);
}

SavedBytes LayerTensors::kept() const {
  auto kept = bytes_;
  switch (question_.layout.recompute.kind) {
    case RecomputeKind::kUnknown:
    case RecomputeKind::kNone:
      break;
    case RecomputeKind::kModules:
      drop_modules(kept);
      break;
    case RecomputeKind::kFull:
      kept.fill(0.0);
      kept[index_of(SavedTensor::kLayerInput)] = of(SavedTensor::kLayerInput);
      break;
    case RecomputeKind::kSelective:
      kept[index_of(SavedTensor::kScores)] = 0.0;
      if (question_.stack->selective == SelectiveMeaning::kOps) kept = keep_by_op();
      if (question_.stack->selective == SelectiveMeaning::kCompilerPolicy) {
        // The usual policy saves the outputs of products and nothing else.
        for (const auto tensor : {SavedTensor::kNorm, SavedTensor::kMlpNorm, SavedTensor::kResidual,
                                  SavedTensor::kMlpActivation, SavedTensor::kExpertActivation}) {
          kept[index_of(tensor)] = 0.0;
        }
      }
      break;
  }
  return in_bytes(kept, scale_.tokens);
}

// The largest of three: gradients of the activation and of its input side by side; the gradient
// of the MLP's input with the gathered input; the gradients of the mixer's inputs.
Bytes LayerTensors::transient() const {
  const bool moe = layer_.moe.experts > 0;
  const double gate = gates(moe ? layer_.moe.kind : layer_.mlp.kind);
  const double wide = moe ? layer_.moe.width * rows() : layer_.mlp.width / scale_.tp;
  const double input = moe ? expert_hidden() * rows() : hidden_;
  const double row = kBytesOf16Bits * hidden_ / scale_.sp;
  const double gathered = scale_.gathers_input ? kBytesOf16Bits * hidden_ : 0.0;
  const double up = traits_.in_place_gate ? 0.0 : kBytesOf16Bits * gate * wide;
  const double activation = kBytesOf16Bits * wide + up + row;
  const double down = traits_.in_place_gate ? 0.0 : up + kBytesOf16Bits * input + gathered + row;
  const double mixer = 2.0 * kBytesOf16Bits * widths_.output / scale_.tp +
                       kBytesOf16Bits * widths_.inputs + gathered;
  return Bytes::from_base(scale_.tokens * std::max({activation, down, mixer}));
}

}  // namespace

MemoryScale::MemoryScale(const MemoryQuestion& question) {
  const Layout& layout = question.layout;
  const MemoryTraits& traits = question.stack->memory;
  const bool compiler = question.stack->compiler;
  const double width = catalog::bytes_per_element(question.precision.compute);
  context = static_cast<double>(question.sequence) / layout.cp;
  tokens = static_cast<double>(layout.micro_batch) * context;
  tp = layout.tp;
  sp = layout.sequence_parallel || compiler ? layout.tp : 1;
  ep = layout.ep;
  etp = layout.etp;
  product_width = std::min(width, kBytesOf16Bits);
  const double kept = question.precision.kept_input;
  input_width = kept > 0 ? kept : traits.narrow_inputs ? product_width : kBytesOf16Bits;
  data = static_cast<double>(layout.dp) * layout.cp;
  imbalance = question.expert_imbalance;
  frozen = question.trainable_share < 1.0;
  keeps_mlp_input = !frozen || question.adapts_mlp;
  unfused = question.stack->attention == AttentionGeneration::kUnfused;
  gathers_input = layout.sequence_parallel && layout.tp > 1;
  sharded = layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  if (compiler) {
    // A whole-program compiler shards experts over the data axis too.
    double most = 1;
    for (const auto& kind : question.model->kinds) most = std::max<double>(most, kind.moe.experts);
    ep = std::max(ep, std::min<double>(most, layout.dp));
  }
  expert_data = std::max(1.0, data * tp / (ep * etp));
}

Bytes total(const SavedBytes& saved) {
  Bytes sum;
  for (const Bytes bytes : saved) sum += bytes;
  return sum;
}

LayerActivations layer_activations(const MemoryQuestion& question, const MemoryScale& scale,
                                   const LayerSpec& layer) {
  const LayerTensors tensors(question, scale, layer);
  return {tensors.saved(), tensors.kept(), tensors.transient()};
}

}  // namespace loadfactor::training
