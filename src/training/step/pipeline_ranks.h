// Who decides what a rank of a pipeline runs next, and the slots of time it decides in.
//
// A planner gives every rank in turn the chance to start a pass. A rank of kInterleaved knows how
// far it has come, so that a planner can see when the whole pipeline does again what it did
// before, some micro-batches further on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/step/pipeline_order.h"

namespace loadfactor::training {

struct PipelineTask {
  Pass pass = Pass::kForward;
  int stage = 0;
  std::int64_t micro_batch = 0;
};

// The slots at which forward and backward of every (stage, micro-batch) are over.
class PipelineSlots {
 public:
  explicit PipelineSlots(const PipelineForm& form) : stages_(form.stages()) {}

  bool over(Pass pass, int stage, std::int64_t micro_batch, std::int64_t now) const {
    const std::size_t at = index(pass, stage, micro_batch);
    return at < over_.size() && over_[at] <= now;
  }
  void set(const PipelineTask& task, std::int64_t slot);
  bool ready(const PipelineTask& task, std::int64_t now) const;

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  std::size_t index(Pass pass, int stage, std::int64_t micro_batch) const {
    const std::int64_t half = pass == Pass::kForward ? 0 : 1;
    return static_cast<std::size_t>((micro_batch * stages_ + stage) * 2 + half);
  }

  int stages_;
  std::vector<std::int64_t> over_;
};

// A rank that takes its passes in a given order.
class OrderedRank {
 public:
  OrderedRank(const PipelineForm& form, int rank);

  bool pick(const PipelineSlots& slots, std::int64_t now, PipelineTask& out);
  bool finished() const { return next_ == order_.size(); }

 private:
  std::vector<PipelineTask> order_;
  std::size_t next_ = 0;
};

// A rank under kInterleaved with whole rounds of micro-batches: its order by arithmetic.
class InterleavedRank {
 public:
  InterleavedRank(const PipelineForm& form, int rank);

  bool pick(const PipelineSlots& slots, std::int64_t now, PipelineTask& out);
  bool finished() const { return next_ == 2 * total_; }

  // Rounds of micro-batches that have gone forward and back since the warm-up; -1: still in it.
  std::int64_t progress() const {
    return next_ < warm_up_ ? -1 : (next_ - warm_up_) / (2 * round_);
  }
  // Where it stands, `progress` rounds ago.
  void describe(std::int64_t progress, std::vector<std::int64_t>& out) const;
  // Rounds that may be left out without coming to the end.
  std::int64_t spare() const;
  void leave_out(std::int64_t rounds) { total_ -= rounds * round_; }
  static std::int64_t shift(const PipelineForm& form) { return form.ranks; }

 private:
  PipelineTask forward(std::int64_t i) const { return task(Pass::kForward, i); }
  PipelineTask backward(std::int64_t i) const { return task(Pass::kBackward, i); }
  PipelineTask task(Pass pass, std::int64_t i) const;
  PipelineTask at(std::int64_t position) const;

  int ranks_;
  int chunks_;
  int rank_;
  std::int64_t round_;  // Passes of one kind in a round.
  std::int64_t total_;  // Passes of one kind in the whole step.
  std::int64_t warm_up_;
  std::int64_t next_ = 0;
};

}  // namespace loadfactor::training
