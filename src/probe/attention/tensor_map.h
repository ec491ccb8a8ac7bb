// Tensors as the copy engine of compute capability 9.0 sees them.
#pragma once

#include <cstdint>

#include <cuda.h>

#include "gpu_memory.h"

namespace loadfactor::probe {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// Through the runtime, so that the probe need not link the driver's library.
inline EncodeTiled encode_function() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned kFirstCudaVersion = 12000;
  LF_GPU(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kFirstCudaVersion,
                                          cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) throw GpuFailure("the driver has no tensor maps");
  return reinterpret_cast<EncodeTiled>(function);
}

// Rows of `size` numbers, fetched `box_rows` rows by 64 columns at a time, swizzled.
inline CUtensorMap tensor_map(const bf16* data, std::int64_t rows, int size, int box_rows) {
  CUtensorMap map;
  const cuuint64_t dims[2] = {static_cast<cuuint64_t>(size), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(size) * sizeof(bf16)};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  const CUresult result = encode_function()(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(data), dims, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) throw GpuFailure("the driver refused a tensor map");
  return map;
}

}  // namespace loadfactor::probe
