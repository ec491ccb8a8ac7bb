// Matrix products by format and shape, each checked at sampled elements against float64 sums.
#include <algorithm>
#include <string>
#include <vector>

#include "bench.h"
#include "blas.h"
#include "fill.h"

namespace loadfactor::probe {
namespace {

constexpr int kSampled = 256;

__device__ double decoded_fp8(std::uint8_t code) {
  const int exponent = (code >> 3) & 15;
  const double mantissa = exponent == 0 ? (code & 7) / 8.0 : 1.0 + (code & 7) / 8.0;
  const double value = ldexp(mantissa, exponent == 0 ? -6 : exponent - 7);
  return (code & 0x80) != 0 ? -value : value;
}

__device__ double element(const void* data, std::size_t i, Format format) {
  switch (format) {
    case Format::kBf16:
      return __bfloat162float(static_cast<const bf16*>(data)[i]);
    case Format::kFp16:
      return __half2float(static_cast<const __half*>(data)[i]);
    case Format::kTf32:
      return static_cast<const float*>(data)[i];
    case Format::kFp8:
      return decoded_fp8(static_cast<const std::uint8_t*>(data)[i]);
  }
  return 0;
}

struct Operands {
  const void* x;
  const void* w;
  const void* y;
  Format format;
  std::int64_t m, n, k;
};

// One block per sampled element: its value as the library wrote it, and its sum in float64.
__global__ void sample_kernel(Operands o, double* value, double* reference) {
  const std::uint64_t total = static_cast<std::uint64_t>(o.m) * o.n;
  const std::uint64_t at = (blockIdx.x * 0x9e3779b97f4a7c15ULL) % total;
  const std::size_t row = at / o.n;
  const std::size_t column = at % o.n;
  __shared__ double parts[256];
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < o.k; i += blockDim.x)
    sum += element(o.x, row * o.k + i, o.format) * element(o.w, column * o.k + i, o.format);
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  reference[blockIdx.x] = parts[0];
  value[blockIdx.x] = element(o.y, at, o.format == Format::kFp8 ? Format::kBf16 : o.format);
}

double sampled_error(const Operands& operands, const Stream& stream) {
  DeviceArray<double> value(kSampled);
  DeviceArray<double> reference(kSampled);
  sample_kernel<<<kSampled, 256, 0, stream.get()>>>(operands, value.data(), reference.data());
  LF_LAUNCHED();
  std::vector<double> got(kSampled);
  std::vector<double> wanted(kSampled);
  copy_to_host(got.data(), value.data(), kSampled, stream);
  copy_to_host(wanted.data(), reference.data(), kSampled, stream);
  return relative_error(got, wanted);
}

// Operand memory, filled once for each format and cut into as many sets as a shape needs.
class OperandPool {
 public:
  OperandPool(std::size_t bytes, Format format, std::uint64_t seed, const Stream& stream)
      : memory_(bytes) {
    auto* data = memory_.data();
    if (format == Format::kFp8) fill_random_fp8(data, bytes, seed, stream.get());
    if (format == Format::kBf16)
      fill_random(reinterpret_cast<bf16*>(data), bytes / 2, 1, seed, stream.get());
    if (format == Format::kFp16)
      fill_random(reinterpret_cast<__half*>(data), bytes / 2, 1, seed, stream.get());
    if (format == Format::kTf32)
      fill_random(reinterpret_cast<float*>(data), bytes / 4, 1, seed, stream.get());
    stream.wait();
  }
  unsigned char* at(std::size_t offset) const { return memory_.data() + offset; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  DeviceArray<unsigned char> memory_;
};

std::size_t aligned(double bytes) {
  return (static_cast<std::size_t>(bytes) + 255) / 256 * 256;
}

struct Sizes {
  std::size_t x, w, y;
  Sizes(Format format, const GemmShape& s)
      : x(aligned(element_bytes(format) * double(s.m) * double(s.k))),
        w(aligned(element_bytes(format) * double(s.n) * double(s.k))),
        y(aligned(std::max(2.0, element_bytes(format)) * double(s.m) * double(s.n))) {}
  std::size_t read() const { return x + w; }
};

std::size_t unwritten(const unsigned char* y, Format format, std::size_t count, const Stream& s) {
  if (format == Format::kTf32) return count_unwritten(reinterpret_cast<const float*>(y), count, s);
  if (format == Format::kFp16) return count_unwritten(reinterpret_cast<const __half*>(y), count, s);
  return count_unwritten(reinterpret_cast<const bf16*>(y), count, s);
}

void measure(const Bench& bench, const Blas& blas, Format format, const GemmShape& shape,
             const OperandPool& in, const OperandPool& out) {
  const Sizes sizes(format, shape);
  // Weights come from memory, as in a model whose layers follow one another; what goes in and out
  // was or will be used by the neighbouring kernels and stays where it is.
  const int sets = sets_to_rotate(double(sizes.w), bench.cache_bytes, bench.memory_budget);
  const auto fit = static_cast<int>(std::min(std::size_t(sets), (in.bytes() - sizes.x) / sizes.w));
  if (fit < 1 || out.bytes() < sizes.y) return;
  const Product product(blas, format, shape.m, shape.n, shape.k);
  const auto x = [&](int) { return in.at(0); };
  const auto w = [&](int i) { return in.at(sizes.x + sizes.w * std::size_t(i % fit)); };
  const auto y = [&](int) { return out.at(0); };
  poison(y(0), sizes.y, bench.stream.get());
  product.enqueue(x(0), w(0), y(0), bench.stream.get());
  const std::size_t missing = unwritten(y(0), format, std::size_t(shape.m * shape.n), bench.stream);
  const double error =
      sampled_error({x(0), w(0), y(0), format, shape.m, shape.n, shape.k}, bench.stream);
  const Summary time =
      time_in_graph([&](int i, gpuStream_t s) { product.enqueue(x(i), w(i), y(i), s); }, fit,
                    bench.plan, bench.stream);
  const double flops = 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
  bench.add("gemm", Row()
                        .text("dtype", format_name(format))
                        .whole("m", shape.m)
                        .whole("n", shape.n)
                        .whole("k", shape.k)
                        .timing(time)
                        .number("tflops", flops / time.median * 1e-12)
                        .number("error", error)
                        .whole("unwritten", std::int64_t(missing))
                        .whole("sets", fit)
                        .text("why", shape.why));
}

// 8-bit products need every side but the tokens in multiples of 16.
bool possible(Format format, const GemmShape& s) {
  return format != Format::kFp8 || (s.n % 16 == 0 && s.k % 16 == 0);
}

// Formats other than bf16 and fp8 determine few parameters of their own.
bool wanted(Format format, const GemmShape& s) {
  if (format == Format::kBf16 || format == Format::kFp8 || s.why == "plan") return true;
  return s.why == "sustained" && s.n * s.k >= (1 << 22);
}

}  // namespace

void probe_gemm(const Bench& bench) {
  const Blas blas;
  for (const Format format : {Format::kBf16, Format::kFp8, Format::kFp16, Format::kTf32}) {
    std::size_t in_bytes = aligned(12.0 * bench.cache_bytes);
    std::size_t out_bytes = aligned(4.0 * bench.cache_bytes);
    for (const GemmShape& shape : bench.shapes.gemm) {
      const Sizes sizes(format, shape);
      if (!wanted(format, shape) || double(sizes.read() + sizes.y) > bench.memory_budget) continue;
      in_bytes = std::max(in_bytes, sizes.x + 3 * sizes.w);
      out_bytes = std::max(out_bytes, sizes.y);
    }
    const OperandPool in(in_bytes, format, bench.seed, bench.stream);
    const OperandPool out(out_bytes, format, bench.seed + 1, bench.stream);
    for (const GemmShape& shape : bench.shapes.gemm) {
      if (!wanted(format, shape) || !possible(format, shape)) continue;
      try {
        measure(bench, blas, format, shape, in, out);
      } catch (const GpuFailure& failure) {
        bench.record.failures.push_back(
            {std::string("gemm ") + format_name(format) + " " + std::to_string(shape.m) + "×" +
                 std::to_string(shape.n) + "×" + std::to_string(shape.k),
             failure.what()});
      }
    }
  }
}

}  // namespace loadfactor::probe
