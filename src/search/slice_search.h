// Everything below one slice of the space, with the blocks and pipelines it shares.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/layout_search.h"
#include "search/leaders.h"
#include "training/memory_plan_pieces.h"
#include "training/step_time.h"

namespace loadfactor::search {

// What a thread uses again from slice to slice. Results do not depend on it.
struct Workbench {
  training::PipelineWorkspace pipelines;
};

// Seconds of computation of one layer and of the head, forward and backward; never more than any
// block of the slice takes.
struct LeastWork {
  Seconds layer;
  Seconds head;
};
LeastWork least_work(const training::StepScene& scene, const training::BlockTime& block);

// Never more than the step of any layout with this work.
Seconds least_time(const training::StepScene& scene, const LeastWork& work, const Slice& slice);

class SliceSearch {
 public:
  SliceSearch(const SearchScene& scene, const LayoutSpace& space, Workbench& bench);

  // Searches one slice; plans that score above `bound` are of no interest.
  SearchResult run(const Slice& slice, const SearchOptions& options, double bound);

 private:
  struct Block {
    training::BlockTime time;
    training::Recompute recompute;
    std::unique_ptr<training::MemoryBlock> memory;
  };
  struct Group {  // A form and a block: what its leaves share.
    const Slice* slice = nullptr;
    Block* block = nullptr;
    std::vector<training::Offload> offloads;
  };

  Block& block_for(const training::Layout& layout);
  training::MemoryBlock& memory_of(Block& block);
  bool is_hopeless(const Slice& slice, const Block& block);
  void search_group(Group& group);
  void search_leaf(Group& group, const training::PipelineTime& pipeline,
                   const training::MemoryStages& stages);
  const training::MemoryStages& stages_for(Group& group, const training::Offload& offload);

  const SearchScene& scene_;
  const LayoutSpace& space_;
  Workbench& bench_;
  bool prune_ = true;
  std::int64_t batch_ = 0;
  double micro_batches_ = 1;
  training::Layout layout_;          // The one being looked at.
  training::MemoryQuestion memory_;  // About it.
  std::vector<ShardChoice> shardings_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::pair<training::Offload, training::MemoryStages>> stages_;
  Leaders leaders_{0};
  SearchResult out_;
};

}  // namespace loadfactor::search
