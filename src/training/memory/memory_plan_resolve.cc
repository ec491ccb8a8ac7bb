#include "training/memory/memory_plan_resolve.h"

#include <algorithm>

namespace loadfactor::training {

std::array<Recompute, 3> module_rungs(const catalog::ModelSpec& model) {
  bool latent = false;
  bool experts = false;
  for (const auto& kind : model.kinds) {
    latent = latent || kind.attention.kind == catalog::AttentionKind::kLatent;
    experts = experts || kind.moe.experts > 0;
  }
  std::array<Recompute, 3> out{};
  auto& [attention, light, wide] = out;
  attention.kind = latent ? RecomputeKind::kModules : RecomputeKind::kSelective;
  attention.latent_up = latent;
  light.kind = RecomputeKind::kModules;
  light.norms = true;
  light.activation = experts;  // Megatron's moe_act; nobody drops those of dense layers alone.
  wide.kind = RecomputeKind::kModules;
  wide.norms = experts;
  wide.activation = experts;
  wide.experts = experts;
  wide.mlp = !experts;
  return out;
}

namespace {

constexpr int kLayerSteps = 8;  // Full recomputation is tried on eighths of a stage.

// Tries one layout after another and remembers the last.
class Climber {
 public:
  explicit Climber(const MemoryQuestion& question) : question_(question) {}

  // True when the layout fits, or nobody asked for a verdict.
  bool try_layout(const Layout& layout) {
    if (tried_) ++out_.rung;
    tried_ = true;
    question_.layout = layout;
    out_.layout = layout;
    out_.plan = plan_memory(question_);
    return out_.plan.verdict != Verdict::kDoesNotFit;
  }
  const ResolvedMemory& result() const { return out_; }

 private:
  MemoryQuestion question_;
  ResolvedMemory out_;
  bool tried_ = false;
};

int layers_per_chunk(const MemoryQuestion& question) {
  const int chunks = question.layout.pp * std::max(1, question.layout.vp);
  return (question.model->num_layers() + chunks - 1) / chunks;
}

bool climb_recompute(const MemoryQuestion& question, Climber& climber) {
  const RecomputeLadder ladder = question.stack->memory.ladder;
  Layout layout = question.layout;
  layout.recompute = Recompute{};
  if (climber.try_layout(layout)) return true;
  if (ladder == RecomputeLadder::kModules) {
    for (const Recompute& rung : module_rungs(*question.model)) {
      layout.recompute = rung;
      if (climber.try_layout(layout)) return true;
    }
  }
  layout.recompute = Recompute{};
  layout.recompute.kind = RecomputeKind::kFull;
  const int layers = layers_per_chunk(question);
  for (int step = 1; step < kLayerSteps; ++step) {
    const int count = (layers * step + kLayerSteps - 1) / kLayerSteps;
    if (count == layout.recompute.layers_per_stage || count >= layers) continue;
    layout.recompute.layers_per_stage = count;
    if (climber.try_layout(layout)) return true;
  }
  layout.recompute.layers_per_stage = 0;
  if (climber.try_layout(layout)) return true;
  if (ladder != RecomputeLadder::kHost) return false;
  layout.offload.activations = true;
  return climber.try_layout(layout);
}

// The fewest layers whose activations must leave, by bisection: more never needs more memory of the
// device. The host has the least to hold then.
bool climb_offload(const MemoryQuestion& question, Climber& climber) {
  Layout layout = question.layout;
  int low = 1;
  int high = (question.model->num_layers() + layout.pp - 1) / layout.pp;
  while (low < high) {
    const int middle = (low + high) / 2;
    layout.offload.activation_layers = middle;
    climber.try_layout(layout);
    if (climber.result().plan.fill() <= kFullLine) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  layout.offload.activation_layers = low;
  return climber.try_layout(layout);
}

}  // namespace

ResolvedMemory resolve_memory(const MemoryQuestion& question) {
  Climber climber(question);
  const Layout& layout = question.layout;
  const bool inputs_only = layout.recompute.kind == RecomputeKind::kFull;
  if (layout.recompute.kind == RecomputeKind::kUnknown) {
    climb_recompute(question, climber);
  } else if (layout.offload.activations && layout.offload.activation_layers == 0 && !inputs_only) {
    climb_offload(question, climber);
  } else {
    climber.try_layout(layout);
  }
  return climber.result();
}

}  // namespace loadfactor::training
