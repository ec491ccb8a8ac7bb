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

__device__ __forceinline__ uint4 load_raw(const bf16* from) {
  return __ldcs(reinterpret_cast<const uint4*>(from));
}

__device__ __forceinline__ Eight widened(const uint4& raw) {
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

// Keys and values as they lie in memory, so that the next ones can be on their way.
struct Stretch {
  uint4 key[kUnrolled];
  uint4 value[kUnrolled];
};

// The softmax so far of `G` query heads over the keys one team of lanes has seen. Largest score
// and sum are kept by the lanes that own the head, and the same by all of them.
template <int G>
struct TeamState {
  float largest;
  float sum;
  float out[G][8];
};

// A team of `L` lanes holds the products of kUnrolled keys with G heads, each lane a part of all
// sums; afterwards lane i holds the whole sums i·K … i·K + K − 1, in the order head, key.
template <int N, int L>
__device__ __forceinline__ void share_out(float (&v)[N], int lane) {
  int held = N;
#pragma unroll
  for (int step = L / 2; step > 0; step /= 2) {
    held /= 2;
    const bool upper = (lane & step) != 0;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      if (i >= held) break;
      const float send = upper ? v[i] : v[i + held];
      const float keep = upper ? v[i + held] : v[i];
      v[i] = keep + __shfl_xor_sync(0xffffffffu, send, step);
    }
  }
}

// How a team of L lanes divides the scores of G heads among its lanes.
template <int G, int L>
struct Division {
  static constexpr int kScores = G * kUnrolled < L ? L : G * kUnrolled;
  static constexpr int kOwned = kScores / L;  // By one lane: keys of one head.
  static constexpr int kKeys = kScores / G;   // Slots of a head; some may be empty.
  static constexpr int kLanesPerHead = kKeys / kOwned;
  static_assert(kOwned <= kKeys, "a lane serves one head");
};

