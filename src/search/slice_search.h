// Everything below one slice of the space, with the blocks and pipelines it shares.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
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
  Seconds spared;  // Without a pipeline, what a host that catches up spares a micro-batch at most.
};
LeastWork least_work(const training::StepScene& scene, const training::BlockTime& block);

// Never more than any step with the block and the pipeline of this one: what sharding, offload and
// the optimizer add is left out.
Seconds least_sibling(const training::StepScene& scene, const training::StepTime& step);

// Never more than the step of any layout with this work.
Seconds least_time(const training::StepScene& scene, const LeastWork& work, const Slice& slice);

class SliceSearch {
 public:
  SliceSearch(const SearchScene& scene, const LayoutSpace& space, const SearchOptions& options,
              Workbench& bench);

  // Searches one slice; plans that score above `bound` are of no interest.
  SearchResult run(const Slice& slice, double bound);

 private:
  struct Block {
    training::BlockTime time;
    training::Recompute recompute;
    std::unique_ptr<training::MemoryBlock> memory;
  };
  // A form and a block: what its leaves share.
  struct Group {
    Block* block = nullptr;
    const std::vector<training::Offload>& offloads;
    std::optional<training::PipelineTime> plain;  // Where no parameters are gathered,
    std::optional<Seconds> least;                 // and what its steps take at least.
  };

  // A group under one sharding: what its leaves share beside that.
  struct Shards {
    std::optional<training::PipelineTime> pipeline;
    training::SharingTime sharing;
    std::optional<Seconds> least;  // Where parameters are gathered.
  };

  Block& block_for(const training::Layout& layout);
  const training::BlockKernels& kernels_for(const training::BlockKey& key);
  bool is_hopeless(const Slice& slice, const Block& block);
  void search_form(const Slice& slice, const Form& form);
  void search_group(Group& group);
  void search_leaves(Group& group, Shards& shards, bool offloads_parameters);
  bool is_too_large(Group& group, bool offloads_parameters);
  void note_close(Bytes needed);
  const training::MemoryStages& stages_for(Group& group);
  training::PipelineTime pipeline_for(Group& group);
  // The step of the layout being looked at, judged.
  training::StepTime judge(const training::StepPieces& pieces, const training::MemoryNeed& need);
  bool is_worse(Seconds least) const;

  const SearchScene& scene_;
  const LayoutSpace& space_;
  const SearchOptions& options_;
  Workbench& bench_;
  std::int64_t batch_ = 0;
  double micro_batches_ = 1;
  training::Layout layout_;          // The one being looked at.
  training::MemoryQuestion memory_;  // About it.
  std::vector<ShardChoice> shardings_;
  std::optional<training::StageShapes> shapes_;  // Of the form being looked at.
  // Of the group being looked at, by what is offloaded of the activations.
  std::vector<std::pair<training::Offload, training::MemoryStages>> stages_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<training::BlockKernels> kernels_;
  Leaders leaders_{0};
  SearchResult out_;
};

}  // namespace loadfactor::search
