#include "cost/gemm.h"

#include <cmath>

#include "cost/tiles.h"

namespace loadfactor::cost {
namespace {

using catalog::Dtype;

// What the call computes and moves, as real numbers.
struct GemmWork {
  double m, n, k, batch;
  Bytes traffic;
  Flops arithmetic;
};

double activation_bytes(const GemmCall& call) {
  const bool narrow_weights_only =
      call.variant == KernelVariant::kWeightOnly8 || call.variant == KernelVariant::kWeightOnly4;
  return narrow_weights_only ? 2.0 : catalog::bytes_per_element(call.dtype);
}

GemmWork work_of(const GemmCall& call) {
  const auto m = static_cast<double>(call.shape.m);
  const auto n = static_cast<double>(call.shape.n);
  const auto k = static_cast<double>(call.shape.k);
  const auto batch = static_cast<double>(call.shape.batch);
  const double bytes = batch * (weight_bytes(call.dtype, call.variant) * n * k +
                                activation_bytes(call) * m * k + call.output_bytes * m * n);
  return {m, n, k, batch, Bytes::from_base(bytes), Flops::from_base(2.0 * batch * m * n * k)};
}

}  // namespace

double weight_bytes(Dtype dtype, KernelVariant variant) {
  if (variant == KernelVariant::kWeightOnly8) return 1.0;
  if (variant == KernelVariant::kWeightOnly4) return 0.53;  // 4 bits and a scale per 64 or 128.
  return catalog::bytes_per_element(dtype);
}

Roofline gemm_roofline(const GemmCall& call, const ChipRates& rates) {
  const GemmWork work = work_of(call);
  return {work.arithmetic / rates.rate(call.dtype), work.traffic / rates.memory};
}

GemmBody gemm_body(const GemmCall& call, const ChipRates& rates,
                   const KernelParameters& parameters) {
  const GemmWork work = work_of(call);
  const BytesPerSecond memory = rates.memory * parameters.memory;
  const TileMachine machine{rates.units, rates.rate(call.dtype) * parameters.sustained, memory};
  return {tiled_time({work.m, work.n, work.k, work.batch}, machine, parameters),
          work.traffic / memory,
          {grid_log2(work.m), grid_log2(work.n), grid_log2(work.k)}};
}

KernelTime estimate_gemm(const GemmCall& call, const ChipRates& rates, const KernelFit& fit) {
  const GemmShape& shape = call.shape;
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.batch <= 0) return {};
  const GemmBody body = gemm_body(call, rates, fit.parameters);
  const double factor = std::exp(fit.correction.at(body.point));
  return assemble(fit.parameters.fixed, body.arithmetic, body.memory, factor,
                  gemm_roofline(call, rates));
}

}  // namespace loadfactor::cost
