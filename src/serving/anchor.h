// How far one measured run of a deployment speaks for its other loads.
#pragma once

namespace loadfactor::serving {

// Where a run lies among the loads of a deployment. 0: not known.
struct AnchorPoint {
  double load = 0;    // Requests at a time or per second; sequences that run.
  double output = 0;  // Tokens of an answer.
};

// The share of a deviation (of logarithms) seen at one point that is expected at another. One run
// is repeated within a few percent; the farther the loads, the more other parts of a step weigh,
// and answers of another length share their prompts' time among more or fewer tokens.
// Found on the published results of deployments with several loads (docs/models/serving.md).
double carried_share(const AnchorPoint& measured, const AnchorPoint& asked);

// Whether the measured run decides the prediction, so that its own interval holds.
bool is_near(const AnchorPoint& measured, const AnchorPoint& asked);

}  // namespace loadfactor::serving
