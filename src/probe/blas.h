// One matrix product of the vendor's library, chosen as a framework chooses it: its first
// suggestion, with a workspace of 32 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu_memory.h"

namespace loadfactor::probe {

enum class Format : std::uint8_t { kBf16, kFp16, kTf32, kFp8 };
const char* format_name(Format format);
double element_bytes(Format format);

inline void check_blas(gpuBlasStatus status, const char* what) {
  if (status == gpuBlasSuccess) return;
  throw GpuFailure(std::string(what) + ": status " + std::to_string(static_cast<int>(status)));
}
#define LF_BLAS(call) ::loadfactor::probe::check_blas((call), #call)

class Blas {
 public:
  Blas();
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  gpuBlasHandle handle() const { return handle_; }
  void* workspace() const { return workspace_.data(); }
  std::size_t workspace_bytes() const { return workspace_.bytes(); }
  const float* one() const { return one_.data(); }

 private:
  gpuBlasHandle handle_ = nullptr;
  DeviceArray<unsigned char> workspace_;
  DeviceArray<float> one_;
};

// y (m × n) = x (m × k) · wᵀ (w: n × k), all row-major: a linear layer. Outputs are bf16 for bf16
// and fp8 operands, of the operands' own format otherwise.
class Product {
 public:
  Product(const Blas& blas, Format format, std::int64_t m, std::int64_t n, std::int64_t k);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  void enqueue(const void* x, const void* w, void* y, gpuStream_t stream) const;

 private:
  void choose();
  const Blas& blas_;
  gpuBlasDesc desc_ = nullptr;
  gpuBlasLayout w_ = nullptr;
  gpuBlasLayout x_ = nullptr;
  gpuBlasLayout y_ = nullptr;
  gpuBlasChoice choice_{};
};

}  // namespace loadfactor::probe
