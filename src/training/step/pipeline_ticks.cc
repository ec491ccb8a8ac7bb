#include "training/step/pipeline_ticks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/check.h"

namespace loadfactor::training {
namespace {

// Every rank in turn, from the last to the first; round k holds backward k and, on rank i, forward
// k + ranks − 1 − i. What a rank waits for was computed in this round or the one before.
class Alternation {
 public:
  Alternation(const PipelineForm& form, TickScratch& scratch)
      : ranks_(form.ranks),
        count_(form.micro_batches),
        split_(form.schedule == Schedule::kZeroBubble),
        stages_(scratch.stages),
        forward_(scratch.forward),
        free_(scratch.free) {
    forward_.assign(static_cast<std::size_t>(ranks_), 0);
    free_.assign(static_cast<std::size_t>(ranks_), 0);
  }

  Ticks run() {
    // Between these two rounds every rank runs every pass there is.
    const std::int64_t steady = split_ ? ranks_ - 1 : 0;
    const std::int64_t waning = count_ - ranks_ + 1;
    Ticks skipped = 0;
    for (std::int64_t round = 1 - ranks_; round < count_; ++round) {
      if (round < steady || round >= waning) {
        any_round(round);
        continue;
      }
      const Ticks moved = split_ ? full_round<true>() : full_round<false>();
      if (moved < 0 || round + 1 >= waning) continue;
      skipped = moved * (waning - 1 - round);
      round = waning - 1;
    }
    return last() + skipped;
  }

 private:
  void any_round(std::int64_t round) {
    Ticks arrived = 0;
    for (int rank = ranks_ - 1; rank >= 0; --rank) {
      const auto i = static_cast<std::size_t>(rank);
      const StageTicks& stage = stages_[i];
      const std::int64_t next = round + ranks_ - 1 - rank;
      if (next >= 0 && next < count_) {
        const Ticks sent = rank > 0 ? forward_[i - 1] : 0;
        forward_[i] = free_[i] = std::max(free_[i], sent) + stage.forward;
      }
      if (round < 0) continue;
      arrived = std::max(free_[i], arrived) + stage.input_gradient;
      if (!split_) arrived += stage.weight_gradient;
      free_[i] = arrived;
      if (split_ && round >= rank) free_[i] += stage.weight_gradient;
    }
  }

  // A forward and a backward on every rank. The ticks by which all have moved on, or -1.
  template <bool kSplit>
  Ticks full_round() {
    Ticks arrived = 0;
    Ticks moved = -1;
    Ticks spread = 0;
    for (std::size_t i = static_cast<std::size_t>(ranks_); i-- > 0;) {
      const StageTicks& stage = stages_[i];
      const Ticks sent = i > 0 ? forward_[i - 1] : 0;
      const Ticks forward = std::max(free_[i], sent) + stage.forward;
      arrived = std::max(forward, arrived) + stage.input_gradient;
      Ticks free = arrived + stage.weight_gradient;
      if (!kSplit) arrived = free;
      if (moved < 0) moved = free - free_[i];
      spread |= (free - free_[i] - moved) | (forward - forward_[i] - moved);
      forward_[i] = forward;
      free_[i] = free;
    }
    return spread == 0 ? moved : -1;
  }

  Ticks last() const {
    Ticks last = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      const Ticks left = split_ ? std::min<std::int64_t>(rank, count_) : 0;
      last = std::max(last, free_[i] + stages_[i].weight_gradient * left);
    }
    return last;
  }

  int ranks_;
  std::int64_t count_;
  bool split_;
  const std::vector<StageTicks>& stages_;
  std::vector<Ticks>& forward_;
  std::vector<Ticks>& free_;
};

constexpr std::size_t kPasses = 3;

// Runs the tasks of an order one by one, and its cycle until it repeats itself.
class Walk {
 public:
  Walk(const PipelineForm& form, const LinkedCycle& order, TickScratch& scratch)
      : order_(order),
        places_(kPasses * static_cast<std::size_t>(form.stages())),
        scratch_(scratch) {
    more_ = order.shift > 0 ? (form.micro_batches - order.micro_batches) / order.shift : 0;
    make_room(order.micro_batches);
    scratch.free.assign(static_cast<std::size_t>(form.ranks), 0);
    scratch.ends.resize(order.cycle_end - order.cycle_begin);
    set_times(splits_backward(form.schedule));
  }

  Ticks run() {
    run_tasks(0, order_.cycle_begin);
    if (more_ > 0)
      repeat();
    else
      run_tasks(order_.cycle_begin, order_.cycle_end);
    run_tasks(order_.cycle_end, order_.tasks.size());
    return *std::max_element(scratch_.free.begin(), scratch_.free.end()) + skipped_;
  }

 private:
  void set_times(bool is_split) {
    scratch_.flat.clear();
    for (const StageTicks& stage : scratch_.stages) {
      const Ticks backward = stage.input_gradient + (is_split ? 0 : stage.weight_gradient);
      scratch_.flat.insert(scratch_.flat.end(), {stage.forward, backward, stage.weight_gradient});
    }
  }

  // Kept from other walks: what is read was written in this one.
  void make_room(std::int64_t micro_batches) {
    const std::size_t room = static_cast<std::size_t>(micro_batches) * places_;
    if (scratch_.passes.size() < room) scratch_.passes.resize(room);
  }

  // The cycle once and `more_` times; as soon as all of its passes moved on by as much for as long
  // as any of them is waited for, the rest is a product.
  void repeat() {
    cycle(true);
    int alike = 0;
    Ticks moved = -1;
    for (std::int64_t round = 1; round <= more_; ++round) {
      offset_ += order_.shift;
      make_room(order_.micro_batches + offset_);
      const Ticks now = cycle(false);
      alike = now < 0 ? 0 : now == moved ? alike + 1 : 1;
      moved = now;
      if (alike < order_.span) continue;
      skipped_ = moved * (more_ - round);
      break;
    }
  }

