#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "attention_kernels.h"
#include "blas.h"
#include "fill.h"
#include "power.h"
#include "stream_kernels.h"

namespace loadfactor::probe {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Held {
  double power = 0, power_most = 0, sm = 0, memory = 0, temperature = 0;
  int samples = 0;
  unsigned long long limits = 0;

  void take(const BoardReading& reading) {
    power += reading.power_w;
    power_most = std::max(power_most, reading.power_w);
    sm += reading.sm_mhz;
    memory += reading.memory_mhz;
    temperature += reading.temperature_c;
    limits |= reading.limits;
    ++samples;
  }
  double mean(double sum) const { return samples > 0 ? sum / samples : 0; }
};

struct Load {
  std::string name;
  double work = 0;  // Operations or bytes of one call.
  std::string unit;
  Enqueue enqueue;
};

void add_row(const Bench& bench, const Load& load, const Held& held, double rate, double first,
             double seconds) {
  bench.add("power", Row()
                         .text("load", load.name)
                         .number("seconds", seconds)
                         .number("power_w_mean", held.mean(held.power))
                         .number("power_w_max", held.power_most)
                         .number("sm_mhz", held.mean(held.sm))
                         .number("mem_mhz", held.mean(held.memory))
                         .number("temp_c", held.mean(held.temperature))
                         .number("rate", rate)
                         .number("rate_first_second", first)
                         .text("unit", load.unit)
                         .text("held_back_by", limit_words(held.limits))
                         .whole("samples", held.samples));
}

void hold_idle(const Bench& bench, const Telemetry& telemetry, const char* name, double seconds) {
  Held held;
  const auto start = Clock::now();
  while (since(start) < seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (since(start) > 0.5 * seconds) held.take(telemetry.read());
  }
  add_row(bench, {name, 0, "-", {}}, held, 0, 0, seconds);
}

// Replays the load without a gap, one replay queued behind the running one. The first second
// warms up and is reported apart.
void hold(const Bench& bench, const Telemetry& telemetry, const Load& load) {
  load.enqueue(0, bench.stream.get());
  bench.stream.wait();
  const Replay one(load.enqueue, 4, bench.stream);
  (void)one.seconds(bench.stream);
  const double each = one.seconds(bench.stream) / 4;
  const int calls = std::clamp(static_cast<int>(0.05 / each), 4, 400);
  const Replay replay(load.enqueue, calls, bench.stream);
  const Event done[2];
  Held held;
  int replays = 0;
  int warm = 0;
  double warm_seconds = 0;
  const auto start = Clock::now();
  replay.launch(bench.stream);
  LF_GPU(gpuEventRecord(done[0].get(), bench.stream.get()));
  while (since(start) < bench.load_seconds) {
    replay.launch(bench.stream);
    LF_GPU(gpuEventRecord(done[(replays + 1) % 2].get(), bench.stream.get()));
    LF_GPU(gpuEventSynchronize(done[replays % 2].get()));
    ++replays;
    const double now = since(start);
    if (now < std::min(1.0, 0.3 * bench.load_seconds)) {
      warm = replays;
      warm_seconds = now;
    } else {
      held.take(telemetry.read());
    }
  }
  const double seconds = since(start);
  bench.stream.wait();
  const double work = load.work * calls;
  const double rate = work * (replays - warm) / (seconds - warm_seconds);
  add_row(bench, load, held, rate, warm > 0 ? work * warm / warm_seconds : 0, seconds);
}

void hold_stream(const Bench& bench, const Telemetry& telemetry) {
  constexpr std::size_t kCount = std::size_t{1} << 26;  // 1 GiB each.
  DeviceArray<float4> a(kCount), b(kCount), c(kCount);
  fill_random(reinterpret_cast<float*>(a.data()), 4 * kCount, 1, bench.seed, bench.stream.get());
  fill_random(reinterpret_cast<float*>(b.data()), 4 * kCount, 1, bench.seed, bench.stream.get());
  hold(bench, telemetry, {"stream_add", 3 * 16.0 * kCount * 1e-12, "TB", [&](int, gpuStream_t s) {
                            stream_add(c.data(), a.data(), b.data(), kCount, bench.processors, s);
                          }});
}

void hold_product(const Bench& bench, const Telemetry& telemetry, const Blas& blas, Format format) {
  constexpr std::int64_t kSide = 8192;
  const Product product(blas, format, kSide, kSide, kSide);
  const auto count = static_cast<std::size_t>(kSide * kSide);
  DeviceArray<unsigned char> x(count * 2), w(count * 2), y(count * 2);
  auto* stream = bench.stream.get();
  for (const auto* operand : {&x, &w}) {
    if (format == Format::kFp8) fill_random_fp8(operand->data(), count, bench.seed, stream);
    if (format == Format::kBf16)
      fill_random(reinterpret_cast<bf16*>(operand->data()), count, 1, bench.seed, stream);
  }
  hold(bench, telemetry,
       {std::string("gemm_") + format_name(format) + "_8192", 2e-12 * kSide * kSide * kSide,
        "TFLOP", [&](int, gpuStream_t s) { product.enqueue(x.data(), w.data(), y.data(), s); }});
}

void hold_attention(const Bench& bench, const Telemetry& telemetry) {
  const AttentionShape shape{"prefill", 1, 32, 8, 8192, 8192, 128};
  if (!supported(shape)) return;
  const std::size_t queries = 32ull * 8192 * 128;
  DeviceArray<bf16> q(queries), k(queries / 4), v(queries / 4), out(queries);
  DeviceArray<float> log_sum(queries / 128);
  fill_random(q.data(), q.size(), 2, bench.seed, bench.stream.get());
  fill_random(k.data(), k.size(), 2, bench.seed + 1, bench.stream.get());
  fill_random(v.data(), v.size(), 1, bench.seed + 2, bench.stream.get());
  const PromptTensors t{q.data(), k.data(), v.data(), out.data(), log_sum.data()};
  hold(bench, telemetry,
       {"attention_prefill_8k_own", 2e-12 * 8192 * 8192 * 128 * 32, "TFLOP",
        [&](int, gpuStream_t s) { prompt_forward(shape, t, s); }});
}

// Decoding as the memory sees it: every weight of a few layers read once for 16 tokens, and the
// cache of 16 sequences.
void hold_decode(const Bench& bench, const Telemetry& telemetry, const Blas& blas) {
  constexpr std::int64_t kTokens = 16;
  const AttentionShape shape{"decode", kTokens, 32, 8, 1, 1024, 128};
  if (!supported(shape)) return;
  const Product up(blas, Format::kBf16, kTokens, 28672, 4096);
  const Product down(blas, Format::kBf16, kTokens, 4096, 14336);
  constexpr int kLayers = 8;
  const std::size_t weights = 28672ull * 4096 + 4096ull * 14336;
  const std::size_t cache = 16ull * 8 * 1024 * 128;
  DeviceArray<bf16> w(kLayers * weights), x(kTokens * 28672), y(kTokens * 28672);
  DeviceArray<bf16> kv(2 * kLayers * cache), q(kTokens * 32 * 128), out(q.size());
  const int splits = decode_splits(shape, bench.processors);
  const std::size_t rows = static_cast<std::size_t>(splits) * kTokens * 32;
  DeviceArray<float> scratch(rows * 130);
  for (const auto* tensor : {&w, &x, &kv, &q})
    fill_random(tensor->data(), tensor->size(), 0.05f, bench.seed, bench.stream.get());
  hold(bench, telemetry,
       {"decode_layers_b16_ctx1024", 2e-12 * double(weights + 2 * cache), "TB",
        [&](int i, gpuStream_t s) {
          const auto layer = static_cast<std::size_t>(i % kLayers);
          const bf16* mine = w.data() + layer * weights;
          up.enqueue(x.data(), mine, y.data(), s);
          const bf16* k = kv.data() + 2 * layer * cache;
          decode(shape, {q.data(), k, k + cache, out.data(), nullptr},
                 {scratch.data(), scratch.data() + rows * 128}, splits, s);
          down.enqueue(x.data(), mine + 28672ull * 4096, y.data(), s);
        }});
}

}  // namespace

void probe_power(const Bench& bench, const Telemetry& telemetry) {
  const double idle = bench.quick ? 0.6 : 3;
  hold_idle(bench, telemetry, "idle", idle);
  const Blas blas;
  const std::function<void()> loads[] = {
      [&] { hold_stream(bench, telemetry); },
      [&] { hold_product(bench, telemetry, blas, Format::kBf16); },
      [&] { hold_product(bench, telemetry, blas, Format::kFp8); },
      [&] { hold_attention(bench, telemetry); }, [&] { hold_decode(bench, telemetry, blas); }};
  for (const auto& load : loads) {
    try {
      load();
    } catch (const GpuFailure& failure) {
      bench.record.failures.push_back({"power", failure.what()});
    }
  }
  hold_idle(bench, telemetry, "idle_after_load", idle);
}

}  // namespace loadfactor::probe
