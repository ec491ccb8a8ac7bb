#include <algorithm>

#include "stream_kernels.h"

namespace loadfactor::probe {
namespace {

constexpr int kThreads = 512;
constexpr int kUnrolled = 4;

int blocks_for(std::size_t count, int processors) {
  const std::size_t enough = (count + kThreads * kUnrolled - 1) / (kThreads * kUnrolled);
  return static_cast<int>(
      std::clamp<std::size_t>(enough, 1, static_cast<std::size_t>(processors) * 64));
}

// Calls `work(i)` for every place in groups of kUnrolled that start one grid apart.
template <class Work>
__device__ __forceinline__ void for_each(std::size_t count, Work work) {
  const std::size_t span = static_cast<std::size_t>(blockDim.x) * kUnrolled;
  for (std::size_t base = blockIdx.x * span; base < count; base += gridDim.x * span) {
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      const std::size_t i = base + u * blockDim.x + threadIdx.x;
      if (i < count) work(i);
    }
  }
}

__device__ __forceinline__ float sum_of(float4 x) {
  return (x.x + x.y) + (x.z + x.w);
}

__device__ void add_to_total(double mine, double* total) {
  for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, step);
  __shared__ double parts[kThreads / 32];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  double sum = 0;
  for (unsigned i = 0; i < blockDim.x / 32; ++i) sum += parts[i];
  atomicAdd(total, sum);
}

__global__ void copy_kernel(float4* to, const float4* from, std::size_t count) {
  const std::size_t span = static_cast<std::size_t>(blockDim.x) * kUnrolled;
  for (std::size_t base = blockIdx.x * span + threadIdx.x; base < count; base += gridDim.x * span) {
    float4 held[kUnrolled];
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u)
      if (base + u * blockDim.x < count) held[u] = __ldcs(from + base + u * blockDim.x);
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u)
      if (base + u * blockDim.x < count) __stcs(to + base + u * blockDim.x, held[u]);
  }
}

__global__ void add_kernel(float4* to, const float4* a, const float4* b, std::size_t count) {
  const std::size_t span = static_cast<std::size_t>(blockDim.x) * kUnrolled;
  for (std::size_t base = blockIdx.x * span + threadIdx.x; base < count; base += gridDim.x * span) {
    float4 x[kUnrolled];
    float4 y[kUnrolled];
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      const std::size_t i = base + u * blockDim.x;
      if (i < count) x[u] = a[i], y[u] = b[i];
    }
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      const std::size_t i = base + u * blockDim.x;
      if (i < count)
        to[i] = make_float4(x[u].x + y[u].x, x[u].y + y[u].y, x[u].z + y[u].z, x[u].w + y[u].w);
    }
  }
}

__global__ void write_kernel(float4* to, float value, std::size_t count) {
  for_each(count, [&](std::size_t i) { to[i] = make_float4(value, value, value, value); });
}

__global__ void read_kernel(double* total, const float4* from, std::size_t count) {
  const std::size_t span = static_cast<std::size_t>(blockDim.x) * kUnrolled;
  double sum = 0;
  for (std::size_t base = blockIdx.x * span + threadIdx.x; base < count; base += gridDim.x * span) {
    float4 held[kUnrolled] = {};
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u)
      if (base + u * blockDim.x < count) held[u] = from[base + u * blockDim.x];
    float part = 0;
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) part += sum_of(held[u]);
    sum += part;
  }
  add_to_total(sum, total);
}

__global__ void strided_kernel(double* total, const float4* from, std::size_t count, int stride) {
  double sum = 0;
  for_each(count / stride, [&](std::size_t i) { sum += sum_of(from[i * stride]); });
  add_to_total(sum, total);
}

// The number of rows is a power of two, so that multiplying by an odd number visits each once.
__global__ void gathered_kernel(double* total, const float4* from, std::size_t count, int row) {
  const std::size_t rows = count / row;
  double sum = 0;
  for_each(count, [&](std::size_t i) {
    const std::size_t jumped = (i / row * 0x9e3779b1ULL) & (rows - 1);
    sum += sum_of(from[jumped * row + i % row]);
  });
  add_to_total(sum, total);
}

__global__ void chain_kernel(const std::uint32_t* next, int steps, std::uint32_t* end) {
  std::uint32_t at = *end;
  for (int i = 0; i < steps; ++i) at = __ldcg(next + at);
  *end = at;
}

}  // namespace

void stream_copy(float4* to, const float4* from, std::size_t count, int processors, gpuStream_t s) {
  copy_kernel<<<blocks_for(count, processors), kThreads, 0, s>>>(to, from, count);
  LF_LAUNCHED();
}
void stream_add(float4* to, const float4* a, const float4* b, std::size_t count, int processors,
                gpuStream_t s) {
  add_kernel<<<blocks_for(count, processors), kThreads, 0, s>>>(to, a, b, count);
  LF_LAUNCHED();
}
void stream_write(float4* to, float value, std::size_t count, int processors, gpuStream_t s) {
  write_kernel<<<blocks_for(count, processors), kThreads, 0, s>>>(to, value, count);
  LF_LAUNCHED();
}
void stream_read(double* total, const float4* from, std::size_t count, int processors,
                 gpuStream_t s) {
  const int blocks = std::min(blocks_for(count, processors), processors * 4);
  read_kernel<<<blocks, kThreads, 0, s>>>(total, from, count);
  LF_LAUNCHED();
}
void strided_read(double* total, const float4* from, std::size_t count, int stride, int processors,
                  gpuStream_t s) {
  const int blocks = std::min(blocks_for(count / stride, processors), processors * 8);
  strided_kernel<<<blocks, kThreads, 0, s>>>(total, from, count, stride);
  LF_LAUNCHED();
}
void gathered_read(double* total, const float4* from, std::size_t count, int row, int processors,
                   gpuStream_t s) {
  const int blocks = std::min(blocks_for(count, processors), processors * 8);
  gathered_kernel<<<blocks, kThreads, 0, s>>>(total, from, count, row);
  LF_LAUNCHED();
}
void follow_chain(const std::uint32_t* next, int steps, std::uint32_t* end, gpuStream_t s) {
  chain_kernel<<<1, 1, 0, s>>>(next, steps, end);
  LF_LAUNCHED();
}

}  // namespace loadfactor::probe