  // The ticks by which all passes moved on since the last time, or -1.
  Ticks cycle(bool first) {
    Ticks* const passes = moved_passes();
    Ticks* const ends = scratch_.ends.data();
    const LinkedTask* const tasks = order_.tasks.data() + order_.cycle_begin;
    const std::size_t count = order_.cycle_end - order_.cycle_begin;
    Ticks moved = -1;
    Ticks spread = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Ticks end = step(tasks[i], passes);
      const Ticks by = end - ends[i];
      if (i == 0) moved = by;
      spread |= by - moved;
      ends[i] = end;
    }
    return spread == 0 && !first ? moved : -1;
  }

  void run_tasks(std::size_t begin, std::size_t end) {
    Ticks* const passes = moved_passes();
    for (std::size_t i = begin; i < end; ++i) step(order_.tasks[i], passes);
  }

  // Without a branch: which pass comes next is as good as random.
  Ticks step(const LinkedTask& task, Ticks* passes) {
    Ticks& free = scratch_.free[static_cast<std::size_t>(task.rank)];
    const Ticks ready = passes[task.from] & static_cast<Ticks>(task.has_from);
    const Ticks end =
        std::max<Ticks>(free, ready) + scratch_.flat[static_cast<std::size_t>(task.time)];
    free = end;
    passes[task.to] = end;
    return end;
  }

  Ticks* moved_passes() {
    return scratch_.passes.data() + static_cast<std::size_t>(offset_) * places_;
  }

  const LinkedCycle& order_;
  std::size_t places_;  // Those of a micro-batch.
  TickScratch& scratch_;
  std::int64_t more_ = 0;
  std::int64_t offset_ = 0;  // Micro-batches by which tasks are moved on.
  Ticks skipped_ = 0;
};

LinkedTask linked(const PlannedTask& task, int stages) {
  const auto place = [&](int stage, Pass pass) {
    return static_cast<std::int32_t>(kPasses) * (task.micro_batch * stages + stage) +
           static_cast<std::int32_t>(pass);
  };
  LinkedTask out;
  out.to = place(task.stage, task.pass);
  out.rank = task.rank;
  out.time = static_cast<std::int16_t>(static_cast<int>(kPasses) * task.stage +
                                       static_cast<int>(task.pass));
  const bool is_forward = task.pass == Pass::kForward;
  if (is_forward ? task.stage > 0 : task.pass == Pass::kBackward && task.stage + 1 < stages) {
    out.from = place(task.stage + (is_forward ? -1 : 1), task.pass);
    out.has_from = -1;
  }
  return out;
}

}  // namespace

Seconds TickUnit::seconds(Ticks ticks) const {
  return Seconds::from_base(std::ldexp(static_cast<double>(ticks), exponent));
}

TickUnit set_ticks(const PipelineForm& form, std::span<const ChunkTimes> chunks,
                   std::vector<StageTicks>& out) {
  double sum = 0;
  for (const ChunkTimes& chunk : chunks)
    sum += (chunk.forward + chunk.input_gradient + chunk.weight_gradient).base();
  // All passes in turn, and one tick each for rounding up, stay below 2^62.
  constexpr int kBits = 61;
  const int all = std::ilogb(std::max(1e-30, sum * static_cast<double>(form.micro_batches))) + 1;
  const TickUnit unit{all - kBits};
  const double per_second = std::ldexp(1.0, -unit.exponent);
  const auto ticks = [&](Seconds time) {
    return static_cast<Ticks>(time.base() * per_second + 0.5);
  };
  out.clear();
  for (const ChunkTimes& chunk : chunks)
    out.push_back(
        {ticks(chunk.forward), ticks(chunk.input_gradient), ticks(chunk.weight_gradient)});
  return unit;
}

Ticks alternate_ticks(const PipelineForm& form, TickScratch& scratch) {
  return Alternation(form, scratch).run();
}

Ticks walk_ticks(const LinkedOrder& order, int ranks, TickScratch& scratch) {
  scratch.ends.resize(std::max(scratch.ends.size(), order.ends));
  scratch.flat.clear();
  for (const StageTicks& stage : scratch.stages)
    scratch.flat.insert(scratch.flat.end(),
                        {stage.forward, stage.input_gradient, stage.weight_gradient});
  Ticks* const ends = scratch.ends.data();
  const Ticks* const times = scratch.flat.data();
  std::fill(ends, ends + ranks, 0);
  for (const LinkedPass& pass : order.passes) {
    const Ticks end = std::max(ends[pass.rank], ends[pass.from]) + times[pass.time];
    ends[pass.rank] = end;
    ends[pass.to] = end;
  }
  return *std::max_element(ends, ends + ranks);
}

LinkedCycle link(const PipelineForm& form, const CyclicOrder& order) {
  constexpr int kMostStages = std::numeric_limits<std::int16_t>::max() / static_cast<int>(kPasses);
  LF_CHECK(form.stages() <= kMostStages);
  LinkedCycle out{.tasks = {},
                  .micro_batches = order.micro_batches,
                  .cycle_begin = order.cycle_begin,
                  .cycle_end = order.cycle_end,
                  .shift = order.shift,
                  .span = order.span};
  out.tasks.reserve(order.tasks.size());
  for (const PlannedTask& task : order.tasks) out.tasks.push_back(linked(task, form.stages()));
  return out;
}

Ticks walk_ticks(const PipelineForm& form, const LinkedCycle& order, TickScratch& scratch) {
  LF_CHECK(order.serves(form.micro_batches));
  return Walk(form, order, scratch).run();
}

}  // namespace loadfactor::training
