// The backward pass: one block owns 64 keys and walks the queries after them. Gradients of
// queries meet in float32 sums, so their last bits differ from run to run.
#include <cmath>

#include "attention_kernels.h"
#include "mma.h"

namespace loadfactor::probe {
namespace {

#if defined(LF_HAS_MMA)

constexpr int kTile = 64;  // Queries of a step and keys of a block.
constexpr int kThreads = 256;

// row_dot[i] = Σ dout[i] · out[i], one warp per row.
template <int D>
__global__ void row_dot_kernel(const bf16* dout, const bf16* out, float* row_dot,
                               std::size_t rows) {
  const std::size_t row = (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int d = 2 * lane; d < D; d += 64) {
    const float2 a =
        __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(dout + row * D + d));
    const float2 b =
        __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(out + row * D + d));
    sum += a.x * b.x + a.y * b.y;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0) row_dot[row] = sum;
}

// 16 × 32 of rows·columnsᵀ, both tiles holding rows of D.
template <int D>
__device__ __forceinline__ void row_products(float (&c)[4][4], const bf16* rows,
                                             const bf16* columns, int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < 4; ++n) c[n][0] = c[n][1] = c[n][2] = c[n][3] = 0;
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
    const Fragment a = left<D>(rows, row, d * 16, lane);
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Fragment b = right<D>(columns, column + n * 16, d * 16, lane);
      multiply_add(c[2 * n], a, b.r[0], b.r[1]);
      multiply_add(c[2 * n + 1], a, b.r[2], b.r[3]);
    }
  }
}

// c (16 × D/2) += 16 rows of weightsᵀ or weights (64 × 64) times 64 rows of `values`.
template <int D, bool Transposed>
__device__ __forceinline__ void accumulate(float (&c)[D / 16][4], const bf16* weights,
                                           const bf16* values, int row, int column, int lane) {
#pragma unroll
  for (int k = 0; k < kTile / 16; ++k) {
    const Fragment a = Transposed ? left_transposed<kTile>(weights, row, k * 16, lane)
                                  : left<kTile>(weights, row, k * 16, lane);
#pragma unroll
    for (int n = 0; n < D / 32; ++n) {
      const Fragment b = right_transposed<D>(values, k * 16, column + n * 16, lane);
      multiply_add(c[2 * n], a, b.r[0], b.r[1]);
      multiply_add(c[2 * n + 1], a, b.r[2], b.r[3]);
    }
  }
}

__device__ __forceinline__ void store_weights(bf16* tile, const float (&c)[4][4], int row,
                                              int column, int lane) {
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at =
          Tile<kTile>::element(row + (lane >> 2) + half * 8, column + n * 8 + (lane & 3) * 2);
      *reinterpret_cast<std::uint32_t*>(tile + at) = packed(c[n][2 * half], c[n][2 * half + 1]);
    }
  }
}

template <int D>
__device__ __forceinline__ void store_gradient(bf16* to, const float (&c)[D / 16][4], float factor,
                                               int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < D / 16; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      bf16* place = to + (row + (lane >> 2) + half * 8) * D + column + n * 8 + (lane & 3) * 2;
      *reinterpret_cast<std::uint32_t*>(place) =
          packed(c[n][2 * half] * factor, c[n][2 * half + 1] * factor);
    }
  }
}

template <int D>
__device__ __forceinline__ void add_query_gradient(float* to, const float (&c)[D / 16][4],
                                                   float factor, int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < D / 16; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float* place = to + (row + (lane >> 2) + half * 8) * D + column + n * 8 + (lane & 3) * 2;
#if __CUDA_ARCH__ >= 900
      atomicAdd(reinterpret_cast<float2*>(place),
                make_float2(c[n][2 * half] * factor, c[n][2 * half + 1] * factor));
#else
      atomicAdd(place, c[n][2 * half] * factor);
      atomicAdd(place + 1, c[n][2 * half + 1] * factor);
#endif
    }
  }
}

struct BackwardArguments {
  PromptTensors t;
  GradientTensors g;
  int length;
  int heads;
  int group;
  float scale;       // 1 / √D.
  float scale_log2;  // The same in units of log2.
};

