// Gradients of prompts on compute capability 9.0: a block owns 128 keys, 64 for each of two
// groups of warps, and walks the queries after them; a third group fetches. Gradients of queries
// are added to memory by the copy engine, so their last bits differ from run to run.
#include <cmath>

#include "attention_kernels.h"

#if defined(LF_GPU_CUDA)
#include "tensor_map.h"
#include "wgmma.h"

namespace loadfactor::probe {
namespace {

constexpr int kKeys = 128;    // Keys of a block.
constexpr int kQueries = 64;  // Queries of a step.
constexpr int kThreads = 384;
constexpr int kStages = 2;
constexpr int kConsumerWarps = 8;
constexpr int kKeyBox = kKeys * 128;
constexpr int kQueryBox = kQueries * 128;

template <int D>
struct GradientTiles {
  static constexpr int kBoxes = D / 64;
  unsigned char key[kBoxes * kKeyBox];
  unsigned char value[kBoxes * kKeyBox];
  unsigned char query[kStages][kBoxes * kQueryBox];
  unsigned char dout[kStages][kBoxes * kQueryBox];
  unsigned char slope[kKeyBox];  // [keys][queries]
  float dq[kQueries * D];
  TileBarrier keys_full;
  TileBarrier full[kStages], free[kStages];
};

struct GradientMaps {
  CUtensorMap q, k, v, dout;
};

struct GradientShape {
  int length;
  int heads;
  int group;
  float scale;       // 1 / √D.
  float scale_log2;  // The same in units of log2.
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Barriers of the two multiplying groups.
__device__ __forceinline__ void meet(int which) {
  asm volatile("bar.sync %0, 256;\n" ::"r"(which) : "memory");
}

template <int D>
__device__ void fetch(GradientTiles<D>& tiles, const GradientMaps& maps,
                      const GradientShape& shape) {
  using Tiles = GradientTiles<D>;
  const int head = blockIdx.y;
  const int cache =
      head / shape.heads * (shape.heads / shape.group) + head % shape.heads / shape.group;
  const int key_row = cache * shape.length + static_cast<int>(blockIdx.x) * kKeys;
  tiles.keys_full.expect(2 * Tiles::kBoxes * kKeyBox);
  for (int i = 0; i < Tiles::kBoxes; ++i) {
    fetch_box(tiles.key + i * kKeyBox, maps.k, i * 64, key_row, tiles.keys_full);
    fetch_box(tiles.value + i * kKeyBox, maps.v, i * 64, key_row, tiles.keys_full);
  }
  const int first = static_cast<int>(blockIdx.x) * (kKeys / kQueries);
  for (int step = first; step < shape.length / kQueries; ++step) {
    const int turn = step - first;
    const int stage = turn % kStages;
    const int row = head * shape.length + step * kQueries;
    TileBarrier& full = tiles.full[stage];
    tiles.free[stage].wait(((turn / kStages) & 1) ^ 1);
    full.expect(2 * Tiles::kBoxes * kQueryBox);
    for (int i = 0; i < Tiles::kBoxes; ++i) {
      fetch_box(tiles.query[stage] + i * kQueryBox, maps.q, i * 64, row, full);
      fetch_box(tiles.dout[stage] + i * kQueryBox, maps.dout, i * 64, row, full);
    }
  }
}

// 64 keys × 64 queries of keys · queriesᵀ, or of values · doutᵀ.
template <int D>
__device__ __forceinline__ void start_products(float (&c)[kQueries / 2], std::uint32_t keys,
                                               std::uint32_t queries) {
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
    const int inside = d % 4 * 32;
    group_multiply(c, tile_place(keys + d / 4 * kKeyBox + inside, 16),
                   tile_place(queries + d / 4 * kQueryBox + inside, 16), d > 0);
  }
}

// Gradients of the group's 64 keys from weights × queries.
template <int D>
__device__ __forceinline__ void start_gradient(float (&c)[D / 2],
                                               const Fragment (&weight)[kQueries / 16],
                                               std::uint32_t queries) {
#pragma unroll
  for (int k = 0; k < kQueries / 16; ++k)
    group_multiply_add(c, weight[k], tile_place(queries + k * 16 * 128, kQueryBox));
}

// Half of the columns of the queries' gradients: slopesᵀ · keys.
template <int D>
__device__ __forceinline__ void start_query_gradient(float (&c)[D / 4], std::uint32_t slopes,
                                                     std::uint32_t keys, int group) {
  const int part = D == 128 ? group * kKeyBox : group * 64;
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) {
    const int row = k * 16 * 128;
    group_multiply_columns(c, tile_place(slopes + row, 16), tile_place(keys + part + row, 16),
                           k > 0);
  }
}

__device__ __forceinline__ void pack(Fragment (&weight)[kQueries / 16],
                                     const float (&c)[kQueries / 2]) {
#pragma unroll
  for (int k = 0; k < kQueries / 16; ++k) {
#pragma unroll
    for (int r = 0; r < 4; ++r) weight[k].r[r] = packed(c[8 * k + 2 * r], c[8 * k + 2 * r + 1]);
  }
}

// One number of each of the thread's queries.
struct PerQuery {
  float2 pair[kQueries / 8];
  __device__ explicit PerQuery(const float* from) {
#pragma unroll
    for (int n = 0; n < kQueries / 8; ++n)
      pair[n] = __ldg(reinterpret_cast<const float2*>(from + 8 * n + threadIdx.x % 4 * 2));
  }
};

// Scores become weights; `ahead` is by how much the thread's first key lies after the first query.
__device__ __forceinline__ void weigh(float (&s)[kQueries / 2], const PerQuery& log_sum,
                                      float scale, int ahead) {
  const int quarter = threadIdx.x % 4;
#pragma unroll
  for (int n = 0; n < kQueries / 8; ++n) {
    const float2 base = log_sum.pair[n];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int query = 8 * n + 2 * quarter + (i & 1);
      const int key = ahead + (i >> 1) * 8;
      const float weight = exp2f(fmaf(s[4 * n + i], scale, -((i & 1) ? base.y : base.x)));
      s[4 * n + i] = key > query ? 0.0f : weight;
    }
  }
}

