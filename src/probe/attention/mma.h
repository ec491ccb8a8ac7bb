// Tiles of 16-bit numbers in shared memory and the tensor instructions that multiply them.
// Only where the compiler has them; elsewhere the probe has no attention of its own.
#pragma once

#include <cstdint>

#include "gpu.h"

#if defined(LF_GPU_CUDA)
#define LF_HAS_MMA 1

namespace loadfactor::probe {

// Rows of `Columns` numbers, 16-byte pieces placed so that eight rows of one column of pieces
// fall in different banks.
template <int Columns>
struct Tile {
  static_assert(Columns % 64 == 0, "a row holds whole groups of eight pieces");
  static constexpr int kPieces = Columns / 8;
  static __device__ __forceinline__ int piece(int row, int chunk) {
    return (row * kPieces + (chunk ^ (row & 7))) * 8;
  }
  static __device__ __forceinline__ int element(int row, int column) {
    return piece(row, column >> 3) + (column & 7);
  }
};

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void copy_async(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared_address(shared)),
               "l"(global));
}
__device__ __forceinline__ void copy_commit() {
  asm volatile("cp.async.commit_group;\n");
}
template <int Pending>
__device__ __forceinline__ void copy_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending));
}

struct Fragment {
  std::uint32_t r[4];
};

__device__ __forceinline__ Fragment load_matrices(const bf16* place) {
  Fragment f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])
               : "r"(shared_address(place)));
  return f;
}
__device__ __forceinline__ Fragment load_matrices_transposed(const bf16* place) {
  Fragment f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])
               : "r"(shared_address(place)));
  return f;
}

// 16 rows from `row`, 16 columns from `column`, as the left operand.
template <int Columns>
__device__ __forceinline__ Fragment left(const bf16* tile, int row, int column, int lane) {
  return load_matrices(tile + Tile<Columns>::piece(row + (lane & 7) + ((lane >> 3) & 1) * 8,
                                                   column / 8 + (lane >> 4)));
}
// The left operand from a tile that holds its transpose: 16 of its columns are the rows.
template <int Columns>
__device__ __forceinline__ Fragment left_transposed(const bf16* tile, int row, int column,
                                                    int lane) {
  return load_matrices_transposed(tile + Tile<Columns>::piece(column + (lane & 7) + (lane >> 4) * 8,
                                                              row / 8 + ((lane >> 3) & 1)));
}
// Two right operands, 8 outputs each, from a tile whose rows are the outputs.
template <int Columns>
__device__ __forceinline__ Fragment right(const bf16* tile, int output, int depth, int lane) {
  return load_matrices(tile + Tile<Columns>::piece(output + (lane & 7) + (lane >> 4) * 8,
                                                   depth / 8 + ((lane >> 3) & 1)));
}
// The same from a tile whose columns are the outputs.
template <int Columns>
__device__ __forceinline__ Fragment right_transposed(const bf16* tile, int depth, int output,
                                                     int lane) {
  return load_matrices_transposed(
      tile +
      Tile<Columns>::piece(depth + (lane & 7) + ((lane >> 3) & 1) * 8, output / 8 + (lane >> 4)));
}

__device__ __forceinline__ void multiply_add(float (&c)[4], const Fragment& a, std::uint32_t b0,
                                             std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ std::uint32_t packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// Over the four lanes that share a row of a product.
__device__ __forceinline__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// Copies `Rows` rows of `Columns` contiguous numbers into a tile, by all threads of the block.
template <int Rows, int Columns>
__device__ __forceinline__ void fetch_tile(bf16* tile, const bf16* global) {
  for (int i = threadIdx.x; i < Rows * Columns / 8; i += blockDim.x) {
    const int row = i / (Columns / 8);
    const int chunk = i % (Columns / 8);
    copy_async(tile + Tile<Columns>::piece(row, chunk), global + row * Columns + chunk * 8);
  }
}

}  // namespace loadfactor::probe
#endif