template <int D>
__global__ void __launch_bounds__(kThreads) backward_kernel(BackwardArguments a) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* k_tile = reinterpret_cast<bf16*>(shared);
  bf16* v_tile = k_tile + kTile * D;
  bf16* q_tile = v_tile + kTile * D;
  bf16* dout_tile = q_tile + kTile * D;
  bf16* weight_tile = dout_tile + kTile * D;
  bf16* slope_tile = weight_tile + kTile * kTile;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int row = (warp & 3) * 16;       // Queries of scores and dq; keys of dk and dv.
  const int column = (warp >> 2) * 32;   // Keys of scores.
  const int part = (warp >> 2) * D / 2;  // Columns of the gradients.
  const std::size_t head = blockIdx.y;
  const std::size_t cache = (head / a.heads) * (a.heads / a.group) + (head % a.heads) / a.group;
  const std::size_t key0 = static_cast<std::size_t>(blockIdx.x) * kTile;

  fetch_tile<kTile, D>(k_tile, a.t.k + (cache * a.length + key0) * D);
  fetch_tile<kTile, D>(v_tile, a.t.v + (cache * a.length + key0) * D);
  float dk[D / 16][4] = {};
  float dv[D / 16][4] = {};
  for (int step = blockIdx.x; step < a.length / kTile; ++step) {
    const std::size_t query0 = head * a.length + static_cast<std::size_t>(step) * kTile;
    __syncthreads();
    fetch_tile<kTile, D>(q_tile, a.t.q + query0 * D);
    fetch_tile<kTile, D>(dout_tile, a.g.dout + query0 * D);
    copy_commit();
    copy_wait<0>();
    __syncthreads();
    float s[4][4];
    float slope[4][4];
    row_products<D>(s, q_tile, k_tile, row, column, lane);
    row_products<D>(slope, dout_tile, v_tile, row, column, lane);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int query = row + (lane >> 2) + half * 8;
      const float log_sum = a.t.log_sum[query0 + query];
      const float dot = a.g.row_dot[query0 + query];
#pragma unroll
      for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          const int key = column + n * 8 + (lane & 3) * 2 + (e & 1);
          const bool hidden = step == blockIdx.x && key > query;
          s[n][e] = hidden ? 0.0f : exp2f(s[n][e] * a.scale_log2 - log_sum);
          slope[n][e] = s[n][e] * (slope[n][e] - dot);
        }
      }
    }
    store_weights(weight_tile, s, row, column, lane);
    store_weights(slope_tile, slope, row, column, lane);
    __syncthreads();
    accumulate<D, true>(dv, weight_tile, dout_tile, row, part, lane);
    accumulate<D, true>(dk, slope_tile, q_tile, row, part, lane);
    float dq[D / 16][4] = {};
    accumulate<D, false>(dq, slope_tile, k_tile, row, part, lane);
    add_query_gradient<D>(a.g.dq_sum + query0 * D, dq, a.scale, row, part, lane);
  }
  const std::size_t out0 = (head * a.length + key0) * D;
  store_gradient<D>(a.g.dk_heads + out0, dk, a.scale, row, part, lane);
  store_gradient<D>(a.g.dv_heads + out0, dv, 1.0f, row, part, lane);
}

__global__ void narrow_kernel(const float* from, bf16* to, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < count / 2; i += step) {
    const float2 pair = reinterpret_cast<const float2*>(from)[i];
    reinterpret_cast<std::uint32_t*>(to)[i] = packed(pair.x, pair.y);
  }
}

// Sums the gradients of the query heads that share a key head.
__global__ void sum_heads_kernel(const bf16* from, bf16* to, std::size_t per_head, int group,
                                 std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(from);
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < count / 2; i += step) {
    const std::size_t head = i / (per_head / 2);
    float2 sum = {0, 0};
    for (int g = 0; g < group; ++g) {
      const float2 one =
          __bfloat1622float2(pairs[(head * group + g) * (per_head / 2) + i % (per_head / 2)]);
      sum.x += one.x;
      sum.y += one.y;
    }
    reinterpret_cast<std::uint32_t*>(to)[i] = packed(sum.x, sum.y);
  }
}

// The gradients of all query heads, by the instructions that every chip has.
template <int D>
void launch_gradients(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
                      gpuStream_t stream) {
  constexpr int kShared = (4 * kTile * D + 2 * kTile * kTile) * 2;
  const auto rows = static_cast<std::size_t>(shape.batch * shape.heads * shape.q_len);
  const void* kernel = reinterpret_cast<const void*>(&backward_kernel<D>);
  LF_GPU(gpuFuncSetAttribute(kernel, gpuMaxDynamicShared, kShared));
  const double scale = 1.0 / std::sqrt(static_cast<double>(D));
  const dim3 grid(static_cast<unsigned>(shape.kv_len / kTile),
                  static_cast<unsigned>(shape.batch * shape.heads));
  backward_kernel<D><<<grid, kThreads, kShared, stream>>>(
      {t, g, static_cast<int>(shape.q_len), static_cast<int>(shape.heads),
       static_cast<int>(shape.heads / shape.kv_heads), static_cast<float>(scale),
       static_cast<float>(scale * M_LOG2E)});
  LF_LAUNCHED();
  narrow_kernel<<<1024, 256, 0, stream>>>(g.dq_sum, g.dq, rows * D);
  LF_LAUNCHED();
}

template <int D>
void launch(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
            gpuStream_t stream) {
  const int group = static_cast<int>(shape.heads / shape.kv_heads);
  const auto rows = static_cast<std::size_t>(shape.batch * shape.heads * shape.q_len);
  row_dot_kernel<D>
      <<<static_cast<unsigned>((rows + 7) / 8), 256, 0, stream>>>(g.dout, t.out, g.row_dot, rows);
  LF_LAUNCHED();
  LF_GPU(gpuMemsetAsync(g.dq_sum, 0, rows * D * sizeof(float), stream));
  GradientTensors to = g;
  if (group == 1) {
    to.dk_heads = g.dk;
    to.dv_heads = g.dv;
  }
  if (!hopper_backward(shape, t, to, stream)) launch_gradients<D>(shape, t, to, stream);
  if (group == 1) return;
  const auto per_head = static_cast<std::size_t>(shape.kv_len) * D;
  const std::size_t count = static_cast<std::size_t>(shape.batch * shape.kv_heads) * per_head;
  sum_heads_kernel<<<1024, 256, 0, stream>>>(g.dk_heads, g.dk, per_head, group, count);
  sum_heads_kernel<<<1024, 256, 0, stream>>>(g.dv_heads, g.dv, per_head, group, count);
  LF_LAUNCHED();
}

#endif

}  // namespace

void prompt_backward(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
                     gpuStream_t stream) {
#if defined(LF_HAS_MMA)
  if (shape.head_dim == 128) return launch<128>(shape, t, g, stream);
  launch<64>(shape, t, g, stream);
#else
  (void)shape, (void)t, (void)g, (void)stream;
  throw GpuFailure("no attention kernel for this compiler");
#endif
}

}  // namespace loadfactor::probe
