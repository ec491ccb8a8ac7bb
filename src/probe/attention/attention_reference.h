// Attention in float64, the plain way, to check the fast ways against.
#pragma once

#include <vector>

#include "attention_kernels.h"

namespace loadfactor::probe {

// ‖out − reference‖ / ‖reference‖ over sampled query rows. A decode shape sees the whole cache.
double forward_error(const AttentionShape& shape, const PromptTensors& t, const Stream& stream);

// The largest such error of dq, dk and dv over all elements. Memory grows with length².
double backward_error(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
                      const Stream& stream);

}  // namespace loadfactor::probe
