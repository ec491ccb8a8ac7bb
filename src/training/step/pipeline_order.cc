#include "training/step/pipeline_order.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "training/step/pipeline_ranks.h"
#include "training/step/pipeline_two_stage_planner.h"

namespace loadfactor::training {
namespace {

bool holds_two_stages(const PipelineForm& form) {
  return form.schedule == Schedule::kZeroBubbleV || form.schedule == Schedule::kDualPipe;
}

// Gives every rank in turn the chance to start a pass, slot by slot; each takes one.
template <class Rank>
class SlotPlanner {
 public:
  explicit SlotPlanner(const PipelineForm& form) : slots_(form) {
    for (int rank = 0; rank < form.ranks; ++rank) ranks_.emplace_back(form, rank);
    free_.assign(ranks_.size(), 0);
    last_.resize(ranks_.size());
  }

  // False when all is planned.
  bool advance() {
    const std::size_t before = tasks_.size();
    bool busy = false;
    bool open = false;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      busy = busy || free_[rank] > now_;
      if (free_[rank] <= now_) start(rank);
      open = open || !ranks_[rank].finished();
    }
    LF_CHECK(!open || busy || tasks_.size() > before, "a pipeline schedule waits for itself");
    if (open) now_ = next_end();
    return open;
  }

  std::vector<PlannedTask>& tasks() { return tasks_; }
  std::vector<Rank>& ranks() { return ranks_; }

  // All that decides what happens next, `progress` ago: who is busy, how long and with what.
  std::vector<std::int64_t> state(std::int64_t progress) const {
    std::vector<std::int64_t> out;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const std::int64_t left = std::max<std::int64_t>(0, free_[rank] - now_);
      out.push_back(left);
      out.push_back(left > 0 ? static_cast<std::int64_t>(last_[rank].pass) : -1);
      out.push_back(left > 0 ? last_[rank].stage : -1);
      ranks_[rank].describe(progress, out);
    }
    return out;
  }

 private:
  void start(std::size_t rank) {
    PipelineTask task;
    if (!ranks_[rank].pick(slots_, now_, task)) return;
    free_[rank] = now_ + 1;
    last_[rank] = task;
    slots_.set(task, free_[rank]);
    tasks_.push_back({task.pass, static_cast<std::int16_t>(rank), task.stage,
                      static_cast<std::int32_t>(task.micro_batch)});
  }

  // When the next rank that works now is free again.
  std::int64_t next_end() const {
    std::int64_t next = INT64_MAX;
    for (const std::int64_t until : free_)
      if (until > now_) next = std::min(next, until);
    return next;
  }

  PipelineSlots slots_;
  std::vector<Rank> ranks_;
  std::vector<PlannedTask> tasks_;
  std::vector<std::int64_t> free_;
  std::vector<PipelineTask> last_;
  std::int64_t now_ = 0;
};

template <class Rank>
std::vector<PlannedTask> plan_all(const PipelineForm& form) {
  SlotPlanner<Rank> planner(form);
  while (planner.advance()) {
  }
  return std::move(planner.tasks());
}

// The state after a slot, and how far the first rank and the plan had come.
struct Snapshot {
  std::int64_t progress = 0;
  std::size_t tasks = 0;
  std::vector<std::int64_t> state;
};

// Looks for a state that was there before. What a rank does depends on the state alone as long as
// it has micro-batches left, so from there on everything repeats itself.
template <class Rank>
class CycleFinder {
 public:
  explicit CycleFinder(const PipelineForm& form) : planner_(form) {
    order_.micro_batches = form.micro_batches;
    unit_ = Rank::shift(form);
  }

  CyclicOrder find() {
    while (planner_.advance())
      if (order_.shift == 0) look();
    order_.tasks = std::move(planner_.tasks());
    return std::move(order_);
  }

 private:
  void look() {
    const std::int64_t progress = planner_.ranks()[0].progress();
    const std::int64_t before = seen_.empty() ? 0 : seen_.back().progress;
    if (progress <= before) return;
    Snapshot now{progress, planner_.tasks().size(), planner_.state(progress)};
    const auto same = std::find_if(seen_.rbegin(), seen_.rend(),
                                   [&](const auto& old) { return old.state == now.state; });
    if (same != seen_.rend() && spare(1) >= 0) return leave_out(*same, now);
    constexpr std::size_t kKept = 16;
    if (seen_.size() == kKept) seen_.erase(seen_.begin());
    seen_.push_back(std::move(now));
  }

