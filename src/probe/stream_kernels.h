// Kernels bound by memory traffic, 16 bytes a thread, several loads in flight.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu_memory.h"

namespace loadfactor::probe {

// Counts are of float4. Source and target may not overlap.
void stream_copy(float4* to, const float4* from, std::size_t count, int processors, gpuStream_t s);
void stream_add(float4* to, const float4* a, const float4* b, std::size_t count, int processors,
                gpuStream_t s);
void stream_write(float4* to, float value, std::size_t count, int processors, gpuStream_t s);
// Adds the sum of all elements to *total.
void stream_read(double* total, const float4* from, std::size_t count, int processors,
                 gpuStream_t s);
// Adds to *total the sum of one float4 in every `stride`, or, of rows of `row` float4 in an order
// that jumps about, all of them.
void strided_read(double* total, const float4* from, std::size_t count, int stride, int processors,
                  gpuStream_t s);
void gathered_read(double* total, const float4* from, std::size_t count, int row, int processors,
                   gpuStream_t s);
// Follows `steps` links of a chain from *end, where the last place is left: the next call goes on
// from there, so that no call finds what the one before it read.
void follow_chain(const std::uint32_t* next, int steps, std::uint32_t* end, gpuStream_t s);

}  // namespace loadfactor::probe
