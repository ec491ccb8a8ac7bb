// Which layers the virtual stages of a pipeline hold: one rule for memory and for time.
#pragma once

#include <algorithm>

#include "training/layout.h"

namespace loadfactor::training {

// Layers in order over chunks. All chunks have `size` layers, but what is left over stands free
// beside the embedding and the head; too much of it, and it is spread evenly.
struct StageSplit {
  StageSplit(int num_layers, int num_chunks) : layers(num_layers), chunks(num_chunks) {
    size = (layers + chunks - 1) / chunks;
    const int spare = size * chunks - layers;
    head_room = spare / 2;
    even = chunks > 1 && spare - head_room >= size;
  }

  int begin(int chunk) const {
    if (even) return static_cast<int>(static_cast<long long>(layers) * chunk / chunks);
    return std::clamp(chunk * size - head_room, 0, layers);
  }
  int end(int chunk) const { return chunk + 1 == chunks ? layers : begin(chunk + 1); }

  int layers;
  int chunks;
  int size = 0;
  int head_room = 0;
  bool even = false;
};

// Chunks that a rank holds of one copy of the model. Chunks that would stand empty are not formed.
inline int chunks_per_rank(const Layout& layout, int layers) {
  if (layout.pp == 1) return 1;
  if (layout.schedule == Schedule::kZeroBubbleV) return 2;
  if (layout.schedule == Schedule::kDualPipe) return 1;
  const int vp = std::max(1, layout.vp);
  const int size = (layers + layout.pp * vp - 1) / (layout.pp * vp);
  return size * vp * layout.pp - layers >= size * vp ? 1 : vp;
}

}  // namespace loadfactor::training
