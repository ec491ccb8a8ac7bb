// Prompts on compute capability 9.0: one group of warps fetches tiles of keys and values, two
// multiply them in turns, so that the softmax of one hides behind the products of the other.
#include <cmath>

#include "attention_kernels.h"

#if defined(LF_GPU_CUDA)
#include "tensor_map.h"
#include "wgmma.h"

namespace loadfactor::probe {
namespace {

constexpr int kQueries = 128;  // Queries of a block: 64 for each of two groups.
constexpr int kKeys = 128;     // Keys of a step.
constexpr int kThreads = 384;
constexpr int kStages = 2;
constexpr int kBoxBytes = kKeys * 64 * 2;
constexpr int kConsumerWarps = 8;

struct Barriers {
  TileBarrier query;
  TileBarrier key_full[kStages], key_free[kStages];
  TileBarrier value_full[kStages], value_free[kStages];
};

template <int D>
struct Tiles {
  static constexpr int kBoxes = D / 64;
  static constexpr int kBytes = kBoxes * kBoxBytes;
  unsigned char query[kBytes];
  unsigned char key[kStages][kBytes];
  unsigned char value[kStages][kBytes];
  Barriers barriers;
};

struct HopperMaps {
  CUtensorMap q, k, v;
};

struct HopperShape {
  int length;
  int heads;
  int group;
  float scale;  // In units of log2.
};

// What a step of this number finds at its stage's barrier.
struct Turn {
  int stage;
  int parity;
  __device__ explicit Turn(int step) : stage(step % kStages), parity((step / kStages) & 1) {}
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The running softmax of the two rows a thread shares with three others.
struct Rows {
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};
  float shrink[2] = {1, 1};  // Factor on what was summed before the last step.
};

template <int D>
__device__ void fetch(Tiles<D>& tiles, const HopperMaps& maps, int query_row, int key_row,
                      int steps) {
  Barriers& b = tiles.barriers;
  b.query.expect(Tiles<D>::kBytes);
  for (int i = 0; i < Tiles<D>::kBoxes; ++i)
    fetch_box(tiles.query + i * kBoxBytes, maps.q, i * 64, query_row, b.query);
  // The last keys first: only they hide some from some queries.
  for (int step = 0; step < steps; ++step) {
    const Turn turn(step);
    const int row = key_row + (steps - 1 - step) * kKeys;
    b.key_free[turn.stage].wait(turn.parity ^ 1);
    b.key_full[turn.stage].expect(Tiles<D>::kBytes);
    for (int i = 0; i < Tiles<D>::kBoxes; ++i)
      fetch_box(tiles.key[turn.stage] + i * kBoxBytes, maps.k, i * 64, row, b.key_full[turn.stage]);
    b.value_free[turn.stage].wait(turn.parity ^ 1);
    b.value_full[turn.stage].expect(Tiles<D>::kBytes);
    for (int i = 0; i < Tiles<D>::kBoxes; ++i)
      fetch_box(tiles.value[turn.stage] + i * kBoxBytes, maps.v, i * 64, row,
                b.value_full[turn.stage]);
  }
}

template <int D>
__device__ __forceinline__ void start_scores(float (&s)[kKeys / 2], std::uint32_t query,
                                             std::uint32_t key) {
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
    const std::uint32_t at = d / 4 * kBoxBytes + d % 4 * 32;
    group_multiply(s, tile_place(query + at, 16), tile_place(key + at, 16), d > 0);
  }
}

template <int D>
__device__ __forceinline__ void start_values(float (&out)[D / 2],
                                             const Fragment (&weight)[kKeys / 16],
                                             std::uint32_t value) {
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k)
    group_multiply_add(out, weight[k], tile_place(value + k * 16 * 128, kBoxBytes));
}

// Hides keys after the query; row and key are those of the thread's first element.
__device__ __forceinline__ void hide_later(float (&s)[kKeys / 2], int row, int key) {
#pragma unroll
  for (int i = 0; i < kKeys / 2; ++i)
    if (key + i / 4 * 8 + (i & 1) > row + ((i >> 1) & 1) * 8) s[i] = -INFINITY;
}

