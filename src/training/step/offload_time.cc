#include "training/step/offload_time.h"

namespace loadfactor::training {

Bytes resting_parameters(const StepScene& scene, const Layout& layout) {
  const bool full = layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  const int ranks = layout.dp * layout.cp;
  const int group = layout.shard_group > 0 ? layout.shard_group : ranks;
  return Bytes::from_base(rank_parameters(scene, layout).total() * kBytesOf16Bits /
                          (full ? group : 1));
}

Bytes leaving_activations(const BlockTime& block, const Offload& offload, double layers) {
  if (offload.activation_layers > 0)
    return block.kept * std::min<double>(layers, offload.activation_layers);
  return offload.activations ? block.input * layers : Bytes();
}

HostTraffic host_traffic(const StepScene& scene) {
  return {scene.constant(Constant::kFsdpHidden), scene.machine.host};
}

Seconds offload_time(const StepScene& scene, const BlockTime& block, const Layout& layout) {
  const Offload& offload = layout.offload;
  if (!offload.parameters && !offload.activations && offload.activation_layers == 0) return {};
  const double layers = double(scene.layers) / layout.pp;
  return host_traffic(scene).shown(block.layer.forward() * layers, block.layer.backward() * layers,
                                   offload.parameters ? resting_parameters(scene, layout) : Bytes(),
                                   leaving_activations(block, offload, layers));
}

}  // namespace loadfactor::training
