// Number formats: one table for parsing, printing and sizes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loadfactor::catalog {

enum class Dtype : std::uint8_t {
  kFp64,
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kFp8,
  kMxfp8,
  kInt8,
  kFp6,
  kFp4,
  kMxfp4,
  kNvfp4,
  kInt4,
};

// `bits` counts one element as stored; `scale_bits` the shared scales, per element
// (MXFP4: one 8-bit scale per 32 elements; NVFP4: one 8-bit scale per 16).
struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  double bits;
  double scale_bits;
};

inline constexpr std::array kDtypes{
    DtypeRow{Dtype::kFp64, "fp64", 64, 0},     DtypeRow{Dtype::kFp32, "fp32", 32, 0},
    DtypeRow{Dtype::kTf32, "tf32", 32, 0},     DtypeRow{Dtype::kBf16, "bf16", 16, 0},
    DtypeRow{Dtype::kFp16, "fp16", 16, 0},     DtypeRow{Dtype::kFp8, "fp8", 8, 0},
    DtypeRow{Dtype::kMxfp8, "mxfp8", 8, 0.25}, DtypeRow{Dtype::kInt8, "int8", 8, 0},
    DtypeRow{Dtype::kFp6, "fp6", 6, 0},        DtypeRow{Dtype::kFp4, "fp4", 4, 0},
    DtypeRow{Dtype::kMxfp4, "mxfp4", 4, 0.25}, DtypeRow{Dtype::kNvfp4, "nvfp4", 4, 0.5},
    DtypeRow{Dtype::kInt4, "int4", 4, 0},
};
inline constexpr std::size_t kNumDtypes = kDtypes.size();

constexpr const DtypeRow& row(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}
constexpr std::string_view name(Dtype dtype) {
  return row(dtype).name;
}
// Bytes of one element with its share of the scales.
constexpr double bytes_per_element(Dtype dtype) {
  return (row(dtype).bits + row(dtype).scale_bits) / 8.0;
}
constexpr std::optional<Dtype> find_dtype(std::string_view text) {
  for (const auto& candidate : kDtypes) {
    if (candidate.name == text) return candidate.dtype;
  }
  return std::nullopt;
}

}  // namespace loadfactor::catalog
