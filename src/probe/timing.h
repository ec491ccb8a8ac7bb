// Timing of device work: events around replays of a graph, warm, rotated, repeated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu_memory.h"
#include "statistics.h"

namespace loadfactor::probe {

struct TimingPlan {
  int repeats = 9;
  double replay_seconds = 2e-3;  // Work in each timed replay.
  int max_launches = 400;        // Launches in one graph.
  double longest_rest = 10e-3;   // Longest pause before each repeat.
};

// Enqueues call number `i` of the work; `i` picks the set of operands, so that what call i reads
// was not left in the cache by call i − 1.
using Enqueue = std::function<void(int i, gpuStream_t stream)>;

// Seconds of one call. `sets` is how many sets of operands the calls rotate among.
Summary time_in_graph(const Enqueue& enqueue, int sets, const TimingPlan& plan,
                      const Stream& stream);

// The same without a graph: launches as a program makes them.
Summary time_eager(const Enqueue& enqueue, int calls, const TimingPlan& plan, const Stream& stream);

// A captured sequence of calls that can be replayed at will.
class Replay {
 public:
  Replay(const Enqueue& enqueue, int calls, const Stream& stream);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  void launch(const Stream& stream) const { LF_GPU(gpuGraphLaunch(exec_, stream.get())); }
  double seconds(const Stream& stream) const;

 private:
  gpuGraph_t graph_ = nullptr;
  gpuGraphExec_t exec_ = nullptr;
};

// How many sets of `bytes` each are needed so that a full round overflows the cache.
int sets_to_rotate(double bytes, double cache_bytes, double memory_budget);

}  // namespace loadfactor::probe
