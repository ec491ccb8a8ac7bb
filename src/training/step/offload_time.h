// What parameters and activations that live on the host cost: they travel over the host link
// behind the computation, and what overlaps still costs a share of the shorter of the two.
#pragma once

#include <algorithm>

#include "loadfactor/quantity.h"
#include "training/job/layout.h"
#include "training/step/block_time.h"
#include "training/step/step_scene.h"

namespace loadfactor::training {

// Per micro-batch on one rank; zero unless the layout offloads either.
Seconds offload_time(const StepScene& scene, const BlockTime& block, const Layout& layout);

// Parameters of a rank as they rest: its shard alone where the ranks share one copy.
Bytes resting_parameters(const StepScene& scene, const Layout& layout);
// What leaves of the activations of a rank's layers.
Bytes leaving_activations(const BlockTime& block, const Offload& offload, double layers);

// The share of the traffic that computation hides, and the link it goes over.
struct HostTraffic {
  double hidden = 0;
  BytesPerSecond link;

  // What these bytes add to so long a computation.
  Seconds shown(Seconds compute, Bytes bytes) const {
    const Seconds traffic = bytes / link;
    return std::max(compute, traffic) + (1.0 - hidden) * std::min(compute, traffic) - compute;
  }
  // Down and up are separate directions: forward, parameters come while activations leave;
  // backward, both come.
  Seconds shown(Seconds forward, Seconds backward, Bytes parameters, Bytes activations) const {
    return shown(forward, std::max(parameters, activations)) +
           shown(backward, parameters + activations);
  }
};
HostTraffic host_traffic(const StepScene& scene);

}  // namespace loadfactor::training
