#include "fill.h"

namespace loadfactor::probe {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 2048;

// A mixing function of counters: no state, so every element is drawn on its own.
__device__ std::uint32_t mixed(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + i + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 16);
}

__device__ void store(float* place, float value) {
  *place = value;
}
__device__ void store(bf16* place, float value) {
  *place = __float2bfloat16(value);
}
__device__ void store(__half* place, float value) {
  *place = __float2half(value);
}
__device__ float load(float value) {
  return value;
}
__device__ float load(bf16 value) {
  return __bfloat162float(value);
}
__device__ float load(__half value) {
  return __half2float(value);
}

template <class T>
__global__ void uniform_kernel(T* data, std::size_t count, float range, std::uint64_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += step) {
    const float unit = static_cast<float>(mixed(seed, i) >> 8) * (2.0f / 16777216.0f) - 1.0f;
    store(data + i, range * unit);
  }
}

__global__ void fp8_kernel(std::uint8_t* data, std::size_t count, std::uint64_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += step) {
    const std::uint32_t bits = mixed(seed, i);
    const std::uint32_t exponent = 3 + (bits >> 4) % 4;  // Bias 7: numbers below 1.
    data[i] = static_cast<std::uint8_t>(((bits & 1) << 7) | (exponent << 3) | ((bits >> 1) & 7));
  }
}

template <class T>
__global__ void count_kernel(const T* data, std::size_t count, unsigned long long* found) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += step) {
    const float value = load(data[i]);
    if (!(value == value)) ++mine;
  }
  if (mine > 0) atomicAdd(found, mine);
}

template <class T>
void fill(T* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s) {
  uniform_kernel<T><<<kBlocks, kThreads, 0, s>>>(data, count, range, seed);
  LF_LAUNCHED();
}

template <class T>
std::size_t unwritten(const T* data, std::size_t count, const Stream& stream) {
  DeviceArray<unsigned long long> found(1);
  LF_GPU(gpuMemsetAsync(found.data(), 0, found.bytes(), stream.get()));
  count_kernel<T><<<kBlocks, kThreads, 0, stream.get()>>>(data, count, found.data());
  LF_LAUNCHED();
  unsigned long long host = 0;
  copy_to_host(&host, found.data(), 1, stream);
  return static_cast<std::size_t>(host);
}

}  // namespace

void fill_random(float* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s) {
  fill(data, count, range, seed, s);
}
void fill_random(bf16* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s) {
  fill(data, count, range, seed, s);
}
void fill_random(__half* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s) {
  fill(data, count, range, seed, s);
}
void fill_random_fp8(std::uint8_t* data, std::size_t count, std::uint64_t seed, gpuStream_t s) {
  fp8_kernel<<<kBlocks, kThreads, 0, s>>>(data, count, seed);
  LF_LAUNCHED();
}

void poison(void* data, std::size_t bytes, gpuStream_t s) {
  LF_GPU(gpuMemsetAsync(data, 0xff, bytes, s));
}

std::size_t count_unwritten(const float* data, std::size_t count, const Stream& stream) {
  return unwritten(data, count, stream);
}
std::size_t count_unwritten(const bf16* data, std::size_t count, const Stream& stream) {
  return unwritten(data, count, stream);
}
std::size_t count_unwritten(const __half* data, std::size_t count, const Stream& stream) {
  return unwritten(data, count, stream);
}

}  // namespace loadfactor::probe
