// Memory and cache: bandwidth by size and pattern, and the time of one dependent load.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "bench.h"
#include "fill.h"
#include "stream_kernels.h"

namespace loadfactor::probe {
namespace {

constexpr double kMega = 1024.0 * 1024.0;

// `sets` buffers of `bytes` each; patterns read from the first two thirds and write to the rest.
class Buffers {
 public:
  Buffers(std::size_t bytes, const Bench& bench)
      : a_(bytes / 16), b_(bytes / 16), c_(bytes / 16), total_(1) {
    auto* stream = bench.stream.get();
    fill_random(reinterpret_cast<float*>(a_.data()), bytes / 4, 1, bench.seed, stream);
    fill_random(reinterpret_cast<float*>(b_.data()), bytes / 4, 1, bench.seed + 1, stream);
    poison(c_.data(), bytes, stream);
    LF_GPU(gpuMemsetAsync(total_.data(), 0, total_.bytes(), stream));
  }
  float4* a() const { return a_.data(); }
  float4* b() const { return b_.data(); }
  float4* c() const { return c_.data(); }
  double* total() const { return total_.data(); }

 private:
  DeviceArray<float4> a_, b_, c_;
  DeviceArray<double> total_;
};

struct Pattern {
  const char* name;
  double passes;  // Bytes moved over the bytes of one buffer.
  void (*run)(const Buffers&, std::size_t at, std::size_t count, const Bench&, gpuStream_t);
};

const Pattern kPatterns[] = {
    {"copy", 2,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       stream_copy(m.c() + at, m.a() + at, n, b.processors, s);
     }},
    {"memcpy", 2,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench&, gpuStream_t s) {
       LF_GPU(gpuMemcpyAsync(m.c() + at, m.a() + at, n * 16, gpuMemcpyDeviceToDevice, s));
     }},
    {"add", 3,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       stream_add(m.c() + at, m.a() + at, m.b() + at, n, b.processors, s);
     }},
    {"read", 1,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       stream_read(m.total(), m.a() + at, n, b.processors, s);
     }},
    {"write", 1,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       stream_write(m.c() + at, 1.0f, n, b.processors, s);
     }},
    {"strided-32-of-128", 0.25,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       strided_read(m.total(), m.a() + at, n, 8, b.processors, s);
     }},
    {"gather-128", 1,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       gathered_read(m.total(), m.a() + at, n, 8, b.processors, s);
     }},
    {"gather-1024", 1,
     [](const Buffers& m, std::size_t at, std::size_t n, const Bench& b, gpuStream_t s) {
       gathered_read(m.total(), m.a() + at, n, 64, b.processors, s);
     }},
};

// The largest difference of sampled elements from what float64 says each pattern leaves behind.
double check_patterns(const Buffers& memory, std::size_t count, const Bench& bench) {
  const Stream& stream = bench.stream;
  std::vector<float4> a(count), b(count), c(count);
  copy_to_host(a.data(), memory.a(), count, stream);
  copy_to_host(b.data(), memory.b(), count, stream);
  const auto error_of = [&](auto expected) {
    copy_to_host(c.data(), memory.c(), count, stream);
    std::vector<double> got, wanted;
    for (std::size_t i = 0; i < count; i += 17) {
      got.push_back(c[i].y);
      wanted.push_back(expected(i));
    }
    return relative_error(got, wanted);
  };
  stream_copy(memory.c(), memory.a(), count, bench.processors, stream.get());
  double worst = error_of([&](std::size_t i) { return double(a[i].y); });
  poison(memory.c(), count * 16, stream.get());
  stream_add(memory.c(), memory.a(), memory.b(), count, bench.processors, stream.get());
  worst = std::max(worst, error_of([&](std::size_t i) { return double(a[i].y) + double(b[i].y); }));
  double sum = 0;
  for (const float4& x : a) sum += double(x.x) + double(x.y) + double(x.z) + double(x.w);
  // A sum of signed numbers cancels; its error is judged against the sum of their sizes.
  double size = 0;
  for (const float4& x : a)
    size += std::fabs(x.x) + std::fabs(x.y) + std::fabs(x.z) + std::fabs(x.w);
  for (const int row : {0, 8, 64}) {
    LF_GPU(gpuMemsetAsync(memory.total(), 0, sizeof(double), stream.get()));
    if (row == 0) stream_read(memory.total(), memory.a(), count, bench.processors, stream.get());
    if (row > 0)
      gathered_read(memory.total(), memory.a(), count, row, bench.processors, stream.get());
    double got = 0;
    copy_to_host(&got, memory.total(), 1, stream);
    worst = std::max(worst, std::fabs(got - sum) / size);
  }
  return worst;
}

