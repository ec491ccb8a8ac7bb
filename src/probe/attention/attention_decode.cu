// One query token per sequence: the cache is streamed once, split among blocks, and the parts
// are joined. Tensor instructions keep the arithmetic of grouped heads behind the loads.
#include <algorithm>
#include <cmath>

#include "attention_kernels.h"
#include "mma.h"

namespace loadfactor::probe {

#if defined(LF_HAS_MMA)
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kHeads = 8;  // Query heads of one key head, at most.
constexpr int kKeys = 16;  // Keys of one step of a warp.
constexpr int kBlockKeys = kKeys * kWarps;
// Blocks that share a processor, by the size of a head.
constexpr int blocks_per_processor(std::int64_t size) {
  return size == 128 ? 2 : 4;
}

struct DecodeArguments {
  PromptTensors t;
  DecodeScratch scratch;
  int length;
  int group;
  int splits;
  float scale;  // In units of log2.
};

// In all that follows lane 4·row + quarter holds parts of query head `row`. The order of keys and
// of dimensions within a product is free, so each lane takes 16 bytes as they lie in memory.
struct Lane {
  int row;
  int quarter;
  __device__ Lane() : row(threadIdx.x % 32 / 4), quarter(threadIdx.x % 4) {}
};

__device__ __forceinline__ uint4 load_raw(const bf16* from) {
  return __ldcs(reinterpret_cast<const uint4*>(from));
}

// Keys and values of one step, as they lie in memory.
template <int D>
struct Stretch {
  uint4 key[2][D / 32];    // Keys 4·(row / 2) + row % 2 + {0, 2}, dimensions 32·i + 8·quarter.
  uint4 value[4][D / 64];  // Keys 4·quarter + {0 … 3}, dimensions 64·i + 8·row.
};

template <int D>
__device__ __forceinline__ void load_keys(Stretch<D>& s, const bf16* k, int at, int length) {
  const Lane lane;
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int key = min(at + lane.row / 2 * 4 + lane.row % 2 + 2 * n, length - 1);
    const bf16* from = k + static_cast<std::size_t>(key) * D + 8 * lane.quarter;
#pragma unroll
    for (int i = 0; i < D / 32; ++i) s.key[n][i] = load_raw(from + 32 * i);
  }
}

template <int D>
__device__ __forceinline__ void load_values(Stretch<D>& s, const bf16* v, int at, int length) {
  const Lane lane;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const int key = min(at + lane.quarter * 4 + n, length - 1);
    const bf16* from = v + static_cast<std::size_t>(key) * D + 8 * lane.row;
#pragma unroll
    for (int i = 0; i < D / 64; ++i) s.value[n][i] = load_raw(from + 64 * i);
  }
}

// The softmax so far of the lane's head over the keys its warp has seen. Each lane sums its own
// keys; `out` holds dimensions 64·i + 16·quarter + {0 … 15}, the second eight in out[i][..][1].
template <int D>
struct WarpState {
  float largest = -INFINITY;
  float sum = 0;
  float out[D / 64][8][4] = {};
};

// Scores of keys 4·quarter + {0 … 3}.
template <int D>
__device__ __forceinline__ void scores(float (&s)[4], const uint4 (&q)[D / 32],
                                       const Stretch<D>& stretch) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    float c[4] = {};
#pragma unroll
    for (int i = 0; i < D / 32; ++i) {
      const uint4& key = stretch.key[n][i];
      multiply_add(c, Fragment{{q[i].x, 0, q[i].y, 0}}, key.x, key.y);
      multiply_add(c, Fragment{{q[i].z, 0, q[i].w, 0}}, key.z, key.w);
    }
    s[2 * n] = c[0];
    s[2 * n + 1] = c[1];
  }
}

// Word `i` of 16 bytes.
__device__ __forceinline__ std::uint32_t word(const uint4& raw, int i) {
  return i == 0 ? raw.x : i == 1 ? raw.y : i == 2 ? raw.z : raw.w;
}

template <int D>
__device__ __forceinline__ void add_values(WarpState<D>& state, const float (&p)[4],
                                           const Stretch<D>& stretch) {
  constexpr unsigned kLow = 0x5410;
  constexpr unsigned kHigh = 0x7632;
  const Fragment weight{{packed(p[0], p[1]), 0, packed(p[2], p[3]), 0}};
#pragma unroll
  for (int i = 0; i < D / 64; ++i) {
#pragma unroll
    for (int d = 0; d < 8; ++d) {
      const unsigned half = d % 2 == 0 ? kLow : kHigh;
      const std::uint32_t first =
          __byte_perm(word(stretch.value[0][i], d / 2), word(stretch.value[1][i], d / 2), half);
      const std::uint32_t second =
          __byte_perm(word(stretch.value[2][i], d / 2), word(stretch.value[3][i], d / 2), half);
      multiply_add(state.out[i][d], weight, first, second);
    }
  }
}

