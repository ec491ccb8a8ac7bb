#include <cmath>

#include "attention_kernels.h"
#include "mma.h"

namespace loadfactor::probe {
namespace {

#if defined(LF_HAS_MMA)

constexpr int kQueries = 128;  // Queries of a block: 16 for each of 8 warps.
constexpr int kKeys = 64;      // Keys of a step.
constexpr int kThreads = 256;

// The running softmax of the two rows a thread shares with three others.
struct RowState {
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};
};

template <int D>
struct WarpOutput {
  float o[D / 8][4] = {};
};

template <int D>
__device__ __forceinline__ void scores(float (&s)[kKeys / 8][4], const Fragment (&q)[D / 16],
                                       const bf16* k_tile, int lane) {
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) s[n][0] = s[n][1] = s[n][2] = s[n][3] = 0;
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
#pragma unroll
    for (int n = 0; n < kKeys / 16; ++n) {
      const Fragment b = right<D>(k_tile, n * 16, d * 16, lane);
      multiply_add(s[2 * n], q[d], b.r[0], b.r[1]);
      multiply_add(s[2 * n + 1], q[d], b.r[2], b.r[3]);
    }
  }
}

// Hides keys after the query; `row` and `key` are those of the thread's first element.
__device__ __forceinline__ void hide_later(float (&s)[kKeys / 8][4], int row, int key) {
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (key + n * 8 + (e & 1) > row + (e >> 1) * 8) s[n][e] = -INFINITY;
    }
  }
}

// Turns scores into weights and rescales what was summed under a smaller maximum.
template <int D>
__device__ __forceinline__ void soften(float (&s)[kKeys / 8][4], RowState& state,
                                       WarpOutput<D>& out, float scale) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float most = state.largest[half];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
      most = fmaxf(most, fmaxf(s[n][2 * half], s[n][2 * half + 1]));
    most = quad_max(most);
    const float shrink = exp2f((state.largest[half] - most) * scale);
    float sum = 0;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
      for (int e = 2 * half; e < 2 * half + 2; ++e) {
        s[n][e] = exp2f(s[n][e] * scale - most * scale);
        sum += s[n][e];
      }
    }
    state.largest[half] = most;
    state.sum[half] = state.sum[half] * shrink + sum;
#pragma unroll
    for (int d = 0; d < D / 8; ++d) {
      out.o[d][2 * half] *= shrink;
      out.o[d][2 * half + 1] *= shrink;
    }
  }
}

template <int D>
__device__ __forceinline__ void gather_values(WarpOutput<D>& out, const float (&s)[kKeys / 8][4],
                                              const bf16* v_tile, int lane) {
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) {
    const Fragment a{{packed(s[2 * k][0], s[2 * k][1]), packed(s[2 * k][2], s[2 * k][3]),
                      packed(s[2 * k + 1][0], s[2 * k + 1][1]),
                      packed(s[2 * k + 1][2], s[2 * k + 1][3])}};
#pragma unroll
    for (int d = 0; d < D / 16; ++d) {
      const Fragment b = right_transposed<D>(v_tile, k * 16, d * 16, lane);
      multiply_add(out.o[2 * d], a, b.r[0], b.r[1]);
      multiply_add(out.o[2 * d + 1], a, b.r[2], b.r[3]);
    }
  }
}

template <int D>
__device__ __forceinline__ void write_rows(const WarpOutput<D>& out, RowState& state, bf16* o,
                                           float* log_sum, float scale, int lane) {
  const int row = lane >> 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float sum = quad_sum(state.sum[half]);
    const float inverse = 1.0f / sum;
    bf16* line = o + (row + half * 8) * D + (lane & 3) * 2;
#pragma unroll
    for (int d = 0; d < D / 8; ++d) {
      *reinterpret_cast<std::uint32_t*>(line + d * 8) =
          packed(out.o[d][2 * half] * inverse, out.o[d][2 * half + 1] * inverse);
    }
    // In units of log2, as the backward pass wants it.
    if ((lane & 3) == 0) log_sum[row + half * 8] = state.largest[half] * scale + log2f(sum);
  }
}

