// What it costs to start work: kernels one by one, in a graph, a graph itself, and a wait.
#include <chrono>
#include <vector>

#include "bench.h"

namespace loadfactor::probe {
namespace {

// As little as a kernel can do and still be seen to have run.
__global__ void count_kernel(int* counter) {
  *counter += 1;
}

void add_row(const Bench& bench, const char* what, const Summary& time) {
  bench.add("launch", Row().text("what", what).timing(time));
}

Summary wait_time(const Bench& bench, const DeviceArray<int>& counter) {
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    count_kernel<<<1, 1, 0, bench.stream.get()>>>(counter.data());
    bench.stream.wait();
    samples.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return summarise(std::move(samples));
}

Summary graph_start_time(const Bench& bench, const Replay& replay) {
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) {
    bench.stream.wait();
    const auto start = std::chrono::steady_clock::now();
    replay.launch(bench.stream);
    samples.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  bench.stream.wait();
  return summarise(std::move(samples));
}

}  // namespace

void probe_launch(const Bench& bench) {
  DeviceArray<int> counter(1);
  LF_GPU(gpuMemsetAsync(counter.data(), 0, counter.bytes(), bench.stream.get()));
  const Enqueue one = [&](int, gpuStream_t s) {
    count_kernel<<<1, 1, 0, s>>>(counter.data());
    LF_LAUNCHED();
  };
  constexpr int kEager = 2000;
  add_row(bench, "eager_kernel", time_eager(one, kEager, bench.plan, bench.stream));
  int counted = 0;
  copy_to_host(&counted, counter.data(), 1, bench.stream);
  TimingPlan plan = bench.plan;
  plan.max_launches = 1000;
  plan.replay_seconds = 1;  // As many as allowed.
  add_row(bench, "graph_kernel", time_in_graph(one, 1, plan, bench.stream));
  add_row(bench, "kernel_and_wait", wait_time(bench, counter));
  const Replay hundred(one, 100, bench.stream);
  add_row(bench, "graph_of_100_start", graph_start_time(bench, hundred));
  const int expected = kEager * (bench.plan.repeats + 1);
  bench.add("launch", Row().text("what", "check").truth("correct", counted == expected));
}

}  // namespace loadfactor::probe
