// One query token per sequence: the cache is streamed once, split among blocks, and the parts
// are joined. Plain arithmetic: the memory is what is waited for.
#include <algorithm>
#include <cmath>

#include "attention_kernels.h"

namespace loadfactor::probe {
namespace {

constexpr int kThreads = 128;
constexpr int kUnrolled = 4;  // Keys that a thread has in flight.

struct Eight {
  float x[8];
};

__device__ __forceinline__ Eight load_eight(const bf16* from) {
  const uint4 raw = *reinterpret_cast<const uint4*>(from);
  const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
  Eight e;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    e.x[2 * i] = __uint_as_float(words[i] << 16);
    e.x[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
  return e;
}

struct DecodeArguments {
  PromptTensors t;
  DecodeScratch scratch;
  int length;
  int kv_heads;
  int splits;
  int batch;
  float scale;  // In units of log2.
};

// The softmax so far of `G` query heads over the keys one team of lanes has seen.
template <int G>
struct TeamState {
  float largest[G];
  float sum[G];
  float out[G][8];
};

template <int G>
__device__ __forceinline__ void take_keys(TeamState<G>& state, const float (&score)[kUnrolled][G],
                                          const Eight (&value)[kUnrolled]) {
#pragma unroll
  for (int g = 0; g < G; ++g) {
    float most = state.largest[g];
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) most = fmaxf(most, score[u][g]);
    const float shrink = most == -INFINITY ? 1.0f : exp2f(state.largest[g] - most);
    state.largest[g] = most;
    state.sum[g] *= shrink;
#pragma unroll
    for (int i = 0; i < 8; ++i) state.out[g][i] *= shrink;
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      const float weight = score[u][g] == -INFINITY ? 0.0f : exp2f(score[u][g] - most);
      state.sum[g] += weight;
#pragma unroll
      for (int i = 0; i < 8; ++i) state.out[g][i] += weight * value[u].x[i];
    }
  }
}

// Joins the teams of the block and writes the part of this split.
template <int D, int G>
__device__ __forceinline__ void join_teams(const TeamState<G>& state, const DecodeArguments& a,
                                           float* shared) {
  constexpr int kLanes = D / 8;
  constexpr int kTeams = kThreads / kLanes;
  const int team = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  float* stats = shared;                // [teams][G][2]
  float* outs = shared + kTeams * G * 2;  // [teams][D]
#pragma unroll
  for (int g = 0; g < G; ++g) {
    if (lane == 0) {
      stats[(team * G + g) * 2] = state.largest[g];
      stats[(team * G + g) * 2 + 1] = state.sum[g];
    }
  }
#pragma unroll
  for (int g = 0; g < G; ++g) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) outs[team * D + lane * 8 + i] = state.out[g][i];
    __syncthreads();
    float most = -INFINITY;
    for (int i = 0; i < kTeams; ++i) most = fmaxf(most, stats[(i * G + g) * 2]);
    float sum = 0;
    float out = 0;
    for (int i = 0; i < kTeams; ++i) {
      const float largest = stats[(i * G + g) * 2];
      const float share = largest == -INFINITY ? 0.0f : exp2f(largest - most);
      sum += share * stats[(i * G + g) * 2 + 1];
      if (threadIdx.x < D) out += share * outs[i * D + threadIdx.x];
    }
    const std::size_t head = static_cast<std::size_t>(blockIdx.x) * G + g;
    const std::size_t heads = static_cast<std::size_t>(a.batch) * a.kv_heads * G;
    const std::size_t at = blockIdx.y * heads + head;
    if (threadIdx.x < D) a.scratch.out[at * D + threadIdx.x] = out;
    if (threadIdx.x == 0) {
      a.scratch.stat[at * 2] = most;
      a.scratch.stat[at * 2 + 1] = sum;
    }
  }
}