  // Repetitions of `length` that no rank misses.
  std::int64_t spare(std::int64_t length) {
    std::int64_t least = INT64_MAX;
    for (const Rank& rank : planner_.ranks()) least = std::min(least, rank.spare());
    return least < 0 ? -1 : least / length;
  }

  void leave_out(const Snapshot& old, const Snapshot& now) {
    const std::int64_t length = now.progress - old.progress;
    const std::int64_t rounds = spare(length) * length;
    for (Rank& rank : planner_.ranks()) rank.leave_out(rounds);
    order_.micro_batches -= rounds * unit_;
    order_.shift = length * unit_;
    order_.cycle_begin = old.tasks;
    order_.cycle_end = now.tasks;
  }

  SlotPlanner<Rank> planner_;
  CyclicOrder order_;
  std::int64_t unit_ = 1;  // Micro-batches of one step of progress.
  std::vector<Snapshot> seen_;
};

// How many cycles before its own a task of the cycle finds what it waits for.
int span_of(const CyclicOrder& order, int stages) {
  std::map<std::tuple<Pass, std::int32_t, std::int64_t>, std::int64_t> runs;
  const auto key = [&](Pass pass, std::int32_t stage, std::int64_t micro_batch) {
    return std::tuple(pass, stage, micro_batch % order.shift);
  };
  for (std::size_t i = order.cycle_begin; i < order.cycle_end; ++i) {
    const PlannedTask& task = order.tasks[i];
    runs[key(task.pass, task.stage, task.micro_batch)] = task.micro_batch;
  }
  std::int64_t most = 0;
  for (std::size_t i = order.cycle_begin; i < order.cycle_end; ++i) {
    const PlannedTask& task = order.tasks[i];
    const bool forward = task.pass == Pass::kForward;
    const std::int32_t from = forward ? task.stage - 1 : task.stage + 1;
    if (task.pass == Pass::kWeight || from < 0 || from >= stages) continue;
    const auto run = runs.find(key(task.pass, from, task.micro_batch));
    LF_CHECK(run != runs.end(), "a cycle lacks what it waits for");
    most = std::max(most, (run->second - task.micro_batch) / order.shift);
  }
  return static_cast<int>(most) + 1;
}

}  // namespace

bool splits_backward(Schedule schedule) {
  return schedule == Schedule::kZeroBubble || schedule == Schedule::kZeroBubbleV ||
         schedule == Schedule::kDualPipe;
}

std::vector<PlannedTask> plan_order(const PipelineForm& form) {
  LF_CHECK(form.ranks >= 1 && form.chunks >= 1 && form.micro_batches >= 1);
  LF_CHECK(form.chunks == 1 || form.schedule == Schedule::kInterleaved ||
           form.schedule == Schedule::kZeroBubbleV);
  if (!holds_two_stages(form)) return plan_all<OrderedRank>(form);
  const TwoStageMap map(form);
  std::vector<PlannedTask> tasks;
  plan_two_stages(form, [&](const TwoStagePass& pass) {
    tasks.push_back({pass.pass, static_cast<std::int16_t>(map.rank(pass.place)),
                     map.stage(pass.place),
                     static_cast<std::int32_t>(map.micro_batch(pass.place, pass.turn))});
  });
  return tasks;
}

CyclicOrder plan_cyclic_order(const PipelineForm& form) {
  const bool whole = form.schedule == Schedule::kInterleaved && form.chunks > 1 &&
                     form.micro_batches % form.ranks == 0;
  CyclicOrder order;
  if (whole) {
    order = CycleFinder<InterleavedRank>(form).find();
  } else {
    order.tasks = plan_order(form);
    order.micro_batches = form.micro_batches;
  }
  if (order.shift > 0) order.span = span_of(order, form.stages());
  return order;
}

std::vector<PlannedTask> unrolled(const CyclicOrder& order, std::int64_t micro_batches) {
  LF_CHECK(order.serves(micro_batches));
  std::vector<PlannedTask> tasks;
  const auto add = [&](std::size_t begin, std::size_t end, std::int64_t shift) {
    for (std::size_t i = begin; i < end; ++i) {
      tasks.push_back(order.tasks[i]);
      tasks.back().micro_batch += static_cast<std::int32_t>(shift);
    }
  };
  add(0, order.cycle_end, 0);
  const std::int64_t more = micro_batches - order.micro_batches;
  for (std::int64_t moved = order.shift; moved <= more && more > 0; moved += order.shift)
    add(order.cycle_begin, order.cycle_end, moved);
  add(order.cycle_end, order.tasks.size(), more);
  return tasks;
}

}  // namespace loadfactor::training
