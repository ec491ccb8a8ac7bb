// The order in which ranks that hold two stages each run their passes: kZeroBubbleV, kDualPipe.
//
// A rank takes what is ready: a gradient of an input first, then a forward pass, and weight
// gradients only where it would wait. A stage holds no more than the micro-batches that fill the
// rest of the way, about as under 1F1B. [Qi 2024, V; DeepSeek 2024, DualPipe]
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/step/pipeline_order.h"

namespace loadfactor::training {

// One pass of one of the two stages of a rank; stages in `rank * 2 + way` are called places.
struct TwoStagePass {
  std::int32_t turn = 0;  // How often this pass ran at this place before.
  std::int16_t place = 0;
  Pass pass = Pass::kForward;
};

// Where the stages stand and what follows what.
struct TwoStageMap {
  explicit TwoStageMap(const PipelineForm& form);

  int rank(int place) const { return place / 2; }
  int stage(int place) const;
  std::int64_t micro_batch(int place, std::int64_t turn) const {
    return folded ? turn : 2 * turn + place % 2;
  }
  // Micro-batches that a place may hold: half as many again as under 1F1B, while weight gradients
  // wait.
  std::int64_t most(int place) const {
    const int rest = stages - stage(place);
    return rest + rest / 2 + 1;
  }

  bool folded;
  int ranks;
  int stages;
  std::vector<int> next;  // The place of the stage behind, by place; -1: none.
  std::vector<int> before;
};

// A pass with the places where a walk finds what it needs and leaves its end. The first `ranks`
// ends are those of the ranks; where a pass needs or leaves nothing, it names its rank.
struct LinkedPass {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint16_t rank = 0;
  std::uint16_t time = 0;  // Stage · 3 + pass.
};
struct LinkedOrder {
  std::vector<LinkedPass> passes;
  std::size_t ends = 0;
};
LinkedOrder link_two_stages(const PipelineForm& form);

}  // namespace loadfactor::training