// Turns scores into weights and rescales what was summed under a smaller maximum.
template <int D>
__device__ __forceinline__ void soften(WarpState<D>& state, float (&p)[4], int usable,
                                       float scale) {
  const Lane lane;
  float most = state.largest;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    p[i] = 4 * lane.quarter + i < usable ? p[i] * scale : -INFINITY;
    most = fmaxf(most, p[i]);
  }
  most = quad_max(most);
  // A step past the end leaves the state as it is.
  const float base = most == -INFINITY ? 0.0f : most;
  const float shrink = exp2f(state.largest - base);
  state.largest = most;
  state.sum *= shrink;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    p[i] = exp2f(p[i] - base);
    state.sum += p[i];
  }
#pragma unroll
  for (int i = 0; i < D / 64; ++i) {
#pragma unroll
    for (int d = 0; d < 8; ++d) {
      state.out[i][d][0] *= shrink;
      state.out[i][d][1] *= shrink;
    }
  }
}

template <int D>
struct Joining {
  float largest[kWarps][kHeads];
  float sum[kWarps][kHeads];
  float out[kWarps][kHeads][D];
};

template <int D>
__device__ __forceinline__ void lay_down(Joining<D>& joining, const WarpState<D>& state) {
  const Lane lane;
  const int warp = threadIdx.x / 32;
  const float sum = quad_sum(state.sum);
  if (lane.quarter == 0) {
    joining.largest[warp][lane.row] = state.largest;
    joining.sum[warp][lane.row] = sum;
  }
#pragma unroll
  for (int i = 0; i < D / 64; ++i) {
    float* line = &joining.out[warp][lane.row][64 * i + 16 * lane.quarter];
#pragma unroll
    for (int d = 0; d < 8; ++d) {
      line[d] = state.out[i][d][0];
      line[d + 8] = state.out[i][d][1];
    }
  }
}

// Joins the warps of the block: into the output when the block saw all keys, else into scratch.
template <int D>
__device__ __forceinline__ void join_warps(const Joining<D>& joining, const DecodeArguments& a) {
  const std::size_t heads = static_cast<std::size_t>(gridDim.x) * a.group;
  for (int i = threadIdx.x; i < a.group * D; i += kThreads) {
    const int row = i / D;
    const int column = i % D;
    float most = joining.largest[0][row];
    for (int w = 1; w < kWarps; ++w) most = fmaxf(most, joining.largest[w][row]);
    float sum = 0;
    float out = 0;
    for (int w = 0; w < kWarps; ++w) {
      const float share =
          joining.largest[w][row] == -INFINITY ? 0.0f : exp2f(joining.largest[w][row] - most);
      sum += share * joining.sum[w][row];
      out += share * joining.out[w][row][column];
    }
    const std::size_t head = static_cast<std::size_t>(blockIdx.x) * a.group + row;
    if (a.splits == 1) {
      a.t.out[head * D + column] = __float2bfloat16(out / sum);
      continue;
    }
    const std::size_t at = blockIdx.y * heads + head;
    a.scratch.out[at * D + column] = out;
    if (column == 0) {
      a.scratch.stat[at * 2] = most;
      a.scratch.stat[at * 2 + 1] = sum;
    }
  }
}

template <int D>
__global__ void __launch_bounds__(kThreads, blocks_per_processor(D))
    decode_kernel(DecodeArguments a) {
  __shared__ Joining<D> joining;
  const Lane lane;
  const std::size_t cache = blockIdx.x;  // Sequence and key head.
  const bf16* k = a.t.k + cache * a.length * D;
  const bf16* v = a.t.v + cache * a.length * D;
  uint4 q[D / 32] = {};
  if (lane.row < a.group) {
#pragma unroll
    for (int i = 0; i < D / 32; ++i)
      q[i] = load_raw(a.t.q + (cache * a.group + lane.row) * D + 32 * i + 8 * lane.quarter);
  }
  const int steps = (a.length + kBlockKeys - 1) / kBlockKeys;
  const int first = static_cast<int>(blockIdx.y) * steps / a.splits;
  const int last = (static_cast<int>(blockIdx.y) + 1) * steps / a.splits;
  int at = first * kBlockKeys + static_cast<int>(threadIdx.x) / 32 * kKeys;
  WarpState<D> state;
  Stretch<D> stretch;
  load_keys<D>(stretch, k, at, a.length);
  load_values<D>(stretch, v, at, a.length);
  for (int step = first; step < last; ++step, at += kBlockKeys) {
    // What has been used is fetched anew at once, so that loads are always on their way.
    float p[4];
    scores<D>(p, q, stretch);
    if (step + 1 < last) load_keys<D>(stretch, k, at + kBlockKeys, a.length);
    soften<D>(state, p, a.length - at, a.scale);
    add_values<D>(state, p, stretch);
    if (step + 1 < last) load_values<D>(stretch, v, at + kBlockKeys, a.length);
  }
  lay_down<D>(joining, state);
  __syncthreads();
  join_warps<D>(joining, a);
}