void measure_pattern(const Bench& bench, const Buffers& memory, const Pattern& pattern,
                     std::size_t bytes, std::size_t held, double error) {
  const std::size_t count = bytes / 16;
  const bool cached = held == bytes && pattern.passes * double(bytes) < bench.cache_bytes;
  const auto sets = static_cast<int>(std::min<std::size_t>(held / bytes, 256));
  const Summary time = time_in_graph(
      [&](int i, gpuStream_t s) {
        pattern.run(memory, static_cast<std::size_t>(i % sets) * count, count, bench, s);
      },
      sets, bench.plan, bench.stream);
  const double moved = pattern.passes * double(bytes);
  bench.add(cached ? "cache" : "memory", Row()
                                             .text("pattern", pattern.name)
                                             .whole("bytes", std::int64_t(moved))
                                             .timing(time)
                                             .number("gbps", moved / time.median * 1e-9)
                                             .number("error", error)
                                             .whole("sets", sets));
}

// A random cycle through `count` places, one in every 128-byte line.
std::vector<std::uint32_t> chain_of(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = count - 1; i > 0; --i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    std::swap(order[i], order[(seed >> 33) % (i + 1)]);
  }
  const auto start = std::find(order.begin(), order.end(), 0u);
  std::rotate(order.begin(), start, order.end());
  std::vector<std::uint32_t> next(count * 32, 0);
  for (std::size_t i = 0; i < count; ++i) next[order[i] * 32] = order[(i + 1) % count] * 32;
  return next;
}

void measure_latency(const Bench& bench, double bytes) {
  constexpr int kSteps = 4096;
  const auto next = chain_of(static_cast<std::size_t>(bytes / 128), bench.seed);
  DeviceArray<std::uint32_t> chain(next.size());
  DeviceArray<std::uint32_t> end(1);
  LF_GPU(gpuMemcpyAsync(chain.data(), next.data(), chain.bytes(), gpuMemcpyHostToDevice,
                        bench.stream.get()));
  LF_GPU(gpuMemsetAsync(end.data(), 0, end.bytes(), bench.stream.get()));
  follow_chain(chain.data(), kSteps, end.data(), bench.stream.get());
  std::uint32_t got = 0;
  copy_to_host(&got, end.data(), 1, bench.stream);
  std::uint32_t wanted = 0;
  for (int i = 0; i < kSteps; ++i) wanted = next[wanted];
  TimingPlan plan = bench.plan;
  plan.max_launches = 4;
  const Summary time =
      time_in_graph([&](int, gpuStream_t s) { follow_chain(chain.data(), kSteps, end.data(), s); },
                    1, plan, bench.stream);
  bench.add("latency", Row()
                           .whole("bytes", std::int64_t(bytes))
                           .number("seconds", time.median / kSteps)
                           .whole("steps", kSteps)
                           .truth("correct", got == wanted));
}

}  // namespace

void probe_memory(const Bench& bench) {
  const std::size_t held = static_cast<std::size_t>(bench.quick ? 256 * kMega : 2048 * kMega);
  const Buffers memory(held, bench);
  const double error = check_patterns(memory, static_cast<std::size_t>(4 * kMega / 16), bench);
  std::vector<double> sizes{1, 4, 16, 64, 256, 1024, 2048};
  if (bench.quick) sizes = {4, 64, 256};
  for (const double size : sizes) {
    for (const Pattern& pattern : kPatterns)
      measure_pattern(bench, memory, pattern, static_cast<std::size_t>(size * kMega), held, error);
  }
}

void probe_cache(const Bench& bench) {
  std::vector<double> sizes{1, 2, 4, 8, 16, 32};
  if (bench.quick) sizes = {4, 16};
  for (const double size : sizes) {
    const auto bytes = static_cast<std::size_t>(size * kMega);
    const Buffers memory(bytes, bench);
    for (const Pattern& pattern : kPatterns) {
      if (pattern.passes * double(bytes) < bench.cache_bytes)
        measure_pattern(bench, memory, pattern, bytes, bytes, 0);
    }
  }
  for (const double size : {2.0, 16.0, 512.0}) {
    if (!bench.quick || size < 100) measure_latency(bench, size * kMega);
  }
}

}  // namespace loadfactor::probe
