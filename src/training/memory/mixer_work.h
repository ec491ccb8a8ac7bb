// What a layer's mixer multiplies by beside its weights: keys and states. Whole, before ranks share
// it.
#pragma once

#include <cstdint>

#include "catalog/spec/model_spec.h"

namespace loadfactor::training {

// Widths of a mixer that carries a state from token to token.
struct ScanWidths {
  double value = 0;        // All heads.
  double key = 0;          // All heads or groups; what writes the state and what reads it alike.
  double state = 0;        // Elements of the state of one sequence.
  double products = 0;     // Products of a token with the state: write, read, the delta rule's own.
  std::int64_t chunk = 1;  // Tokens that kernels work on at once.
};
ScanWidths scan_widths(const catalog::AttentionSpec& spec);
bool has_state(const catalog::AttentionSpec& spec);

// Projections of keys and values that a layer has of its own.
double key_projections(const catalog::AttentionSpec& spec);
// Mean keys a query sees under a causal mask and a window (0: none).
double mean_keys(double sequence, double window);
// The same with what a layer selects of the tokens, or keeps of those past its window.
double attended_keys(const catalog::AttentionSpec& spec, double sequence);

}  // namespace loadfactor::training
