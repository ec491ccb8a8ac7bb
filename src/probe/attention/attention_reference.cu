#include <algorithm>
#include <cmath>

#include "attention_reference.h"
#include "statistics.h"

namespace loadfactor::probe {
namespace {

constexpr int kSampledRows = 48;
constexpr int kThreads = 256;

struct Geometry {
  int length, queries, heads, group, size, total_rows;
  double scale;
};

Geometry geometry(const AttentionShape& s) {
  return {static_cast<int>(s.kv_len),
          static_cast<int>(s.q_len),
          static_cast<int>(s.heads),
          static_cast<int>(s.heads / s.kv_heads),
          static_cast<int>(s.head_dim),
          static_cast<int>(s.batch * s.heads * s.q_len),
          1.0 / std::sqrt(static_cast<double>(s.head_dim))};
}

__device__ std::size_t cache_of(const Geometry& g, std::size_t head) {
  return (head / g.heads) * (g.heads / g.group) + (head % g.heads) / g.group;
}

__device__ double dot(const bf16* a, const bf16* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += static_cast<double>(__bfloat162float(a[i])) * __bfloat162float(b[i]);
  return sum;
}

// Reduces over the block; every thread gets the result.
__device__ double over_block(double mine, bool largest, double* shared) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const double other = shared[threadIdx.x + half];
      shared[threadIdx.x] =
          largest ? fmax(shared[threadIdx.x], other) : shared[threadIdx.x] + other;
    }
    __syncthreads();
  }
  const double result = shared[0];
  __syncthreads();
  return result;
}

// Weights of query `row` in `weight[0 … seen)`; returns how many keys it sees.
__device__ int row_weights(const Geometry& g, const PromptTensors& t, std::size_t row,
                           double* weight, double* shared) {
  const std::size_t head = row / g.queries;
  const int query = static_cast<int>(row % g.queries);
  const int seen = g.queries == 1 ? g.length : query + 1;
  const bf16* k = t.k + cache_of(g, head) * g.length * g.size;
  double most = -INFINITY;
  for (int i = threadIdx.x; i < seen; i += blockDim.x) {
    weight[i] = g.scale * dot(t.q + row * g.size, k + static_cast<std::size_t>(i) * g.size, g.size);
    most = fmax(most, weight[i]);
  }
  most = over_block(most, true, shared);
  double sum = 0;
  for (int i = threadIdx.x; i < seen; i += blockDim.x) {
    weight[i] = exp(weight[i] - most);
    sum += weight[i];
  }
  sum = over_block(sum, false, shared);
  for (int i = threadIdx.x; i < seen; i += blockDim.x) weight[i] /= sum;
  __syncthreads();
  return seen;
}

__global__ void sampled_rows_kernel(Geometry g, PromptTensors t, double* weights, double* value,
                                    double* reference) {
  __shared__ double shared[kThreads];
  const std::size_t row = (blockIdx.x * 0x9e3779b97f4a7c15ULL) % g.total_rows;
  double* weight = weights + static_cast<std::size_t>(blockIdx.x) * g.length;
  const int seen = row_weights(g, t, row, weight, shared);
  const bf16* v = t.v + cache_of(g, row / g.queries) * g.length * g.size;
  const int d = threadIdx.x;
  if (d >= g.size) return;
  double sum = 0;
  for (int i = 0; i < seen; ++i)
    sum += weight[i] * __bfloat162float(v[static_cast<std::size_t>(i) * g.size + d]);
  reference[blockIdx.x * g.size + d] = sum;
  value[blockIdx.x * g.size + d] = __bfloat162float(t.out[row * g.size + d]);
}

// One block per query row: weights and slopes of its scores, full rows of `length`.
__global__ void rows_kernel(Geometry g, PromptTensors t, const bf16* dout, double* weights,
                            double* slopes) {
  __shared__ double shared[kThreads];
  const std::size_t row = blockIdx.x;
  double* weight = weights + row * g.length;
  double* slope = slopes + row * g.length;
  const int seen = row_weights(g, t, row, weight, shared);
  const bf16* v = t.v + cache_of(g, row / g.queries) * g.length * g.size;
  double mine = 0;
  for (int i = threadIdx.x; i < seen; i += blockDim.x) {
    slope[i] = dot(dout + row * g.size, v + static_cast<std::size_t>(i) * g.size, g.size);
    mine += weight[i] * slope[i];
  }
  const double centre = over_block(mine, false, shared);
  for (int i = threadIdx.x; i < g.length; i += blockDim.x) {
    slope[i] = i < seen ? weight[i] * (slope[i] - centre) : 0.0;
    if (i >= seen) weight[i] = 0.0;
  }
}

