#include "calibrate/kernels/kernels_sample.h"

#include <algorithm>

namespace loadfactor::calibrate {
namespace {

using cost::ChipRates;
using cost::KernelClass;
using cost::KernelParameters;

struct BodyOf {
  const KernelSample& sample;
  const ChipRates& rates;
  const KernelParameters& parameters;

  SampleBody operator()(const cost::GemmCall& call) const {
    const auto body = cost::gemm_body(call, rates, parameters);
    const auto limit = cost::gemm_roofline(call, rates);
    return {body.arithmetic, body.memory, body.point, limit, cache_fill(limit)};
  }
  double cache_fill(const cost::Roofline& limit) const {
    if (!sample.warm || rates.l2 <= Bytes{}) return 0.0;
    return limit.memory * rates.memory / rates.l2;
  }
  SampleBody operator()(const cost::AttentionCall& call) const {
    const bool backward = sample.key.kernel == KernelClass::kAttentionBackward;
    const auto body = sample.key.kernel == KernelClass::kDecodeAttention
                          ? cost::decode_body(call, rates, parameters)
                          : cost::attention_body(call, backward, rates, parameters);
    const auto limit = cost::attention_roofline(call, backward, rates);
    return {body.arithmetic, body.memory, body.point, limit, cache_fill(limit)};
  }
  SampleBody operator()(const ExpertLayer& layer) const {
    const auto up = cost::grouped_body(layer.up, rates, parameters);
    const auto down = cost::grouped_body(layer.down, rates, parameters);
    const auto up_limit = cost::grouped_gemm_roofline(layer.up, rates);
    const auto down_limit = cost::grouped_gemm_roofline(layer.down, rates);
    return {up.arithmetic + down.arithmetic,
            up.memory + down.memory,
            up.point,
            {up_limit.arithmetic + down_limit.arithmetic, up_limit.memory + down_limit.memory}};
  }
  SampleBody operator()(Bytes traffic) const {
    const Seconds at_peak = traffic / rates.memory;
    const cost::Roofline limit{Seconds{}, at_peak};
    return {Seconds{}, at_peak / parameters.memory, {}, limit, cache_fill(limit)};
  }
};

}  // namespace

SampleBody sample_body(const KernelSample& sample, const ChipRates& rates,
                       const KernelParameters& parameters) {
  return std::visit(BodyOf{sample, rates, parameters}, sample.call);
}

std::array<cost::GridAxis, 3> correction_axes(KernelClass kernel) {
  using cost::GridAxis;
  constexpr GridAxis kNoAxis{0, 1, 1};
  switch (kernel) {
    case KernelClass::kGemm:  // The axes are m, n and k.
      return {GridAxis{0, 1, 15}, GridAxis{10, 2, 3}, GridAxis{10, 2, 3}};
    case KernelClass::kGroupedGemm:  // Rows per expert, experts touched, √(n·k).
      return {GridAxis{0, 2, 6}, GridAxis{0, 2, 5}, GridAxis{10, 2, 2}};
    case KernelClass::kAttention:  // Queries, batch × heads, heads per key head.
      return {GridAxis{4, 2, 6}, GridAxis{2, 2, 6}, GridAxis{0, 3, 3}};
    case KernelClass::kDecodeAttention:  // Rows of the cache, context, heads per key head.
      return {GridAxis{5, 1, 18}, GridAxis{2, 2, 8}, GridAxis{0, 2, 2}};
    case KernelClass::kAttentionBackward:
    case KernelClass::kMemory:
      break;
  }
  return {kNoAxis, kNoAxis, kNoAxis};
}

std::array<Slope, 3> correction_slopes(KernelClass kernel) {
  constexpr double kAnything = 100.0;
  switch (kernel) {
    case KernelClass::kGemm:  // Weights and arithmetic both grow with n and k, not always with m.
      return {Slope{0.25}, Slope{0.6}, Slope{0.6}};
    case KernelClass::kGroupedGemm:
      return {Slope{0.25}, Slope{0.5}, Slope{0.5}};
    case KernelClass::kAttention:  // Few heads leave units idle; sharing keys is less work.
      return {Slope{0.6}, Slope{0.3}, Slope{kAnything}};
    case KernelClass::kDecodeAttention:
      return {Slope{0.5}, Slope{0.3}, Slope{kAnything}};
    case KernelClass::kAttentionBackward:
    case KernelClass::kMemory:
      break;
  }
  return {};
}

}  // namespace loadfactor::calibrate
