// How long a layer takes whose host waits for counts of its experts: the longer of host and device,
// or both, one after the other?
//
//     nvcc -O3 -o /tmp/expert_sync tools/gpu/expert_sync.cu && /tmp/expert_sync > expert_sync.csv
//
// A layer is a fifth of its kernels, a copy of 1 KB to the host that the host waits for (or not),
// and the other kernels. Every kernel runs for a set time, every launch takes the host a set time
// at least. Rows: launches of a layer, host time, device time and measured time of a layer in us.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

namespace {

using Clock = std::chrono::steady_clock;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

__global__ void run_for(long long nanoseconds) {
  long long start = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

// One launch, which takes the host as long as an eager framework takes for it.
void launch(cudaStream_t stream, long long nanoseconds, double host) {
  const auto start = Clock::now();
  run_for<<<1, 32, 0, stream>>>(nanoseconds);
  while (seconds_since(start) < host) {
  }
}

struct Case {
  int launches = 0;
  double host = 0;    // Seconds of a launch.
  double device = 0;  // Seconds of a kernel.
  bool waits = false;
};

double layer_seconds(const Case& c, cudaStream_t stream, char* there, char* here) {
  constexpr int kWarm = 8, kLayers = 64;
  constexpr std::size_t kCounts = 1024;
  const auto nanoseconds = static_cast<long long>(c.device * 1e9);
  Clock::time_point start;
  for (int layer = -kWarm; layer < kLayers; ++layer) {
    if (layer == 0) {
      check(cudaStreamSynchronize(stream));
      start = Clock::now();
    }
    for (int i = 0; i < c.launches; ++i) {
      if (c.waits && i == c.launches / 5) {
        check(cudaMemcpyAsync(here, there, kCounts, cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
      }
      launch(stream, nanoseconds, c.host);
    }
  }
  check(cudaStreamSynchronize(stream));
  return seconds_since(start) / kLayers;
}

}  // namespace

int main() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  char* there = nullptr;
  char* here = nullptr;
  check(cudaMalloc(&there, 4096));
  check(cudaMallocHost(&here, 4096));
  std::printf("launches,waits,host_us,device_us,layer_us,longer_us,sum_us\n");
  for (const int launches : {20, 60, 200}) {
    for (const double host : {4e-6, 8.4e-6}) {
      for (const double ratio : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        for (const bool waits : {false, true}) {
          const Case c{launches, host, host * ratio, waits};
          const double measured = layer_seconds(c, stream, there, here);
          const double all_host = 1e6 * host * launches, all_device = all_host * ratio;
          std::printf("%d,%d,%.1f,%.1f,%.1f,%.1f,%.1f\n", launches, waits ? 1 : 0, all_host,
                      all_device, 1e6 * measured, all_host > all_device ? all_host : all_device,
                      all_host + all_device);
        }
      }
    }
  }
  return 0;
}
