#include "cost/attention.h"

#include <algorithm>
#include <cmath>

#include "cost/gemm.h"

namespace loadfactor::cost {
namespace {

constexpr double kQueryBlock = 128.0;
// Five products instead of two.
constexpr double kBackwardWork = 2.5;
// The backward pass reads q, k, v, o and their gradient and writes three gradients.
constexpr double kBackwardTraffic = 2.0;

struct Extent {
  double batch, heads, kv_heads, dims, queries, context;
};

Extent extent_of(const AttentionCall& call) {
  const auto value_dim = call.value_dim > 0 ? call.value_dim : call.head_dim;
  return {static_cast<double>(call.batch),    static_cast<double>(call.heads),
          static_cast<double>(call.kv_heads), static_cast<double>(call.head_dim + value_dim),
          static_cast<double>(call.queries),  static_cast<double>(call.context)};
}

// Rows of the cache that are read: all that any query of the call can see.
double rows_read(const AttentionCall& call, const Extent& extent) {
  if (call.window <= 0) return extent.context;
  return std::min(extent.context, static_cast<double>(call.window) + extent.queries - 1.0);
}

Bytes traffic_of(const AttentionCall& call, const Extent& extent) {
  const double row_dims = call.values_in_keys ? static_cast<double>(call.head_dim) : extent.dims;
  const double cache = rows_read(call, extent) * extent.kv_heads * row_dims *
                       catalog::bytes_per_element(call.cache_dtype);
  const double queries = extent.queries * extent.heads * extent.dims * 2.0;
  return Bytes::from_base(extent.batch * (cache + queries));
}

bool is_empty(const AttentionCall& call) {
  return call.batch <= 0 || call.heads <= 0 || call.queries <= 0 || call.context <= 0;
}

// The time of the waves as they are filled, over the time of full ones.
double wave_loss(double blocks, double units, double wave_paid) {
  const double waves = blocks / units;
  return std::max(1.0, waves + wave_paid * (std::ceil(waves) - waves)) / waves;
}

}  // namespace

double visible_pairs(const AttentionCall& call) {
  const auto queries = static_cast<double>(call.queries);
  const auto context = static_cast<double>(call.context);
  if (!call.causal) return queries * context;
  const double before = std::max(0.0, context - queries);
  const double all = queries * before + 0.5 * queries * (queries + 1.0);
  if (call.window <= 0) return all;
  const auto window = static_cast<double>(call.window);
  // Queries before the window fills see all that came; the others see one window.
  const double growing = std::clamp(window - before, 0.0, queries);
  return growing * before + 0.5 * growing * (growing + 1.0) + (queries - growing) * window;
}

Flops attention_flops(const AttentionCall& call, bool backward) {
  const Extent extent = extent_of(call);
  const double forward = 2.0 * extent.batch * extent.heads * extent.dims * visible_pairs(call);
  return Flops::from_base(forward * (backward ? kBackwardWork : 1.0));
}

Roofline attention_roofline(const AttentionCall& call, bool backward, const ChipRates& rates) {
  return {attention_flops(call, backward) / rates.rate(call.dtype),
          traffic_of(call, extent_of(call)) / rates.memory};
}

AttentionBody attention_body(const AttentionCall& call, bool backward, const ChipRates& rates,
                             const KernelParameters& parameters) {
  const Extent extent = extent_of(call);
  const double pairs = visible_pairs(call);
  // A diagonal block is computed whole: half a block more per query.
  const double computed =
      std::min(extent.queries * extent.context,
               pairs + (call.causal ? 0.5 * kQueryBlock * extent.queries : 0.0));
  const double mean_context = pairs / extent.queries;
  const double blocks = extent.batch * extent.heads * std::ceil(extent.queries / kQueryBlock);
  const double loss =
      wave_loss(blocks, rates.units, parameters.wave_paid) * (1.0 + parameters.half / mean_context);
  const Seconds full = attention_flops(call, backward) * (computed / pairs) /
                       (rates.rate(call.dtype) * parameters.sustained);
  const Bytes traffic = traffic_of(call, extent) * (backward ? kBackwardTraffic : 1.0);
  return {full * loss,
          traffic / (rates.memory * parameters.memory),
          {grid_log2(extent.queries), grid_log2(extent.batch * extent.heads),
           grid_log2(extent.heads / extent.kv_heads)}};
}

AttentionBody decode_body(const AttentionCall& call, const ChipRates& rates,
                          const KernelParameters& parameters) {
  const Extent extent = extent_of(call);
  const double rows = rows_read(call, extent);
  const double sequences = extent.batch * extent.kv_heads;
  double loss = 1.0 + parameters.half / rows;
  // Few sequences are split along the context; many wait for one another.
  if (sequences > rates.units) loss *= wave_loss(sequences, rates.units, parameters.wave_paid);
  return {attention_flops(call, false) / (rates.rate(call.dtype) * parameters.sustained),
          traffic_of(call, extent) / (rates.memory * parameters.memory) * loss,
          {grid_log2(extent.batch * extent.kv_heads * rows), grid_log2(rows),
           grid_log2(extent.heads / extent.kv_heads)}};
}

KernelTime estimate_attention(const AttentionCall& call, const ChipRates& rates,
                              const KernelFit& fit) {
  if (is_empty(call)) return {};
  const AttentionBody body = attention_body(call, false, rates, fit.parameters);
  return assemble(fit.parameters.fixed, body.arithmetic, body.memory,
                  std::exp(fit.correction.at(body.point)), attention_roofline(call, false, rates));
}

KernelTime estimate_decode_attention(const AttentionCall& call, const ChipRates& rates,
                                     const KernelFit& fit) {
  if (is_empty(call)) return {};
  const AttentionBody body = decode_body(call, rates, fit.parameters);
  return assemble(fit.parameters.fixed, body.arithmetic, body.memory,
                  std::exp(fit.correction.at(body.point)), attention_roofline(call, false, rates));
}

}  // namespace loadfactor::cost