template <int G, int L>
__device__ __forceinline__ void take_keys(TeamState<G>& state, const Eight (&q)[G],
                                          const Stretch& stretch, int lane, int usable) {
  using D = Division<G, L>;
  float score[D::kScores] = {};
#pragma unroll
  for (int u = 0; u < kUnrolled; ++u) {
    const Eight key = widened(stretch.key[u]);
#pragma unroll
    for (int g = 0; g < G; ++g) {
#pragma unroll
      for (int i = 0; i < 8; ++i) score[g * D::kKeys + u] += q[g].x[i] * key.x[i];
    }
  }
  share_out<D::kScores, L>(score, lane);
  const int first = lane % D::kLanesPerHead * D::kOwned;  // Key of the lane's first score.
  float most = state.largest;
#pragma unroll
  for (int i = 0; i < D::kOwned; ++i) {
    if (first + i >= usable) score[i] = -INFINITY;
    most = fmaxf(most, score[i]);
  }
#pragma unroll
  for (int step = 1; step < D::kLanesPerHead; step *= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  const float shrink = most == -INFINITY ? 1.0f : exp2f(state.largest - most);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < D::kOwned; ++i) {
    score[i] = score[i] == -INFINITY ? 0.0f : exp2f(score[i] - most);
    sum += score[i];
  }
#pragma unroll
  for (int step = 1; step < D::kLanesPerHead; step *= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  state.largest = most;
  state.sum = state.sum * shrink + sum;
#pragma unroll
  for (int g = 0; g < G; ++g) {
    const float down = __shfl_sync(0xffffffffu, shrink, g * D::kLanesPerHead, L);
#pragma unroll
    for (int i = 0; i < 8; ++i) state.out[g][i] *= down;
  }
#pragma unroll
  for (int u = 0; u < kUnrolled; ++u) {
    const Eight value = widened(stretch.value[u]);
#pragma unroll
    for (int g = 0; g < G; ++g) {
      const float weight =
          __shfl_sync(0xffffffffu, score[u % D::kOwned], g * D::kLanesPerHead + u / D::kOwned, L);
#pragma unroll
      for (int i = 0; i < 8; ++i) state.out[g][i] += weight * value.x[i];
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
  float* stats = shared;                  // [teams][G][2]
  float* outs = shared + kTeams * G * 2;  // [teams][D]
  constexpr int kPerHead = Division<G, kLanes>::kLanesPerHead;
  if (lane % kPerHead == 0 && lane / kPerHead < G) {
    stats[(team * G + lane / kPerHead) * 2] = state.largest;
    stats[(team * G + lane / kPerHead) * 2 + 1] = state.sum;
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

// Four keys and values from `at`; past the end, the last ones again.
template <int D>
__device__ __forceinline__ Stretch load_stretch(const bf16* k, const bf16* v, int at, int length) {
  Stretch s;
#pragma unroll
  for (int u = 0; u < kUnrolled; ++u) {
    const std::size_t offset = static_cast<std::size_t>(min(at + u, length - 1)) * D;
    s.key[u] = load_raw(k + offset);
    s.value[u] = load_raw(v + offset);
  }
  return s;
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
  state.largest = -INFINITY;
  state.sum = 0;
#pragma unroll
  for (int g = 0; g < G; ++g) {
    q[g] = widened(load_raw(a.t.q + (cache * G + g) * D + lane * 8));
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      q[g].x[i] *= a.scale;
      state.out[g][i] = 0;
    }
  }
  const int share = (a.length + a.splits - 1) / a.splits;
  const int first = blockIdx.y * share;
  const int last = min(first + share, a.length);
  constexpr int kStride = kTeams * kUnrolled;
  int at = first + team * kUnrolled;
  Stretch now = load_stretch<D>(k, v, at, a.length);
  for (int base = first; base < last; base += kStride, at += kStride) {
    Stretch next = now;
    if (base + kStride < last) next = load_stretch<D>(k, v, at + kStride, a.length);
    // Keys that this team may use of its four: the last ones may lie past the end.
    take_keys<G, kLanes>(state, q, now, lane, min(last - at, kUnrolled));
    now = next;
  }
  join_teams<D, G>(state, a, shared);
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
    const float largest = scratch.stat[at * 2];
    const float share = largest == -INFINITY ? 0.0f : exp2f(largest - most);
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

template <int D, int G>
void launch(const AttentionShape& shape, const DecodeArguments& a, gpuStream_t stream) {
  const auto heads = static_cast<unsigned>(shape.batch * shape.heads);
  const dim3 grid(static_cast<unsigned>(shape.batch * shape.kv_heads),
                  static_cast<unsigned>(a.splits));
  decode_kernel<D, G><<<grid, kThreads, 0, stream>>>(a);
  join_kernel<D><<<heads, kJoiners * D, 0, stream>>>(a.scratch, a.t.out, a.splits, heads);
  LF_LAUNCHED();
}

template <int D>
void launch_group(const AttentionShape& shape, const DecodeArguments& a, gpuStream_t stream) {
  switch (shape.heads / shape.kv_heads) {
    case 1:
      return launch<D, 1>(shape, a, stream);
    case 2:
      return launch<D, 2>(shape, a, stream);
    case 4:
      return launch<D, 4>(shape, a, stream);
    case 8:
      return launch<D, 8>(shape, a, stream);
    default:
      throw GpuFailure("no decode kernel for this group of heads");
  }
}

}  // namespace

int decode_splits(const AttentionShape& shape, int processors) {
  const std::int64_t blocks = shape.batch * shape.kv_heads;
  // Three blocks fit a processor; when there are many, several rounds even out their ends.
  const std::int64_t wanted = (3 * processors + blocks - 1) / blocks;
  const std::int64_t most = std::max<std::int64_t>(1, shape.kv_len / 64);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most));
}

void decode(const AttentionShape& shape, const PromptTensors& t, const DecodeScratch& scratch,
            int splits, gpuStream_t stream) {
  const auto scale = static_cast<float>(M_LOG2E / std::sqrt(static_cast<double>(shape.head_dim)));
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
