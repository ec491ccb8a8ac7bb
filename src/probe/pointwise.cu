// Norms, activations and softmax over rows of a hidden state, and the Adam step, in bf16 with
// float32 arithmetic; one block per row, the row held in registers.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench.h"
#include "fill.h"

namespace loadfactor::probe {
namespace {

constexpr int kWidth = 4096;
constexpr int kThreads = 512;
constexpr int kHeld = kWidth / kThreads;  // 8: one 16-byte load.

enum class Op { kRmsNorm, kLayerNorm, kGelu, kSiluMul, kSoftmax };

struct PointwiseCase {
  const char* name;
  Op op;
  double tensors;  // Read and written, of the size of the output.
};
constexpr PointwiseCase kCases[] = {{"rms_norm", Op::kRmsNorm, 2},
                                    {"layer_norm", Op::kLayerNorm, 2},
                                    {"gelu", Op::kGelu, 2},
                                    {"silu_mul", Op::kSiluMul, 3},
                                    {"softmax", Op::kSoftmax, 2}};

__device__ __forceinline__ float over_block(float x, bool largest) {
  __shared__ float parts[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, x, step);
    x = largest ? fmaxf(x, other) : x + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  float all = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) all = largest ? fmaxf(all, parts[i]) : all + parts[i];
  return all;
}

__device__ __forceinline__ void load_row(float (&x)[kHeld], const bf16* from) {
  const uint4 raw = *reinterpret_cast<const uint4*>(from + threadIdx.x * kHeld);
  const auto* numbers = reinterpret_cast<const bf16*>(&raw);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) x[i] = __bfloat162float(numbers[i]);
}

__device__ __forceinline__ void store_row(bf16* to, const float (&x)[kHeld]) {
  uint4 raw;
  auto* numbers = reinterpret_cast<bf16*>(&raw);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) numbers[i] = __float2bfloat16(x[i]);
  *reinterpret_cast<uint4*>(to + threadIdx.x * kHeld) = raw;
}

__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1 + erff(x * 0.70710678f));
}

__device__ __forceinline__ void normalise(float (&x)[kHeld], bool centred) {
  float sum = 0;
  for (const float value : x) sum += value;
  const float mean = centred ? over_block(sum, false) / kWidth : 0.0f;
  float squares = 0;
  for (const float value : x) squares += (value - mean) * (value - mean);
  const float factor = rsqrtf(over_block(squares, false) / kWidth + 1e-5f);
  for (float& value : x) value = (value - mean) * factor;
}

__device__ __forceinline__ void soften(float (&x)[kHeld]) {
  float most = x[0];
  for (const float value : x) most = fmaxf(most, value);
  most = over_block(most, true);
  float sum = 0;
  for (float& value : x) sum += value = expf(value - most);
  sum = over_block(sum, false);
  for (float& value : x) value /= sum;
}

template <Op kOp>
__global__ void __launch_bounds__(kThreads) row_kernel(bf16* to, const bf16* a, const bf16* b) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kWidth;
  float x[kHeld];
  load_row(x, a + row);
  if constexpr (kOp == Op::kRmsNorm || kOp == Op::kLayerNorm) normalise(x, kOp == Op::kLayerNorm);
  if constexpr (kOp == Op::kGelu) {
    for (float& value : x) value = gelu(value);
  }
  if constexpr (kOp == Op::kSiluMul) {
    float y[kHeld];
    load_row(y, b + row);
    for (int i = 0; i < kHeld; ++i) x[i] = x[i] / (1 + __expf(-x[i])) * y[i];
  }
  if constexpr (kOp == Op::kSoftmax) soften(x);
  store_row(to + row, x);
}

void run(Op op, bf16* to, const bf16* a, const bf16* b, std::size_t rows, gpuStream_t s) {
  const auto grid = static_cast<unsigned>(rows);
  switch (op) {
    case Op::kRmsNorm:
      row_kernel<Op::kRmsNorm><<<grid, kThreads, 0, s>>>(to, a, b);
      break;
    case Op::kLayerNorm:
      row_kernel<Op::kLayerNorm><<<grid, kThreads, 0, s>>>(to, a, b);
      break;
    case Op::kGelu:
      row_kernel<Op::kGelu><<<grid, kThreads, 0, s>>>(to, a, b);
      break;
    case Op::kSiluMul:
      row_kernel<Op::kSiluMul><<<grid, kThreads, 0, s>>>(to, a, b);
      break;
    case Op::kSoftmax:
      row_kernel<Op::kSoftmax><<<grid, kThreads, 0, s>>>(to, a, b);
      break;
  }
  LF_LAUNCHED();
}

