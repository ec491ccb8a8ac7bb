// Random operands and counts of what was never written, on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu_memory.h"

namespace loadfactor::probe {

// Numbers uniform in ±`range`, the same for the same seed.
void fill_random(float* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s);
void fill_random(bf16* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s);
void fill_random(__half* data, std::size_t count, float range, std::uint64_t seed, gpuStream_t s);
// 8-bit e4m3 codes of uniform sign and mantissa with exponents of numbers in about ±1.
void fill_random_fp8(std::uint8_t* data, std::size_t count, std::uint64_t seed, gpuStream_t s);

// Every byte 0xff: not a number in each format that is used here.
void poison(void* data, std::size_t bytes, gpuStream_t s);
// How many elements are not numbers.
std::size_t count_unwritten(const float* data, std::size_t count, const Stream& stream);
std::size_t count_unwritten(const bf16* data, std::size_t count, const Stream& stream);
std::size_t count_unwritten(const __half* data, std::size_t count, const Stream& stream);

}  // namespace loadfactor::probe
