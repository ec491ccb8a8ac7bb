#include "cost/grouped_gemm.h"

#include <algorithm>
#include <cmath>

#include "cost/gemm.h"
#include "cost/tiles.h"

namespace loadfactor::cost {
namespace {

Bytes traffic_of(const GroupedGemmCall& call, double touched) {
  const auto n = static_cast<double>(call.n);
  const auto k = static_cast<double>(call.k);
  const double element = catalog::bytes_per_element(call.dtype);
  if (call.weight_gradient) {
    return Bytes::from_base(touched * n * k * call.output_bytes + call.rows * (n + k) * element);
  }
  return Bytes::from_base(touched * n * k * weight_bytes(call.dtype, call.variant) +
                          call.rows * (k * element + n * call.output_bytes));
}

Flops arithmetic_of(const GroupedGemmCall& call) {
  return Flops::from_base(2.0 * call.rows * static_cast<double>(call.n) *
                          static_cast<double>(call.k));
}

}  // namespace

double touched_experts(double experts, double rows) {
  if (experts <= 1.0 || rows <= 0.0) return std::min(experts, rows);
  const double touched = experts * -std::expm1(rows * std::log1p(-1.0 / experts));
  return std::min({touched, experts, rows});
}

Roofline grouped_gemm_roofline(const GroupedGemmCall& call, const ChipRates& rates) {
  // At best every row goes to one expert.
  const double least = std::min(1.0, call.rows);
  return {arithmetic_of(call) / rates.rate(call.dtype), traffic_of(call, least) / rates.memory};
}

GroupedBody grouped_body(const GroupedGemmCall& call, const ChipRates& rates,
                         const KernelParameters& parameters) {
  const double touched = touched_experts(static_cast<double>(call.experts), call.rows);
  const double rows_each = call.rows / touched;
  const auto n = static_cast<double>(call.n);
  const auto k = static_cast<double>(call.k);
  const BytesPerSecond memory = rates.memory * parameters.memory;
  const TileMachine machine{rates.units, rates.rate(call.dtype) * parameters.sustained, memory};
  const TiledWork work = call.weight_gradient ? TiledWork{n, k, rows_each, touched}
                                              : TiledWork{rows_each, n, k, touched};
  return {tiled_time(work, machine, parameters),
          traffic_of(call, touched) / memory,
          {grid_log2(rows_each), grid_log2(touched), 0.5 * grid_log2(n * k)}};
}

}  // namespace loadfactor::cost