__device__ __forceinline__ void soften(float (&s)[kKeys / 2], Rows& rows, float scale) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float most = rows.largest[half];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
      most = fmaxf(most, fmaxf(s[4 * n + 2 * half], s[4 * n + 2 * half + 1]));
    most = quad_max(most);
    rows.shrink[half] = exp2f((rows.largest[half] - most) * scale);
    rows.largest[half] = most;
    const float offset = most * scale;
    float sum = 0;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
      for (int e = 4 * n + 2 * half; e < 4 * n + 2 * half + 2; ++e) {
        s[e] = exp2f(fmaf(s[e], scale, -offset));
        sum += s[e];
      }
    }
    rows.sum[half] = rows.sum[half] * rows.shrink[half] + sum;
  }
}

__device__ __forceinline__ void pack(Fragment (&weight)[kKeys / 16], const float (&s)[kKeys / 2]) {
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) {
#pragma unroll
    for (int r = 0; r < 4; ++r) weight[k].r[r] = packed(s[8 * k + 2 * r], s[8 * k + 2 * r + 1]);
  }
}

template <int D>
__device__ __forceinline__ void shrink_output(float (&out)[D / 2], const Rows& rows) {
#pragma unroll
  for (int i = 0; i < D / 2; ++i) out[i] *= rows.shrink[(i >> 1) & 1];
}

// Groups take turns at the tensor cores: barrier 1 + group opens when the other has issued.
__device__ __forceinline__ void await_turn(int group) {
  asm volatile("bar.sync %0, 256;\n" ::"r"(1 + group) : "memory");
}
__device__ __forceinline__ void pass_turn(int group) {
  asm volatile("bar.arrive %0, 256;\n" ::"r"(2 - group) : "memory");
}

__device__ __forceinline__ void release(TileBarrier& barrier) {
  if (threadIdx.x % 32 == 0) barrier.arrive();
}

template <int D>
__device__ __forceinline__ void write_rows(const float (&out)[D / 2], const Rows& rows, bf16* o,
                                           float* log_sum, float scale) {
  const int lane = threadIdx.x % 32;
  const int row = lane >> 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float sum = quad_sum(rows.sum[half]);
    const float inverse = 1.0f / sum;
    bf16* line = o + (row + half * 8) * D + (lane & 3) * 2;
#pragma unroll
    for (int d = 0; d < D / 8; ++d) {
      *reinterpret_cast<std::uint32_t*>(line + d * 8) =
          packed(out[4 * d + 2 * half] * inverse, out[4 * d + 2 * half + 1] * inverse);
    }
    if ((lane & 3) == 0) log_sum[row + half * 8] = rows.largest[half] * scale + log2f(sum);
  }
}

template <int D>
__device__ void consume(Tiles<D>& tiles, const PromptTensors& t, const HopperShape& shape,
                        int block, int steps) {
  Barriers& b = tiles.barriers;
  const int group = threadIdx.x / 128 - 1;
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  const std::uint32_t query = shared_address(tiles.query) + group * 64 * 128;
  float s[kKeys / 2];
  float out[D / 2] = {};
  Fragment weight[kKeys / 16];
  Rows rows;

  if (group == 1) pass_turn(1);
  b.query.wait(0);
  b.key_full[0].wait(0);
  group_begin();
  start_scores<D>(s, query, shared_address(tiles.key[0]));
  group_commit();
  group_wait<0>();
  release(b.key_free[0]);
  hide_later(s, group * 64 + warp * 16 + (lane >> 2), (lane & 3) * 2);
  soften(s, rows, shape.scale);
  pack(weight, s);
  for (int step = 1; step < steps; ++step) {
    const Turn now(step);
    const Turn before(step - 1);
    b.key_full[now.stage].wait(now.parity);
    await_turn(group);
    group_begin();
    start_scores<D>(s, query, shared_address(tiles.key[now.stage]));
    group_commit();
    b.value_full[before.stage].wait(before.parity);
    start_values<D>(out, weight, shared_address(tiles.value[before.stage]));
    group_commit();
    pass_turn(group);
    group_wait<1>();
    release(b.key_free[now.stage]);
    soften(s, rows, shape.scale);
    group_wait<0>();
    release(b.value_free[before.stage]);
    pack(weight, s);
    shrink_output<D>(out, rows);
  }
  if (group == 0) await_turn(0);
  const Turn last(steps - 1);
  b.value_full[last.stage].wait(last.parity);
  group_begin();
  start_values<D>(out, weight, shared_address(tiles.value[last.stage]));
  group_commit();
  group_wait<0>();
  const std::size_t first = static_cast<std::size_t>(blockIdx.y) * shape.length +
                            static_cast<std::size_t>(block) * kQueries + group * 64 + warp * 16;
  write_rows<D>(out, rows, t.out + first * D, t.log_sum + first, shape.scale);
}