std::vector<double> wide_row(const bf16* from, const Stream& stream) {
  std::vector<bf16> raw(kWidth);
  copy_to_host(raw.data(), from, kWidth, stream);
  std::vector<double> row(kWidth);
  std::transform(raw.begin(), raw.end(), row.begin(),
                 [](bf16 x) { return static_cast<double>(__bfloat162float(x)); });
  return row;
}

std::vector<double> expected_row(Op op, std::vector<double> x, const std::vector<double>& y) {
  double sum = 0;
  double most = x[0];
  for (const double value : x) sum += value, most = std::max(most, value);
  const double mean = op == Op::kLayerNorm ? sum / kWidth : 0;
  double squares = 0;
  double weights = 0;
  for (const double value : x) {
    squares += (value - mean) * (value - mean);
    weights += std::exp(value - most);
  }
  const double factor = 1 / std::sqrt(squares / kWidth + 1e-5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (op == Op::kRmsNorm || op == Op::kLayerNorm) x[i] = (x[i] - mean) * factor;
    if (op == Op::kGelu) x[i] = 0.5 * x[i] * (1 + std::erf(x[i] / std::sqrt(2.0)));
    if (op == Op::kSiluMul) x[i] = x[i] / (1 + std::exp(-x[i])) * y[i];
    if (op == Op::kSoftmax) x[i] = std::exp(x[i] - most) / weights;
  }
  return x;
}

void measure_rows(const Bench& bench, const PointwiseCase& c, std::size_t elements) {
  const std::size_t rows = elements / kWidth;
  const int sets =
      sets_to_rotate(2 * c.tensors * double(elements), bench.cache_bytes, bench.memory_budget);
  const std::size_t held = elements * static_cast<std::size_t>(sets);
  DeviceArray<bf16> a(held), b(held), out(held);
  fill_random(a.data(), held, 3, bench.seed, bench.stream.get());
  fill_random(b.data(), held, 3, bench.seed + 1, bench.stream.get());
  poison(out.data(), out.bytes(), bench.stream.get());
  run(c.op, out.data(), a.data(), b.data(), rows, bench.stream.get());
  const std::size_t missing = count_unwritten(out.data(), elements, bench.stream);
  const std::size_t last = (rows - 1) * kWidth;
  const double error = relative_error(wide_row(out.data() + last, bench.stream),
                                      expected_row(c.op, wide_row(a.data() + last, bench.stream),
                                                   wide_row(b.data() + last, bench.stream)));
  const Summary time = time_in_graph(
      [&](int i, gpuStream_t s) {
        const std::size_t at = elements * static_cast<std::size_t>(i % sets);
        run(c.op, out.data() + at, a.data() + at, b.data() + at, rows, s);
      },
      sets, bench.plan, bench.stream);
  const double moved = 2 * c.tensors * double(elements);
  bench.add("pointwise", Row()
                             .text("op", c.name)
                             .whole("elements", std::int64_t(elements))
                             .whole("width", kWidth)
                             .timing(time)
                             .number("gbps", moved / time.median * 1e-9)
                             .number("error", error)
                             .whole("unwritten", std::int64_t(missing))
                             .whole("sets", sets));
}

struct AdamState {
  float* master;
  float* first;
  float* second;
  bf16* weight;
  const bf16* gradient;
};

struct AdamRates {
  float rate = 1e-3f, beta1 = 0.9f, beta2 = 0.95f, small = 1e-8f, decay = 0.1f;
  float fix1 = 0.1f, fix2 = 0.05f;  // 1 − β of the first step.
};

__device__ __forceinline__ void adam_one(float& p, float& m, float& v, float g,
                                         const AdamRates& r) {
  m = r.beta1 * m + (1 - r.beta1) * g;
  v = r.beta2 * v + (1 - r.beta2) * g * g;
  const float step = (m / r.fix1) / (sqrtf(v / r.fix2) + r.small);
  p -= r.rate * (step + r.decay * p);
}

