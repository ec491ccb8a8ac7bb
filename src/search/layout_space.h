// Which layouts are legal for a job, in the order a search visits them.
//
// A slice fixes what its kernels see (tp, cp, ep, etp, micro-batch) and its depth (pp); below it
// stand forms (schedule and chunks), blocks (recomputation, sequence parallelism), and leaves
// (sharding and offload). Every choice of one level is legal with every choice of the levels
// above it that it was made for, so a slice knows how many layouts it holds without visiting them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "catalog/spec/model_spec.h"
#include "loadfactor/scenario.h"
#include "search/stage_ends.h"
#include "training/job/job.h"
#include "training/job/layout.h"

namespace loadfactor::search {

struct Slice {
  int tp = 1;
  int pp = 1;
  int cp = 1;
  int ep = 1;
  int etp = 1;
  int dp = 1;
  std::int64_t micro_batch = 1;
};

struct Form {
  training::Schedule schedule = training::Schedule::kNone;
  int vp = 1;
  Ends ends;
};

struct ShardChoice {
  training::Sharding sharding = training::Sharding::kNone;
  int group = 0;
};

// How far the open dimensions go. The defaults open everything people run.
struct SpaceLimits {
  int most_tp = 16;  // The scale-up domain where that is larger.
  int most_cp = 64;
  int shortest_context = 256;  // Tokens of a sequence per context-parallel rank, at least.
  std::int64_t most_micro_batch = 32;
  int most_chunks = 16;
  bool ends = true;  // Whether stages between the first and the last one may be the longer ones.
  bool offload = true;
};

class LayoutSpace {
 public:
  // `job` has model, chip, stack, sequence, batch and layout.gpus; what `asked` fixes stays.
  LayoutSpace(const training::TrainingJob& job, const config::Layout& asked,
              const SpaceLimits& limits);

  const std::vector<Slice>& slices() const { return slices_; }

  // What stands below a slice.
  std::vector<Form> forms(const Slice& slice) const;
  const std::vector<training::Recompute>& recomputes(const Slice& slice, const Form& form) const;
  std::vector<bool> sequence_parallels(const Slice& slice) const;
  std::vector<ShardChoice> shardings(const Slice& slice) const;
  // Among offloads that agree about parameters, the last leaves the least on the device.
  const std::vector<training::Offload>& offloads(const Slice& slice,
                                                 const training::Recompute& recompute) const;

  // Legal layouts below a slice.
  std::int64_t count(const Slice& slice) const;

  training::Layout base_layout(const Slice& slice) const;
  // A layout with the form in it.
  static void set_form(const Form& form, training::Layout& layout);

 private:
  const catalog::ModelSpec& model() const { return *job_.model; }
  bool has(training::Ability ability) const { return job_.stack->abilities.has(ability); }
  std::vector<int> tensor_degrees() const;
  std::vector<int> context_degrees() const;
  std::vector<std::pair<int, int>> expert_degrees(std::int64_t ranks, int tp) const;
  void add_depths(int tp, int cp);
  void add_slices(Slice slice);
  int spare_slots(int stages) const;
  void add_depth(int pp);
  std::vector<Ends> ends_of(int pp, int vp) const;
  std::vector<training::Recompute> recomputes_of(int chunks) const;
  std::vector<training::Offload> offloads_of(int pp, bool inputs_only) const;

  // What all slices of one depth share.
  struct Depth {
    std::vector<std::vector<training::Recompute>> recomputes;  // Index: chunks per rank.
    std::array<std::vector<training::Offload>, 2> offloads;    // Whole activations, or inputs only.
    std::vector<std::vector<Ends>> ends;                       // Index: chunks per rank.
    std::vector<std::int64_t>
        blocks;  // Recomputations with their offloads; index: chunks per rank.
    std::vector<std::int64_t> resident;  // Those of them that leave the parameters on the device.
  };

  training::TrainingJob job_;
  config::Layout asked_;
  SpaceLimits limits_;
  std::vector<Slice> slices_;
  std::vector<Depth> depths_;  // Index: pp.
};

// The recomputation that a scenario writes: a kind, the modules it names, layers of each stage.
training::Recompute asked_recompute(const config::Layout& asked);

// Whether one data-parallel rank will do: nothing is to be sharded, or what is written leaves one.
bool may_shard_nothing(const config::Layout& asked, int gpus);

// A total order among layouts: the plainer first. Breaks ties, so that answers are stable.
bool is_plainer(const training::Layout& a, const training::Layout& b);

}  // namespace loadfactor::search