__device__ __forceinline__ void slopes_of(float (&slope)[kQueries / 2],
                                          const float (&weight)[kQueries / 2],
                                          const PerQuery& row_dot) {
#pragma unroll
  for (int n = 0; n < kQueries / 8; ++n) {
    const float2 dot = row_dot.pair[n];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      slope[4 * n + i] = weight[4 * n + i] * (slope[4 * n + i] - ((i & 1) ? dot.y : dot.x));
  }
}

// Rows are keys; pieces are swizzled as the tensor cores want them.
__device__ __forceinline__ void store_slopes(unsigned char* tile,
                                             const Fragment (&slope)[kQueries / 16], int row) {
  const int quarter = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int key = row + half * 8;
#pragma unroll
    for (int n = 0; n < kQueries / 8; ++n) {
      unsigned char* place = tile + key * 128 + (n ^ (key & 7)) * 16 + quarter * 4;
      *reinterpret_cast<std::uint32_t*>(place) = slope[n / 2].r[n % 2 * 2 + half];
    }
  }
}

// The order of the queries' gradients in their float32 sums: as the threads hold them.
template <int D>
struct SumOrder {
  static constexpr int kQuads = D / 16;  // Groups of four numbers that one thread holds.
  static __host__ __device__ int quad(int group, int i, int thread) {
    return ((group * kQuads + i) * 128 + thread) * 4;
  }
};

template <int D>
__device__ __forceinline__ void store_query_gradient(float* tile, const float (&c)[D / 4],
                                                     int group) {
#pragma unroll
  for (int i = 0; i < SumOrder<D>::kQuads; ++i)
    *reinterpret_cast<float4*>(tile + SumOrder<D>::quad(group, i, threadIdx.x % 128)) =
        make_float4(c[4 * i], c[4 * i + 1], c[4 * i + 2], c[4 * i + 3]);
}

template <int D>
__device__ __forceinline__ void store_gradient(bf16* to, const float (&c)[D / 2], float factor) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      bf16* place = to + ((lane >> 2) + half * 8) * D + n * 8 + (lane & 3) * 2;
      *reinterpret_cast<std::uint32_t*>(place) =
          packed(c[4 * n + 2 * half] * factor, c[4 * n + 2 * half + 1] * factor);
    }
  }
}

template <int D>
__device__ void consume(GradientTiles<D>& tiles, const float* log_sum, const GradientTensors& g,
                        const GradientShape& shape) {
  const int group = threadIdx.x / 128 - 1;
  const int warp = threadIdx.x / 32 % 4;
  const int row = group * 64 + warp * 16 + threadIdx.x % 32 / 4;
  const bool leader = threadIdx.x == 128;
  const std::uint32_t keys = shared_address(tiles.key);
  const std::uint32_t own = group * 64 * 128;
  const int first = static_cast<int>(blockIdx.x) * (kKeys / kQueries);
  const int steps = shape.length / kQueries - first;
  float* sums = g.dq_sum + (static_cast<std::size_t>(blockIdx.y) * shape.length) * D;
  float dk[D / 2] = {};
  float dv[D / 2] = {};
  tiles.keys_full.wait(0);
  for (int turn = 0; turn < steps; ++turn) {
    const int stage = turn % kStages;
    const std::uint32_t queries = shared_address(tiles.query[stage]);
    const std::uint32_t douts = shared_address(tiles.dout[stage]);
    float s[kQueries / 2];
    float slope[kQueries / 2];
    Fragment weights[kQueries / 16];
    Fragment slopes[kQueries / 16];
    const std::size_t query =
        static_cast<std::size_t>(blockIdx.y) * shape.length + (first + turn) * kQueries;
    const PerQuery sums_of_weights(log_sum + query);
    const PerQuery dots(g.row_dot + query);
    tiles.full[stage].wait((turn / kStages) & 1);
    group_begin();
    start_products<D>(s, keys + own, queries);
    group_commit();
    start_products<D>(slope, shared_address(tiles.value) + own, douts);
    group_commit();
    group_wait<1>();
    weigh(s, sums_of_weights, shape.scale_log2, row - turn * kQueries);
    pack(weights, s);
    group_wait<0>();
    slopes_of(slope, s, dots);
    pack(slopes, slope);
    store_slopes(tiles.slope, slopes, row);
    show_to_engines();
    if (leader) await_line_read();
    meet(1);  // Slopes are there, and the last sums have left.
    float dq[D / 4];
    group_begin();
    start_query_gradient<D>(dq, shared_address(tiles.slope), keys, group);
    group_commit();
    start_gradient<D>(dv, weights, douts);
    start_gradient<D>(dk, slopes, queries);
    group_commit();
    group_wait<1>();
    store_query_gradient<D>(tiles.dq, dq, group);
    show_to_engines();
    meet(2);  // Sums are there, and slopes have been read.
    if (leader)
      add_line(sums + static_cast<std::size_t>(first + turn) * kQueries * D, tiles.dq,
               kQueries * D * sizeof(float));
    group_wait<0>();
    if (threadIdx.x % 32 == 0) tiles.free[stage].arrive();
  }
  if (leader) await_line();
  const std::size_t to = (static_cast<std::size_t>(blockIdx.y) * shape.length + blockIdx.x * kKeys +
                          group * 64 + warp * 16) *
                         D;
  store_gradient<D>(g.dk_heads + to, dk, shape.scale);
  store_gradient<D>(g.dv_heads + to, dv, 1.0f);
}