template <int D>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(PromptTensors t, int length, int heads, int group, float scale) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* q_tile = reinterpret_cast<bf16*>(shared);
  bf16* k_tiles = q_tile + kQueries * D;
  bf16* v_tiles = k_tiles + 2 * kKeys * D;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Longest rows first, so that the short ones fill the gaps at the end.
  const int block = gridDim.x - 1 - blockIdx.x;
  const std::size_t head = blockIdx.y;
  const std::size_t cache = (head / heads) * (heads / group) + (head % heads) / group;
  const std::size_t query0 = head * length + static_cast<std::size_t>(block) * kQueries;
  const bf16* k = t.k + cache * length * D;
  const bf16* v = t.v + cache * length * D;
  const int steps = (block + 1) * kQueries / kKeys;

  fetch_tile<kQueries, D>(q_tile, t.q + query0 * D);
  fetch_tile<kKeys, D>(k_tiles, k);
  fetch_tile<kKeys, D>(v_tiles, v);
  copy_commit();

  Fragment q[D / 16];
  RowState state;
  WarpOutput<D> out;
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1;
    copy_wait<0>();
    __syncthreads();
    if (step == 0) {
#pragma unroll
      for (int d = 0; d < D / 16; ++d) q[d] = left<D>(q_tile, warp * 16, d * 16, lane);
    }
    if (step + 1 < steps) {
      const std::size_t next = static_cast<std::size_t>(step + 1) * kKeys * D;
      fetch_tile<kKeys, D>(k_tiles + (1 - now) * kKeys * D, k + next);
      fetch_tile<kKeys, D>(v_tiles + (1 - now) * kKeys * D, v + next);
      copy_commit();
    }
    float s[kKeys / 8][4];
    scores<D>(s, q, k_tiles + now * kKeys * D, lane);
    const int row = block * kQueries + warp * 16;
    if (step * kKeys + kKeys > row) hide_later(s, row + (lane >> 2), step * kKeys + (lane & 3) * 2);
    soften<D>(s, state, out, scale);
    gather_values<D>(out, s, v_tiles + now * kKeys * D, lane);
  }
  const std::size_t first = query0 + static_cast<std::size_t>(warp) * 16;
  write_rows<D>(out, state, t.out + first * D, t.log_sum + first, scale, lane);
}

template <int D>
void launch(const AttentionShape& shape, const PromptTensors& t, gpuStream_t stream) {
  constexpr int kShared = (kQueries + 4 * kKeys) * D * 2;
  const void* kernel = reinterpret_cast<const void*>(&forward_kernel<D>);
  LF_GPU(gpuFuncSetAttribute(kernel, gpuMaxDynamicShared, kShared));
  const dim3 grid(static_cast<unsigned>(shape.q_len / kQueries),
                  static_cast<unsigned>(shape.batch * shape.heads));
  const auto scale = static_cast<float>(M_LOG2E / std::sqrt(static_cast<double>(D)));
  forward_kernel<D><<<grid, kThreads, kShared, stream>>>(
      t, static_cast<int>(shape.q_len), static_cast<int>(shape.heads),
      static_cast<int>(shape.heads / shape.kv_heads), scale);
  LF_LAUNCHED();
}

#endif

}  // namespace

bool supported(const AttentionShape& shape) {
#if defined(LF_HAS_MMA)
  const bool size = shape.head_dim == 64 || shape.head_dim == 128;
  if (shape.phase == "decode") {
    const std::int64_t group = shape.heads / shape.kv_heads;
    return size && shape.q_len == 1 && group <= 8;
  }
  return size && shape.q_len == shape.kv_len && shape.q_len % kQueries == 0;
#else
  (void)shape;
  return false;
#endif
}

const char* instructions(const AttentionShape& shape) {
  return shape.phase != "decode" && compute_capability_nine() ? "wgmma" : "mma";
}

void prompt_forward(const AttentionShape& shape, const PromptTensors& t, gpuStream_t stream) {
#if defined(LF_HAS_MMA)
  if (hopper_forward(shape, t, stream)) return;
  if (shape.head_dim == 128) return launch<128>(shape, t, stream);
  launch<64>(shape, t, stream);
#else
  (void)shape, (void)t, (void)stream;
  throw GpuFailure("no attention kernel for this compiler");
#endif
}

}  // namespace loadfactor::probe
