// The best layouts of a training job on one machine: every legal one is visited, or dismissed
// together with its like by a bound that cannot be wrong.
//
// Deterministic for any number of threads: slices are searched in rounds of fixed size, each
// slice prunes on what the rounds before it found and on its own findings, and ties are broken by
// a total order. [Bounds: see docs/models/search.md]
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "loadfactor/quantity.h"
#include "loadfactor/scenario.h"
#include "search/layout_space.h"
#include "training/step/step_scene.h"

namespace loadfactor {
class Crew;
}

namespace loadfactor::search {

// One machine: an accelerator, a number of them, a precision.
struct SearchScene {
  training::StepScene scene;  // Its job has batch and layout.gpus.
  config::Layout asked;       // What is fixed.
  SpaceLimits limits;
  double weight = 1;     // Score of one second of a step: lower is better.
  Seconds longest;       // A longer step misses the deadline or the budget; 0: none.
  double fullest = 1.0;  // Share of the memory that may be needed.
};

struct FoundPlan {
  double score = 0;
  training::Layout layout;
  Seconds time;  // One step.
  Bytes needed;
  bool tight = false;
};

struct SearchOptions {
  bool prune = true;  // False: every legal layout is evaluated.
  std::size_t keep = 40;
  // Shares of the memory: the best that need no more, share by share, instead of the best of all.
  std::vector<double> shares;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;      // Set from outside: ends with the best so far.
  std::function<void(const FoundPlan&)> visit;  // Every step evaluated; with one thread only.
  std::function<void(double share)> progress;   // Called between rounds.
  Crew* crew = nullptr;  // Processes that search the slices of a round with us.
};

struct SearchResult {
  std::vector<FoundPlan> best;  // Ascending, at most `keep`; of the first share, where any are.
  std::vector<std::vector<FoundPlan>> lean;  // One list per share.
  std::vector<FoundPlan> close;  // Where none fits: the one that lacks the least memory.
  std::int64_t enumerated = 0;   // Legal layouts visited or dismissed in a group.
  std::int64_t evaluated = 0;    // Step computed in full.
  std::int64_t blocks = 0;
  std::int64_t pipelines = 0;
  std::int64_t slices = 0;
  double checksum = 0;  // Sum of all steps evaluated, in seconds.
  bool stopped = false;
};

SearchResult search_layouts(const SearchScene& scene, const SearchOptions& options);

// Legal layouts, one by one; for tests and for drawing at random.
void visit_layouts(const SearchScene& scene,
                   const std::function<void(const training::Layout&)>& visit);

// Total order of plans.
bool is_before(const FoundPlan& a, const FoundPlan& b);

// What a step's time is multiplied by before layouts are compared. One whose memory is tight, or
// that keeps state on the host, must be that much faster to be preferred to one with room and
// without: no prediction tells times apart that are a hair from each other, and an offload is more
// that can go wrong.
double handicap(const training::Layout& layout, bool tight);

}  // namespace loadfactor::search