__global__ void query_gradient_kernel(Geometry g, PromptTensors t, const double* slopes,
                                      double* dq) {
  const std::size_t row = blockIdx.x;
  const bf16* k = t.k + cache_of(g, row / g.queries) * g.length * g.size;
  for (int d = threadIdx.x; d < g.size; d += blockDim.x) {
    double sum = 0;
    for (int i = 0; i < g.length; ++i)
      sum += slopes[row * g.length + i] *
             __bfloat162float(k[static_cast<std::size_t>(i) * g.size + d]);
    dq[row * g.size + d] = g.scale * sum;
  }
}

// One block per key row: Σ over the group's heads and queries of weight · source.
__global__ void key_gradient_kernel(Geometry g, const double* weights, const bf16* source,
                                    double factor, double* gradient) {
  const std::size_t cache = blockIdx.x / g.length;
  const int key = blockIdx.x % g.length;
  const int kv_heads = g.heads / g.group;
  const std::size_t head0 = (cache / kv_heads) * g.heads + (cache % kv_heads) * g.group;
  for (int d = threadIdx.x; d < g.size; d += blockDim.x) {
    double sum = 0;
    for (int h = 0; h < g.group; ++h) {
      for (int i = 0; i < g.queries; ++i) {
        const std::size_t row = (head0 + h) * g.queries + i;
        sum += weights[row * g.length + key] * __bfloat162float(source[row * g.size + d]);
      }
    }
    gradient[static_cast<std::size_t>(blockIdx.x) * g.size + d] = factor * sum;
  }
}

std::vector<double> fetched(const DeviceArray<double>& from, const Stream& stream) {
  std::vector<double> host(from.size());
  copy_to_host(host.data(), from.data(), from.size(), stream);
  return host;
}

std::vector<double> fetched(const bf16* from, std::size_t count, const Stream& stream) {
  std::vector<bf16> host(count);
  copy_to_host(host.data(), from, count, stream);
  std::vector<double> wide(count);
  std::transform(host.begin(), host.end(), wide.begin(),
                 [](bf16 x) { return static_cast<double>(__bfloat162float(x)); });
  return wide;
}

}  // namespace

double forward_error(const AttentionShape& shape, const PromptTensors& t, const Stream& stream) {
  const Geometry g = geometry(shape);
  const int rows = std::min(kSampledRows, g.total_rows);
  DeviceArray<double> weights(static_cast<std::size_t>(rows) * shape.kv_len);
  DeviceArray<double> value(static_cast<std::size_t>(rows) * shape.head_dim);
  DeviceArray<double> reference(value.size());
  sampled_rows_kernel<<<rows, kThreads, 0, stream.get()>>>(g, t, weights.data(), value.data(),
                                                           reference.data());
  LF_LAUNCHED();
  return relative_error(fetched(value, stream), fetched(reference, stream));
}

double backward_error(const AttentionShape& shape, const PromptTensors& t,
                      const GradientTensors& gradients, const Stream& stream) {
  const Geometry g = geometry(shape);
  const auto rows = static_cast<std::size_t>(g.total_rows);
  const auto keys = static_cast<std::size_t>(shape.batch * shape.kv_heads * shape.kv_len);
  const auto size = static_cast<std::size_t>(shape.head_dim);
  DeviceArray<double> weights(rows * static_cast<std::size_t>(shape.kv_len));
  DeviceArray<double> slopes(weights.size());
  DeviceArray<double> dq(rows * size);
  DeviceArray<double> dk(keys * size);
  DeviceArray<double> dv(keys * size);
  const auto blocks = static_cast<unsigned>(rows);
  rows_kernel<<<blocks, kThreads, 0, stream.get()>>>(g, t, gradients.dout, weights.data(),
                                                     slopes.data());
  query_gradient_kernel<<<blocks, 128, 0, stream.get()>>>(g, t, slopes.data(), dq.data());
  key_gradient_kernel<<<static_cast<unsigned>(keys), 128, 0, stream.get()>>>(g, slopes.data(), t.q,
                                                                             g.scale, dk.data());
  key_gradient_kernel<<<static_cast<unsigned>(keys), 128, 0, stream.get()>>>(
      g, weights.data(), gradients.dout, 1.0, dv.data());
  LF_LAUNCHED();
  const auto error = [&](const bf16* value, const DeviceArray<double>& reference) {
    return relative_error(fetched(value, reference.size(), stream), fetched(reference, stream));
  };
  return std::max({error(gradients.dq, dq), error(gradients.dk, dk), error(gradients.dv, dv)});
}

}  // namespace loadfactor::probe