constexpr int kJoiners = 4;  // Threads that share the splits of one number.

// One block per query head: joins its splits.
template <int D>
__global__ void __launch_bounds__(kJoiners* D)
    join_kernel(DecodeScratch scratch, bf16* out, int splits, std::size_t heads) {
  __shared__ float sums[kJoiners][D + 1];
  const std::size_t head = blockIdx.x;
  const int column = threadIdx.x % D;
  const int joiner = threadIdx.x / D;
  float most = -INFINITY;
#pragma unroll 8
  for (int s = 0; s < splits; ++s) most = fmaxf(most, scratch.stat[(s * heads + head) * 2]);
  float sum = 0;
  float value = 0;
#pragma unroll 8
  for (int s = joiner; s < splits; s += kJoiners) {
    const std::size_t at = s * heads + head;
    const float share = exp2f(scratch.stat[at * 2] - most);
    sum += share * scratch.stat[at * 2 + 1];
    value += share * scratch.out[at * D + column];
  }
  sums[joiner][column] = value;
  if (column == 0) sums[joiner][D] = sum;
  __syncthreads();
  if (joiner != 0) return;
  for (int j = 1; j < kJoiners; ++j) value += sums[j][column];
  float total = 0;
  for (int j = 0; j < kJoiners; ++j) total += sums[j][D];
  out[head * D + column] = __float2bfloat16(value / total);
}

template <int D>
void launch(const AttentionShape& shape, const DecodeArguments& a, gpuStream_t stream) {
  const auto heads = static_cast<unsigned>(shape.batch * shape.heads);
  const dim3 grid(static_cast<unsigned>(shape.batch * shape.kv_heads),
                  static_cast<unsigned>(a.splits));
  decode_kernel<D><<<grid, kThreads, 0, stream>>>(a);
  if (a.splits > 1)
    join_kernel<D><<<heads, kJoiners * D, 0, stream>>>(a.scratch, a.t.out, a.splits, heads);
  LF_LAUNCHED();
}

}  // namespace

// The split that ends first: rounds of blocks times their steps, and the cost of starting and
// of joining in steps.
int decode_splits(const AttentionShape& shape, int processors) {
  constexpr std::int64_t kStart = 1;
  const std::int64_t slots = std::int64_t{blocks_per_processor(shape.head_dim)} * processors;
  const std::int64_t steps = (shape.kv_len + kBlockKeys - 1) / kBlockKeys;
  std::int64_t best = 1;
  std::int64_t least = -1;
  for (std::int64_t splits = 1; splits <= steps; ++splits) {
    const std::int64_t rounds = (shape.batch * shape.kv_heads * splits + slots - 1) / slots;
    const std::int64_t cost = rounds * ((steps + splits - 1) / splits + kStart) +
                              (splits > 1 ? 2 * kStart + splits / 16 : 0);
    if (least < 0 || cost < least) {
      least = cost;
      best = splits;
    }
  }
  return static_cast<int>(best);
}

void decode(const AttentionShape& shape, const PromptTensors& t, const DecodeScratch& scratch,
            int splits, gpuStream_t stream) {
  const auto scale = static_cast<float>(M_LOG2E / std::sqrt(static_cast<double>(shape.head_dim)));
  const DecodeArguments a{t,
                          scratch,
                          static_cast<int>(shape.kv_len),
                          static_cast<int>(shape.heads / shape.kv_heads),
                          splits,
                          scale};
  if (shape.head_dim == 128) return launch<128>(shape, a, stream);
  launch<64>(shape, a, stream);
}

#else

int decode_splits(const AttentionShape&, int) {
  return 1;
}
void decode(const AttentionShape&, const PromptTensors&, const DecodeScratch&, int, gpuStream_t) {
  throw GpuFailure("no attention kernel for this compiler");
}

#endif

}  // namespace loadfactor::probe
