#include "blas.h"

namespace loadfactor::probe {
namespace {

constexpr std::size_t kWorkspace = 32u << 20;

gpuDataType type_of(Format format) {
  switch (format) {
    case Format::kBf16:
      return gpuRb16;
    case Format::kFp16:
      return gpuR16;
    case Format::kTf32:
      return gpuR32;
    case Format::kFp8:
      return gpuR8;
  }
  return gpuRb16;
}

gpuDataType output_of(Format format) {
  return format == Format::kFp8 ? gpuRb16 : type_of(format);
}

}  // namespace

const char* format_name(Format format) {
  switch (format) {
    case Format::kBf16:
      return "bf16";
    case Format::kFp16:
      return "fp16";
    case Format::kTf32:
      return "tf32";
    case Format::kFp8:
      return "fp8";
  }
  return "bf16";
}

double element_bytes(Format format) {
  if (format == Format::kTf32) return 4;
  return format == Format::kFp8 ? 1 : 2;
}

Blas::Blas() : workspace_(kWorkspace), one_(1) {
  LF_BLAS(gpuBlasCreate(&handle_));
  const float one = 1;
  const Stream stream;
  LF_GPU(gpuMemcpyAsync(one_.data(), &one, sizeof one, gpuMemcpyHostToDevice, stream.get()));
  stream.wait();
}

Blas::~Blas() {
  (void)gpuBlasDestroy(handle_);
}

Product::Product(const Blas& blas, Format format, std::int64_t m, std::int64_t n, std::int64_t k)
    : blas_(blas) {
  const auto compute = format == Format::kTf32 ? gpuBlasComputeTf32 : gpuBlasCompute32;
  LF_BLAS(gpuBlasDescCreate(&desc_, compute, gpuR32));
  const gpuBlasOperation transposed = gpuBlasOpT;
  const gpuBlasOperation plain = gpuBlasOpN;
  LF_BLAS(gpuBlasDescSet(desc_, gpuBlasTransA, &transposed, sizeof transposed));
  LF_BLAS(gpuBlasDescSet(desc_, gpuBlasTransB, &plain, sizeof plain));
  if (format == Format::kFp8) {
    const float* scale = blas.one();
    LF_BLAS(gpuBlasDescSet(desc_, gpuBlasScaleA, &scale, sizeof scale));
    LF_BLAS(gpuBlasDescSet(desc_, gpuBlasScaleB, &scale, sizeof scale));
  }
  const auto rows = static_cast<std::uint64_t>(k);
  LF_BLAS(gpuBlasLayoutCreate(&w_, type_of(format), rows, static_cast<std::uint64_t>(n), k));
  LF_BLAS(gpuBlasLayoutCreate(&x_, type_of(format), rows, static_cast<std::uint64_t>(m), k));
  LF_BLAS(gpuBlasLayoutCreate(&y_, output_of(format), static_cast<std::uint64_t>(n),
                              static_cast<std::uint64_t>(m), n));
  choose();
}

void Product::choose() {
  gpuBlasPreference preference = nullptr;
  LF_BLAS(gpuBlasPreferenceCreate(&preference));
  const std::size_t bytes = blas_.workspace_bytes();
  LF_BLAS(gpuBlasPreferenceSet(preference, gpuBlasWorkspace, &bytes, sizeof bytes));
  int found = 0;
  const auto status =
      gpuBlasHeuristic(blas_.handle(), desc_, w_, x_, y_, y_, preference, 1, &choice_, &found);
  (void)gpuBlasPreferenceDestroy(preference);
  LF_BLAS(status);
  if (found == 0) throw GpuFailure("the matrix library has no algorithm for this shape");
}

Product::~Product() {
  (void)gpuBlasLayoutDestroy(y_);
  (void)gpuBlasLayoutDestroy(x_);
  (void)gpuBlasLayoutDestroy(w_);
  (void)gpuBlasDescDestroy(desc_);
}

void Product::enqueue(const void* x, const void* w, void* y, gpuStream_t stream) const {
  const float alpha = 1;
  const float beta = 0;
  LF_BLAS(gpuBlasMatmul(blas_.handle(), desc_, &alpha, w, w_, x, x_, &beta, y, y_, y, y_,
                        &choice_.algo, blas_.workspace(), blas_.workspace_bytes(), stream));
}

}  // namespace loadfactor::probe