#endif

template <int D>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_kernel(const __grid_constant__ HopperMaps maps, PromptTensors t, HopperShape shape) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& tiles = *reinterpret_cast<Tiles<D>*>(shared);
  Barriers& b = tiles.barriers;
  if (threadIdx.x == 0) {
    b.query.start(1);
    for (int i = 0; i < kStages; ++i) {
      b.key_full[i].start(1);
      b.value_full[i].start(1);
      b.key_free[i].start(kConsumerWarps);
      b.value_free[i].start(kConsumerWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
  }
  __syncthreads();
  // Longest rows first, so that the short ones fill the gaps at the end.
  const int block = gridDim.x - 1 - blockIdx.x;
  const int steps = block + 1;
  const int head = blockIdx.y;
  const int cache =
      head / shape.heads * (shape.heads / shape.group) + head % shape.heads / shape.group;
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;\n");
    if (threadIdx.x == 0)
      fetch<D>(tiles, maps, head * shape.length + block * kQueries, cache * shape.length, steps);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;\n");
    consume<D>(tiles, t, shape, block, steps);
  }
#endif
}

template <int D>
void launch(const AttentionShape& shape, const PromptTensors& t, gpuStream_t stream) {
  constexpr int kShared = sizeof(Tiles<D>);
  const void* kernel = reinterpret_cast<const void*>(&hopper_kernel<D>);
  LF_GPU(gpuFuncSetAttribute(kernel, gpuMaxDynamicShared, kShared));
  const std::int64_t queries = shape.batch * shape.heads * shape.q_len;
  const std::int64_t keys = shape.batch * shape.kv_heads * shape.kv_len;
  const HopperMaps maps{tensor_map(t.q, queries, D, kQueries), tensor_map(t.k, keys, D, kKeys),
                        tensor_map(t.v, keys, D, kKeys)};
  const HopperShape sizes{static_cast<int>(shape.q_len), static_cast<int>(shape.heads),
                          static_cast<int>(shape.heads / shape.kv_heads),
                          static_cast<float>(M_LOG2E / std::sqrt(static_cast<double>(D)))};
  const dim3 grid(static_cast<unsigned>(shape.q_len / kQueries),
                  static_cast<unsigned>(shape.batch * shape.heads));
  hopper_kernel<D><<<grid, kThreads, kShared, stream>>>(maps, t, sizes);
  LF_LAUNCHED();
}

}  // namespace

bool compute_capability_nine() {
  int device = 0;
  int major = 0;
  int minor = 0;
  LF_GPU(cudaGetDevice(&device));
  LF_GPU(gpuDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  LF_GPU(gpuDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return major == 9 && minor == 0;
}

bool hopper_forward(const AttentionShape& shape, const PromptTensors& t, gpuStream_t stream) {
  if (!compute_capability_nine()) return false;
  if (shape.head_dim == 128)
    launch<128>(shape, t, stream);
  else
    launch<64>(shape, t, stream);
  return true;
}

}  // namespace loadfactor::probe

#else

namespace loadfactor::probe {
bool compute_capability_nine() {
  return false;
}
bool hopper_forward(const AttentionShape&, const PromptTensors&, gpuStream_t) {
  return false;
}
}  // namespace loadfactor::probe

#endif
