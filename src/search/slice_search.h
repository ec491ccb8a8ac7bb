// Everything below one slice of the space, with the blocks and pipelines it shares.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "search/layout_search.h"
#include "search/leaders.h"
#include "training/memory/memory_plan_pieces.h"
#include "training/step/step_time.h"

namespace loadfactor::search {

// What a thread uses again from slice to slice. Results do not depend on it.
struct Workbench {
  training::PipelineWorkspace pipelines;
};

// Kernels of blocks, which slices that differ in depth alone share. Filled before it is read.
class KernelShelf {
 public:
  // For everything that changes kernels below a slice.
  const std::vector<training::BlockKernels>& add(const training::StepScene& scene,
                                                 const LayoutSpace& space, const Slice& slice);
  // Null where none was added.
  const std::vector<training::BlockKernels>* find(const Slice& slice) const;

 private:
  using Key = std::tuple<int, int, int, int, std::int64_t>;
  std::map<Key, std::vector<training::BlockKernels>> held_;
};

class SliceSearch {
 public:
  SliceSearch(const SearchScene& scene, const LayoutSpace& space, const SearchOptions& options,
              const KernelShelf& shelf, Workbench& bench);

  // Searches one slice; plans that these do not admit are of no interest.
  SearchResult run(const Slice& slice, const Leaders& before);

 private:
  // A block under one sharding: what its leaves share, whatever their form.
  struct Hope {
    ShardChoice choice;
    bool gathers = false;
    training::SharingTime sharing;
    training::LeastTotals totals;
    Seconds work;                // Of its steps, at least.
    std::array<bool, 4> fits{};  // Perhaps; by whether optimizer (1) and parameters (2) leave.
  };
  struct Block {
    training::BlockTime time;
    std::unique_ptr<training::MemoryBlock> memory;
    std::optional<training::SharingTime> plain;  // Where no parameters are gathered.
    std::optional<std::vector<Hope>> hopes;      // Shardings under which it may be among the best.
    bool barren = false;                         // Nor has any block that recomputes more a hope.
  };
  // A form and a block: what its leaves share.
  struct Group {
    Block* block = nullptr;
    const std::vector<training::Offload>& offloads;
    Seconds work;  // Of its steps, at least; where no parameters are gathered.
    std::optional<training::PipelineTime> plain;  // Likewise.
  };

  // A group under one sharding.
  struct Shards {
    const Hope& hope;
    Seconds work;  // Of its steps, at least.
    std::optional<training::PipelineTime> pipeline;
  };

  Block& block_for(const training::Layout& layout);
  const training::BlockKernels& kernels_for(const training::BlockKey& key);
  // What the steps of a group take at least, or nothing where none of them can be among the best.
  std::optional<Seconds> hopeful_work(const Block& block, Seconds even);
  void search_form(const Slice& slice, const Form& form);
  void search_group(Group& group);
  const std::vector<Hope>& hopes_for(Block& block, const std::vector<training::Offload>& offloads);
  Hope hope_for(Block& block);
  void set_states();
  training::SharingTime sharing_for(Block& block, bool gathers);
  void search_leaves(Group& group, Shards& shards, bool offloads_parameters);
  bool is_too_large(Group& group, bool offloads_parameters);
  bool has_room(Bytes needed) const;
  bool has_room_for_state() const;
  void set_fits(const Block& block, Hope& hope, std::size_t sharding, bool leaves) const;
  bool is_alive(const Hope& hope, Seconds work);
  const training::MemoryBlock& memory_for(Block& block);
  void note_close(Bytes needed);
  const training::MemoryStages& stages_for(Group& group);
  const training::PipelineTime& pipeline_for(Group& group, Shards& shards);
  // The step of the layout being looked at, judged.
  training::StepTime judge(const training::StepPieces& pieces, const training::MemoryNeed& need);
  bool is_worse(Seconds least) const;
  bool is_leaf_worse(const Hope& hope, Seconds work) const;

  const SearchScene& scene_;
  const LayoutSpace& space_;
  const SearchOptions& options_;
  const KernelShelf& shelf_;
  Workbench& bench_;
  std::int64_t batch_ = 0;
  double micro_batches_ = 1;
  bool is_measured_ = false;         // Whether somebody measured parts of the step.
  training::Layout layout_;          // The one being looked at.
  training::MemoryQuestion memory_;  // About it.
  std::vector<ShardChoice> shardings_;
  // By sharding and whether optimizer (1) and parameters (2) leave: bytes that every plan needs.
  std::vector<std::array<Bytes, 4>> states_;
  std::optional<training::StageShapes> shapes_;  // Of the form being looked at.
  // Of the group being looked at, by what is offloaded of the activations.
  std::vector<std::pair<training::Offload, training::MemoryStages>> stages_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t last_block_ = 0;  // The one that was asked for last.
  const std::vector<training::BlockKernels>* shelved_ = nullptr;  // Of this slice.
  std::vector<training::BlockKernels> kernels_;                   // Those that are not.
  Leaders leaders_{0};
  SearchResult out_;
};

}  // namespace loadfactor::search
