// Copies between host and device, and between devices where there are several.
#include <cstring>
#include <string>
#include <vector>

#include "bench.h"
#include "fill.h"

namespace loadfactor::probe {
namespace {

class PinnedArray {
 public:
  explicit PinnedArray(std::size_t bytes) {
    LF_GPU(gpuHostAlloc(reinterpret_cast<void**>(&data_), bytes, gpuHostAllocDefault));
  }
  ~PinnedArray() { (void)gpuHostFree(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  unsigned char* data() const { return data_; }

 private:
  unsigned char* data_ = nullptr;
};

void add_row(const Bench& bench, const std::string& what, std::size_t bytes, const Summary& time,
             bool correct) {
  bench.add("copy", Row()
                        .text("what", what)
                        .whole("bytes", std::int64_t(bytes))
                        .timing(time)
                        .number("gbps", double(bytes) / time.median * 1e-9)
                        .truth("correct", correct));
}

void measure_host(const Bench& bench, std::size_t bytes, bool pinned) {
  const std::string kind = pinned ? "" : "_pageable";
  std::vector<unsigned char> pageable(pinned ? 0 : bytes);
  const PinnedArray fixed(pinned ? bytes : 1);
  unsigned char* host = pinned ? fixed.data() : pageable.data();
  DeviceArray<unsigned char> device(bytes);
  for (std::size_t i = 0; i < bytes; ++i) host[i] = static_cast<unsigned char>(i * 31 + 7);
  auto* stream = bench.stream.get();
  const Enqueue in = [&](int, gpuStream_t s) {
    LF_GPU(gpuMemcpyAsync(device.data(), host, bytes, gpuMemcpyHostToDevice, s));
  };
  const Enqueue out = [&](int, gpuStream_t s) {
    LF_GPU(gpuMemcpyAsync(host, device.data(), bytes, gpuMemcpyDeviceToHost, s));
  };
  const int calls = bytes > (1u << 24) ? 1 : 8;
  TimingPlan plan = bench.plan;
  plan.repeats = bench.quick ? 3 : 5;
  const Summary there = time_eager(in, calls, plan, bench.stream);
  std::memset(host, 0, bytes);
  out(0, stream);
  bench.stream.wait();
  bool correct = true;
  for (std::size_t i = 0; i < bytes; i += 4093)
    correct = correct && host[i] == static_cast<unsigned char>(i * 31 + 7);
  const Summary back = time_eager(out, calls, plan, bench.stream);
  add_row(bench, "h2d" + kind, bytes, there, correct);
  add_row(bench, "d2h" + kind, bytes, back, correct);
}

void measure_peers(const Bench& bench, int from, int to, std::size_t bytes) {
  int direct = 0;
  LF_GPU(gpuDeviceCanAccessPeer(&direct, from, to));
  LF_GPU(gpuSetDevice(to));
  DeviceArray<unsigned char> target(bytes);
  LF_GPU(gpuSetDevice(from));
  // A second call for one pair is an error of no consequence.
  if (direct != 0) (void)gpuDeviceEnablePeerAccess(to, 0), (void)gpuGetLastError();
  const Stream stream;
  DeviceArray<unsigned char> source(bytes);
  LF_GPU(gpuMemsetAsync(source.data(), 0x5a, bytes, stream.get()));
  const Summary time = time_eager(
      [&](int, gpuStream_t s) {
        LF_GPU(gpuMemcpyPeerAsync(target.data(), to, source.data(), from, bytes, s));
      },
      4, bench.plan, stream);
  unsigned char last = 0;
  LF_GPU(gpuMemcpyAsync(&last, target.data() + bytes - 1, 1, gpuMemcpyDeviceToHost, stream.get()));
  stream.wait();
  const std::string what = "peer_" + std::to_string(from) + "_" + std::to_string(to) +
                           (direct != 0 ? "" : "_through_host");
  add_row(bench, what, bytes, time, last == 0x5a);
}

}  // namespace

void probe_copies(const Bench& bench) {
  for (const std::size_t bytes : {std::size_t{1} << 16, std::size_t{1} << 22, std::size_t{1} << 28})
    measure_host(bench, bench.quick ? std::min(bytes, std::size_t{1} << 26) : bytes, true);
  measure_host(bench, std::size_t{1} << 26, false);
  int devices = 0;
  LF_GPU(gpuGetDeviceCount(&devices));
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from != to) measure_peers(bench, from, to, std::size_t{1} << 28);
    }
  }
  LF_GPU(gpuSetDevice(0));
}

}  // namespace loadfactor::probe
