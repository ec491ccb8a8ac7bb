// Which layers the virtual stages of a pipeline hold: one rule for memory and for time.
#pragma once

#include <algorithm>

#include "training/job/layout.h"

namespace loadfactor::training {

// Whether a rank holds a stage and the one behind or before it in turn, never both ends: the first
// and the last stage may then be shorter or longer than the others.
inline bool has_free_ends(Schedule schedule) {
  return schedule != Schedule::kZeroBubbleV && schedule != Schedule::kDualPipe;
}

// Chunks that a rank holds of one copy of the model. Chunks that would stand empty are not formed.
inline int chunks_per_rank(const Layout& layout, int layers) {
  if (layout.pp == 1) return 1;
  if (layout.schedule == Schedule::kZeroBubbleV) return 2;
  const bool alternates = layout.schedule == Schedule::kNone ||
                          layout.schedule == Schedule::k1F1B ||
                          layout.schedule == Schedule::kInterleaved;
  if (!alternates) return 1;
  const int vp = std::max(1, layout.vp);
  if (layout.first_layers > 0) return vp;
  const int size = (layers + layout.pp * vp - 1) / (layout.pp * vp);
  return size * vp * layout.pp - layers >= size * vp ? 1 : vp;
}

// Layers of every stage between the first and the last one; 0 where they do not come out equal, or
// where one of them does not divide into the chunks of a rank.
inline int middle_layers(int layers, const Layout& ends) {
  const int vp = std::max(1, ends.vp);
  const int left = layers - ends.first_layers - ends.last_layers;
  const bool legal = ends.pp > 1 && ends.first_layers > 0 && ends.last_layers > 0 &&
                     ends.first_layers % vp == 0 && ends.last_layers % vp == 0;
  if (!legal) return 0;
  if (ends.pp == 2) return left == 0 ? std::max(ends.first_layers, ends.last_layers) : 0;
  const int middle = left / (ends.pp - 2);
  return left > 0 && left % (ends.pp - 2) == 0 && middle % vp == 0 ? middle : 0;
}

// What every other stage holds where one end alone is written; 0: they do not come out equal.
inline int other_layers(int layers, int pp, int one) {
  return pp > 1 && (layers - one) % (pp - 1) == 0 ? (layers - one) / (pp - 1) : 0;
}

// Layers in order over chunks. Where the layout says how many the ends hold, every round over the
// ranks is split alike. Else all chunks have `size` layers, but what is left over stands free
// beside the embedding and the head; too much of it, and it is spread evenly.
struct StageSplit {
  StageSplit(int num_layers, const Layout& layout)
      : layers(num_layers),
        rounds(chunks_per_rank(layout, num_layers)),
        chunks(layout.pp * rounds) {
    if (layout.first_layers > 0 && layout.pp > 1) {
      ranks = layout.pp;
      first = layout.first_layers / rounds;
      size = middle_layers(layers, layout) / rounds;
      return;
    }
    size = (layers + chunks - 1) / chunks;
    const int spare = size * chunks - layers;
    head_room = spare / 2;
    even = chunks > 1 && spare - head_room >= size;
  }

  int begin(int chunk) const {
    if (first > 0) {
      const int rank = chunk % ranks;
      return chunk / ranks * (layers / rounds) + (rank == 0 ? 0 : first + (rank - 1) * size);
    }
    if (even) return static_cast<int>(static_cast<long long>(layers) * chunk / chunks);
    return std::clamp(chunk * size - head_room, 0, layers);
  }
  int end(int chunk) const { return chunk + 1 == chunks ? layers : begin(chunk + 1); }
  int held(int chunk) const { return end(chunk) - begin(chunk); }

  int layers;
  int rounds;  // Chunks on each rank.
  int chunks;
  int ranks = 1;
  int size = 0;   // Layers of a chunk between the ends.
  int first = 0;  // Layers of a chunk of the first rank where the layout gives them; else 0.
  int head_room = 0;
  bool even = false;
};

// Layers of a stage of the pipeline, its chunks taken together. Under DualPipe a rank holds a
// second one beside it, which is not counted here.
inline int stage_layers(const StageSplit& split, const Layout& layout, int rank) {
  if (layout.schedule == Schedule::kZeroBubbleV && layout.pp > 1)
    return split.held(rank) + split.held(split.chunks - 1 - rank);
  int sum = 0;
  for (int chunk = rank; chunk < split.chunks; chunk += layout.pp) sum += split.held(chunk);
  return sum;
}

}  // namespace loadfactor::training
