// What parameters and activations that live on the host cost: they travel over the host link
// behind the computation, and what overlaps still costs a share of the shorter of the two.
#pragma once

#include "loadfactor/quantity.h"
#include "training/job/layout.h"
#include "training/step/block_time.h"
#include "training/step/step_scene.h"

namespace loadfactor::training {

// Per micro-batch on one rank; zero unless the layout offloads either.
Seconds offload_time(const StepScene& scene, const BlockTime& block, const Layout& layout);

}  // namespace loadfactor::training