#endif

template <int D>
__global__ void __launch_bounds__(kThreads, 1)
    gradient_kernel(const __grid_constant__ GradientMaps maps, PromptTensors t, GradientTensors g,
                    GradientShape shape) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& tiles = *reinterpret_cast<GradientTiles<D>*>(shared);
  if (threadIdx.x == 0) {
    tiles.keys_full.start(1);
    for (int i = 0; i < kStages; ++i) {
      tiles.full[i].start(1);
      tiles.free[i].start(kConsumerWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;\n");
    if (threadIdx.x == 0) fetch<D>(tiles, maps, shape);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;\n");
    consume<D>(tiles, t.log_sum, g, shape);
  }
#endif
}

// The sums of the queries' gradients, in the order of rows, as 16-bit numbers.
template <int D>
__global__ void narrow_kernel(const float* from, bf16* to, std::size_t pairs, float factor) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < pairs;
       i += step) {
    const std::size_t tile = i / (kQueries * D / 2);
    const int row = static_cast<int>(i / (D / 2) % kQueries);
    const int column = static_cast<int>(i % (D / 2)) * 2;
    const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    const int quads = D / 16;
    const int quad = (column / (D / 2) * quads + column % (D / 2) / 8) * 128 + thread;
    const float2 pair =
        *reinterpret_cast<const float2*>(from + tile * kQueries * D + quad * 4 + row % 16 / 8 * 2);
    reinterpret_cast<std::uint32_t*>(to)[i] = packed(pair.x * factor, pair.y * factor);
  }
}

template <int D>
void launch(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
            gpuStream_t stream) {
  constexpr int kShared = sizeof(GradientTiles<D>);
  const void* kernel = reinterpret_cast<const void*>(&gradient_kernel<D>);
  LF_GPU(gpuFuncSetAttribute(kernel, gpuMaxDynamicShared, kShared));
  const std::int64_t queries = shape.batch * shape.heads * shape.q_len;
  const std::int64_t keys = shape.batch * shape.kv_heads * shape.kv_len;
  const GradientMaps maps{tensor_map(t.q, queries, D, kQueries), tensor_map(t.k, keys, D, kKeys),
                          tensor_map(t.v, keys, D, kKeys),
                          tensor_map(g.dout, queries, D, kQueries)};
  const double scale = 1.0 / std::sqrt(static_cast<double>(D));
  const GradientShape sizes{static_cast<int>(shape.q_len), static_cast<int>(shape.heads),
                            static_cast<int>(shape.heads / shape.kv_heads),
                            static_cast<float>(scale), static_cast<float>(scale * M_LOG2E)};
  const dim3 grid(static_cast<unsigned>(shape.kv_len / kKeys),
                  static_cast<unsigned>(shape.batch * shape.heads));
  gradient_kernel<D><<<grid, kThreads, kShared, stream>>>(maps, t, g, sizes);
  LF_LAUNCHED();
  narrow_kernel<D><<<1024, 256, 0, stream>>>(
      g.dq_sum, g.dq, static_cast<std::size_t>(queries) * D / 2, static_cast<float>(scale));
  LF_LAUNCHED();
}

}  // namespace

bool hopper_backward(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
                     gpuStream_t stream) {
  if (!compute_capability_nine()) return false;
  if (shape.head_dim == 128)
    launch<128>(shape, t, g, stream);
  else
    launch<64>(shape, t, g, stream);
  return true;
}

}  // namespace loadfactor::probe

#else

namespace loadfactor::probe {
bool hopper_backward(const AttentionShape&, const PromptTensors&, const GradientTensors&,
                     gpuStream_t) {
  return false;
}
}  // namespace loadfactor::probe

#endif
