// How far one measured run of a deployment speaks for its other loads.
#pragma once

namespace loadfactor::serving {

// The share of a deviation (of logarithms) seen at one load that is expected at another. One run
// is repeated within a few percent; the farther the loads, the more other parts of a step weigh.
// Found on the published results of deployments with several loads (docs/models/serving.md).
double carried_share(double measured_load, double asked_load);

}  // namespace loadfactor::serving
