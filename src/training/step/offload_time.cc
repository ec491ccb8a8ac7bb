#include "training/step/offload_time.h"

#include <algorithm>

namespace loadfactor::training {
namespace {

// Parameters of a rank as they rest: its shard alone where the ranks share one copy.
Bytes resting_parameters(const StepScene& scene, const Layout& layout) {
  const bool full = layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  const int ranks = layout.dp * layout.cp;
  const int group = layout.shard_group > 0 ? layout.shard_group : ranks;
  return Bytes::from_base(rank_parameters(scene, layout).total() * kBytesOf16Bits /
                          (full ? group : 1));
}

Bytes leaving_activations(const BlockTime& block, const Layout& layout, double layers) {
  if (layout.offload.activation_layers > 0)
    return block.kept * std::min<double>(layers, layout.offload.activation_layers);
  return layout.offload.activations ? block.input * layers : Bytes();
}

}  // namespace

Seconds offload_time(const StepScene& scene, const BlockTime& block, const Layout& layout) {
  const Offload& offload = layout.offload;
  if (!offload.parameters && !offload.activations && offload.activation_layers == 0) return {};
  const double layers = double(scene.layers) / layout.pp;
  const Bytes parameters = offload.parameters ? resting_parameters(scene, layout) : Bytes();
  const Bytes activations = leaving_activations(block, layout, layers);
  const double hidden = scene.constant(Constant::kFsdpHidden);
  const auto shown = [&](Seconds compute, Bytes bytes) {
    const Seconds traffic = bytes / scene.machine.host;
    return std::max(compute, traffic) + (1.0 - hidden) * std::min(compute, traffic) - compute;
  };
  // Down and up are separate directions: forward, parameters come while activations leave;
  // backward, both come.
  return shown(block.layer.forward() * layers, std::max(parameters, activations)) +
         shown(block.layer.backward() * layers, parameters + activations);
}

}  // namespace loadfactor::training
