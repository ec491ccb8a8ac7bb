// Everything below one slice of the space, with the blocks and pipelines it shares.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "search/layout_search.h"
#include "search/leaders.h"
#include "training/memory/memory_columns.h"
#include "training/memory/memory_plan_pieces.h"
#include "training/step/step_columns.h"
#include "training/step/step_time.h"

namespace loadfactor::search {

// What a thread uses again from slice to slice. Results do not depend on it.
struct Workbench {
  training::PipelineWorkspace pipelines;
  training::StepColumns steps;
  training::MemoryStages stages;
  training::MemoryColumns resident;  // Where no parameters are gathered,
  training::MemoryColumns gathered;  // and where they are.
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

// Offloads that keep the same activations on the device.
inline bool same_activations(const training::Offload& a, const training::Offload& b) {
  return a.activations == b.activations && a.activation_layers == b.activation_layers;
}

class SliceSearch {
 public:
  SliceSearch(const SearchScene& scene, const LayoutSpace& space, const SearchOptions& options,
              const KernelShelf& shelf, Workbench& bench);

  // Searches one slice; plans that these do not admit are of no interest.
  SearchResult run(const Slice& slice, const Leaders& before);

 private:
  // A block under one sharding: what its leaves share, whatever their form.
  struct Candidate {
    ShardChoice choice;
    bool gathers = false;
    training::SharingTime sharing;
    training::LeastTotals totals;
    Seconds work;  // The least work of its steps.
    // Whether it may fit. Index bits: the optimizer (1) and the parameters (2) are offloaded.
    std::array<bool, 4> fits{};
  };
  struct Block {
    training::BlockTime time;
    std::unique_ptr<training::MemoryBlock> memory;
    std::optional<std::vector<Candidate>>
        candidates;                    // Shardings under which it may be among the best.
    bool rules_out_recompute = false;  // No block that recomputes more has a candidate either.
  };
  // A form and a block: what its leaves share.
  struct Group {
    Block* block = nullptr;
    const std::vector<training::Offload>& offloads;
    Seconds work;  // The least work of its steps where no parameters are gathered.
    std::optional<training::PipelineTime> plain;  // Where no parameters are gathered.
  };

  // A group under one sharding.
  struct Shards {
    const Candidate& candidate;
    Seconds work;  // The least work of its steps.
    std::optional<training::PipelineTime> pipeline;
  };

  Block& block_for(const training::Layout& layout);
  const training::BlockKernels& kernels_for(const training::BlockKey& key);
  // What the steps of a group take at least, or nothing where none of them can be among the best.
  std::optional<Seconds> work_if_promising(const Block& block, Seconds even);
  void search_form(const Slice& slice, const Form& form);
  std::int64_t leaves_of(const std::vector<training::Offload>& offloads);
  void search_group(Group& group);
  const std::vector<Candidate>& candidates_for(Block& block,
                                               const std::vector<training::Offload>& offloads);
  Candidate candidate_for(Block& block);
  void set_states();
  void search_leaves(Group& group, Shards& shards, bool offloads_parameters);
  // Every leaf of a group, where none is dismissed.
  void visit_group(Group& group);
  void visit_offloads(Group& group, std::span<const training::Offload> offloads);
  void order_offloads(const std::vector<training::Offload>& offloads);
  void set_moments(Group& group, std::span<const training::Offload> offloads);
  const training::StateColumns& state_for(std::size_t candidate);
  void visit_leaf(Seconds time, Bytes needed, Bytes host);
  bool is_too_large(Group& group, bool offloads_parameters);
  bool has_room(Bytes needed) const;
  bool has_room_for_state() const;
  void set_fits(const Block& block, Candidate& candidate, std::size_t sharding, bool leaves) const;
  bool is_alive(const Candidate& candidate, Seconds work);
  const training::MemoryBlock& memory_for(Block& block);
  void note_close(Bytes needed);
  const training::MemoryStages& stages_for(Group& group);
  const training::PipelineTime& pipeline_for(Group& group, Shards& shards);
  // The step of the layout being looked at, judged.
  training::StepTime judge(const training::StepPieces& pieces, const training::MemoryNeed& need);
  bool is_worse(Seconds least) const;
  bool is_leaf_worse(const Candidate& candidate, Seconds work) const;

  const SearchScene& scene_;
  const LayoutSpace& space_;
  const SearchOptions& options_;
  const KernelShelf& shelf_;
  Workbench& bench_;
  std::int64_t batch_ = 0;
  double micro_batches_ = 1;
  bool is_measured_ = false;         // Whether somebody measured parts of the step.
  training::Layout layout_;          // The one being looked at.
  training::MemoryQuestion memory_;  // The question about layout_.
  std::vector<ShardChoice> shardings_;
  // Bytes that every plan needs, by sharding. Index bits as in Candidate::fits.
  std::vector<std::array<Bytes, 4>> states_;
  std::optional<training::StageShapes> shapes_;  // Stages of the form being looked at.
  // Memory of the group being looked at, one entry for each way to offload activations.
  std::vector<std::pair<training::Offload, training::MemoryStages>> stages_;
  // Offloads of the group being looked at, and the list that they were ordered from.
  std::vector<training::Offload> ordered_;
  const std::vector<training::Offload>* ordered_of_ = nullptr;
  // State under every sharding in the form being looked at.
  std::vector<std::optional<training::StateColumns>> state_columns_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t last_block_ = 0;  // The one that was asked for last.
  const std::vector<training::BlockKernels>* shelved_ = nullptr;  // Shared kernels of this slice.
  std::vector<training::BlockKernels> kernels_;                   // Kernels of its own.
  Leaders leaders_{0};
  SearchResult out_;
};

}  // namespace loadfactor::search