__global__ void adam_kernel(AdamState s, AdamRates r, std::size_t fours) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < fours;
       i += step) {
    float4 p = reinterpret_cast<float4*>(s.master)[i];
    float4 m = reinterpret_cast<float4*>(s.first)[i];
    float4 v = reinterpret_cast<float4*>(s.second)[i];
    const uint2 raw = reinterpret_cast<const uint2*>(s.gradient)[i];
    const auto* g = reinterpret_cast<const bf16*>(&raw);
    adam_one(p.x, m.x, v.x, __bfloat162float(g[0]), r);
    adam_one(p.y, m.y, v.y, __bfloat162float(g[1]), r);
    adam_one(p.z, m.z, v.z, __bfloat162float(g[2]), r);
    adam_one(p.w, m.w, v.w, __bfloat162float(g[3]), r);
    reinterpret_cast<float4*>(s.master)[i] = p;
    reinterpret_cast<float4*>(s.first)[i] = m;
    reinterpret_cast<float4*>(s.second)[i] = v;
    uint2 narrow;
    auto* w = reinterpret_cast<bf16*>(&narrow);
    w[0] = __float2bfloat16(p.x), w[1] = __float2bfloat16(p.y);
    w[2] = __float2bfloat16(p.z), w[3] = __float2bfloat16(p.w);
    reinterpret_cast<uint2*>(s.weight)[i] = narrow;
  }
}

// One step from the known start, against the same step in float64 at sampled places.
double adam_error(const AdamState& s, std::size_t count, const AdamRates& r, const Stream& stream) {
  constexpr std::size_t kChecked = 4096;
  const std::size_t at = count - kChecked;
  std::vector<float> p(kChecked), m(kChecked), v(kChecked), after(kChecked);
  std::vector<bf16> g(kChecked);
  copy_to_host(p.data(), s.master + at, kChecked, stream);
  copy_to_host(m.data(), s.first + at, kChecked, stream);
  copy_to_host(v.data(), s.second + at, kChecked, stream);
  copy_to_host(g.data(), s.gradient + at, kChecked, stream);
  adam_kernel<<<2048, 256, 0, stream.get()>>>(s, r, count / 4);
  LF_LAUNCHED();
  copy_to_host(after.data(), s.master + at, kChecked, stream);
  std::vector<double> got, wanted;
  for (std::size_t i = 0; i < kChecked; ++i) {
    const double grad = __bfloat162float(g[i]);
    const double m1 = double(r.beta1) * m[i] + (1 - double(r.beta1)) * grad;
    const double v1 = double(r.beta2) * v[i] + (1 - double(r.beta2)) * grad * grad;
    const double step = m1 / double(r.fix1) / (std::sqrt(v1 / double(r.fix2)) + double(r.small));
    // The change is compared, not the value, which the change hardly moves.
    got.push_back(double(after[i]) - double(p[i]));
    wanted.push_back(-double(r.rate) * (step + double(r.decay) * double(p[i])));
  }
  return relative_error(got, wanted);
}

}  // namespace

void probe_pointwise(const Bench& bench) {
  std::vector<std::size_t> sizes{1u << 18, 1u << 23, 1u << 25, 1u << 27};
  if (bench.quick) sizes = {1u << 23};
  for (const std::size_t elements : sizes) {
    for (const PointwiseCase& c : kCases) measure_rows(bench, c, elements);
  }
}

void probe_optimizer(const Bench& bench) {
  const std::size_t count = bench.quick ? 1u << 25 : 1u << 28;
  DeviceArray<float> floats(3 * count);
  DeviceArray<bf16> halves(2 * count);
  const AdamState s{floats.data(), floats.data() + count, floats.data() + 2 * count, halves.data(),
                    halves.data() + count};
  fill_random(floats.data(), count, 1, bench.seed, bench.stream.get());
  LF_GPU(gpuMemsetAsync(s.first, 0, 2 * count * sizeof(float), bench.stream.get()));
  fill_random(halves.data(), 2 * count, 1, bench.seed + 1, bench.stream.get());
  const AdamRates rates;
  const double error = adam_error(s, count, rates, bench.stream);
  TimingPlan plan = bench.plan;
  plan.max_launches = 4;
  const Summary time = time_in_graph(
      [&](int, gpuStream_t stream) {
        adam_kernel<<<bench.processors * 32, 256, 0, stream>>>(s, rates, count / 4);
        LF_LAUNCHED();
      },
      1, plan, bench.stream);
  constexpr double kBytes = 28;  // Master and two moments read and written, gradient, weight.
  bench.add("optimizer", Row()
                             .text("op", "adam")
                             .text("layout", "float32 master and moments, bf16 gradient and weight")
                             .whole("parameters", std::int64_t(count))
                             .number("bytes_per_parameter", kBytes)
                             .timing(time)
                             .number("gbps", kBytes * double(count) / time.median * 1e-9)
                             .number("error", error));
}

}  // namespace loadfactor::probe
