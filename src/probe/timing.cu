#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "timing.h"

namespace loadfactor::probe {

Replay::Replay(const Enqueue& enqueue, int calls, const Stream& stream) {
  LF_GPU(gpuStreamBeginCapture(stream.get(), gpuStreamCaptureModeThreadLocal));
  try {
    for (int i = 0; i < calls; ++i) enqueue(i, stream.get());
  } catch (...) {
    (void)gpuStreamEndCapture(stream.get(), &graph_);
    if (graph_ != nullptr) (void)gpuGraphDestroy(graph_);
    throw;
  }
  LF_GPU(gpuStreamEndCapture(stream.get(), &graph_));
  const gpuError_t status = gpuGraphInstantiate(&exec_, graph_);
  if (status != gpuSuccess) {
    (void)gpuGraphDestroy(graph_);
    check(status, "graph instantiation");
  }
}

Replay::~Replay() {
  (void)gpuGraphExecDestroy(exec_);
  (void)gpuGraphDestroy(graph_);
}

double Replay::seconds(const Stream& stream) const {
  const Event start;
  const Event stop;
  LF_GPU(gpuEventRecord(start.get(), stream.get()));
  launch(stream);
  LF_GPU(gpuEventRecord(stop.get(), stream.get()));
  LF_GPU(gpuEventSynchronize(stop.get()));
  float milliseconds = 0;
  LF_GPU(gpuEventElapsedTime(&milliseconds, start.get(), stop.get()));
  return 1e-3 * static_cast<double>(milliseconds);
}

Summary time_in_graph(const Enqueue& enqueue, int sets, const TimingPlan& plan,
                      const Stream& stream) {
  // A first call outside any graph loads modules and picks algorithms.
  enqueue(0, stream.get());
  stream.wait();
  const int round = std::clamp(sets, 4, plan.max_launches);
  const Replay trial(enqueue, round, stream);
  (void)trial.seconds(stream);
  const double one = trial.seconds(stream) / round;
  const int wanted = static_cast<int>(std::ceil(plan.replay_seconds / std::max(one, 1e-7)));
  const int rounds = std::clamp(wanted / round, 1, std::max(1, plan.max_launches / round));
  const int calls = rounds * round;
  const Replay replay(enqueue, calls, stream);
  (void)replay.seconds(stream);
  // Rests between repeats, so that a load that would be slowed by the power limit is met at the
  // clock of a burst; what it settles at is another section's figure.
  std::vector<double> samples;
  for (int i = 0; i < plan.repeats; ++i) {
    const double rest = std::min(plan.longest_rest, 3 * one * calls);
    std::this_thread::sleep_for(std::chrono::duration<double>(rest));
    samples.push_back(replay.seconds(stream) / calls);
  }
  return summarise(std::move(samples));
}

Summary time_eager(const Enqueue& enqueue, int calls, const TimingPlan& plan,
                   const Stream& stream) {
  std::vector<double> samples;
  for (int repeat = -1; repeat < plan.repeats; ++repeat) {
    stream.wait();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) enqueue(i, stream.get());
    stream.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (repeat >= 0) samples.push_back(took.count() / calls);
  }
  return summarise(std::move(samples));
}

int sets_to_rotate(double bytes, double cache_bytes, double memory_budget) {
  // Caches keep some of what streams past them: several times their size, and three sets at least.
  const double overflow = std::max(3.0, std::ceil(8.0 * cache_bytes / std::max(bytes, 1.0)));
  const double affordable = std::max(1.0, std::floor(memory_budget / std::max(bytes, 1.0)));
  return static_cast<int>(std::clamp(std::min(overflow, affordable), 1.0, 256.0));
}

}  // namespace loadfactor::probe
