#include "cost/memory_ops.h"

#include <algorithm>

namespace loadfactor::cost {

KernelTime estimate_memory_op(Bytes traffic, const ChipRates& rates, const KernelFit& fit) {
  if (traffic <= Bytes{}) return {};
  const Seconds at_peak = traffic / rates.memory;
  return assemble(fit.parameters.fixed, Seconds{}, at_peak / fit.parameters.memory, 1.0,
                  {Seconds{}, at_peak});
}

Bytes cross_entropy_traffic(double logits, double element_bytes, bool fused) {
  constexpr double kWide = 4.0;
  const double fused_bytes = 3.0 * element_bytes;
  const double split_bytes = 2.0 * (element_bytes + kWide)  // To fp32, and the gradient back.
                             + 2.0 * kWide                  // Log-softmax.
                             + 2.0 * kWide;                 // Its gradient.
  return Bytes::from_base(logits * (fused ? fused_bytes : split_bytes));
}

Bytes adam_traffic(double parameters, const AdamState& state) {
  const double updated = state.master > 0.0 ? state.master : state.parameter;
  const double copy = state.master > 0.0 ? state.parameter : 0.0;
  const double bytes =
      state.gradient + copy + 2.0 * (updated + state.first_moment + state.second_moment);
  return Bytes::from_base(parameters * bytes);
}

Bytes quantisation_traffic(double elements, const Quantisation& how) {
  const double bytes = how.from_bytes * (how.scale_pass ? 2.0 : 1.0) +
                       how.to_bytes * (how.transposed_copy ? 2.0 : 1.0);
  return Bytes::from_base(elements * bytes);
}

}  // namespace loadfactor::cost
