#include "cost/grouped_gemm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

double touched_experts(double experts, double rows, double skew, int ranks) {
  const auto held = static_cast<int>(std::llround(experts));
  if (skew <= 0.0 || held <= 1 || rows <= 0.0) return touched_experts(experts, rows);
  std::vector<double> shares(static_cast<std::size_t>(held));
  double all = 0.0;
  for (int i = 0; i < held; ++i) {
    for (int rank = 0; rank < ranks; ++rank)
      shares[static_cast<std::size_t>(i)] += std::pow(i * ranks + rank + 1, -skew);
    all += shares[static_cast<std::size_t>(i)];
  }
  double touched = 0.0;
  for (const double share : shares) touched -= std::expm1(rows * std::log1p(-share / all));
  return std::min(touched, rows);
}

double busiest_rank(double experts, double skew, int ranks) {
  const auto all = static_cast<int>(std::llround(experts));
  double busiest = 0.0, sum = 0.0;
  for (int i = 0; i < all; ++i) {
    const double share = std::pow(i + 1, -skew);
    sum += share;
    if (i % ranks == 0) busiest += share;
  }
  return sum > 0.0 ? ranks * busiest / sum : 1.0;
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