template <int D, int G>
__global__ void __launch_bounds__(kThreads) decode_kernel(DecodeArguments a) {
  constexpr int kLanes = D / 8;
  constexpr int kTeams = kThreads / kLanes;
  __shared__ float shared[kTeams * G * 2 + kTeams * D];
  const int team = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const std::size_t cache = blockIdx.x;  // Sequence and key head.
  const bf16* k = a.t.k + cache * a.length * D + lane * 8;
  const bf16* v = a.t.v + cache * a.length * D + lane * 8;
  Eight q[G];
  TeamState<G> state;
#pragma unroll
  for (int g = 0; g < G; ++g) {
    q[g] = load_eight(a.t.q + (cache * G + g) * D + lane * 8);
    state.largest[g] = -INFINITY;
    state.sum[g] = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      q[g].x[i] *= a.scale;
      state.out[g][i] = 0;
    }
  }
  const int share = (a.length + a.splits - 1) / a.splits;
  const int first = blockIdx.y * share;
  const int last = min(first + share, a.length);
  for (int base = first; base < last; base += kTeams * kUnrolled) {
    Eight key[kUnrolled];
    Eight value[kUnrolled];
    float score[kUnrolled][G];
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      const int at = min(base + u * kTeams + team, a.length - 1);
      key[u] = load_eight(k + static_cast<std::size_t>(at) * D);
      value[u] = load_eight(v + static_cast<std::size_t>(at) * D);
    }
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
#pragma unroll
      for (int g = 0; g < G; ++g) {
        float dot = 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) dot += q[g].x[i] * key[u].x[i];
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2)
          dot += __shfl_xor_sync(0xffffffffu, dot, step);
        score[u][g] = base + u * kTeams + team < last ? dot : -INFINITY;
      }
    }
    take_keys<G>(state, score, value);
  }
  join_teams<D, G>(state, a, shared);
}

// One block per query head: joins its splits.
template <int D>
__global__ void join_kernel(DecodeScratch scratch, bf16* out, int splits, std::size_t heads) {
  const std::size_t head = blockIdx.x;
  float most = -INFINITY;
  for (int s = 0; s < splits; ++s) most = fmaxf(most, scratch.stat[(s * heads + head) * 2]);
  float sum = 0;
  float value = 0;
  for (int s = 0; s < splits; ++s) {
    const std::size_t at = s * heads + head;
    const float largest = scratch.stat[at * 2];
    const float share = largest == -INFINITY ? 0.0f : exp2f(largest - most);
    sum += share * scratch.stat[at * 2 + 1];
    value += share * scratch.out[at * D + threadIdx.x];
  }
  out[head * D + threadIdx.x] = __float2bfloat16(value / sum);
}

template <int D, int G>
void launch(const AttentionShape& shape, const DecodeArguments& a, gpuStream_t stream) {
  const auto heads = static_cast<unsigned>(shape.batch * shape.heads);
  const dim3 grid(static_cast<unsigned>(shape.batch * shape.kv_heads),
                  static_cast<unsigned>(a.splits));
  decode_kernel<D, G><<<grid, kThreads, 0, stream>>>(a);
  join_kernel<D><<<heads, D, 0, stream>>>(a.scratch, a.t.out, a.splits, heads);
  LF_LAUNCHED();
}

template <int D>
void launch_group(const AttentionShape& shape, const DecodeArguments& a, gpuStream_t stream) {
  switch (shape.heads / shape.kv_heads) {
    case 1: return launch<D, 1>(shape, a, stream);
    case 2: return launch<D, 2>(shape, a, stream);
    case 4: return launch<D, 4>(shape, a, stream);
    case 8: return launch<D, 8>(shape, a, stream);
    default: throw GpuFailure("no decode kernel for this group of heads");
  }
}

}  // namespace

int decode_splits(const AttentionShape& shape, int processors) {
  const std::int64_t blocks = shape.batch * shape.kv_heads;
  const std::int64_t wanted = (8 * processors + blocks - 1) / blocks;
  const std::int64_t most = std::max<std::int64_t>(1, shape.kv_len / 64);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most));
}

void decode(const AttentionShape& shape, const PromptTensors& t, const DecodeScratch& scratch,
            int splits, gpuStream_t stream) {
  const auto scale =
      static_cast<float>(M_LOG2E / std::sqrt(static_cast<double>(shape.head_dim)));
  const DecodeArguments a{t,
                          scratch,
                          static_cast<int>(shape.kv_len),
                          static_cast<int>(shape.kv_heads),
                          splits,
                          static_cast<int>(shape.batch),
                          scale};
  if (shape.head_dim == 128) return launch_group<128>(shape, a, stream);
  launch_group<64>(shape, a, stream);
}

}  // namespace loadfactor::probe
