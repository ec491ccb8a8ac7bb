#include "training/pipeline_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace loadfactor::training {
namespace {

struct Task {
  Pass pass = Pass::kForward;
  int stage = 0;
  std::int64_t micro_batch = 0;
};
using Order = std::vector<Task>;

Order gpipe_order(std::int64_t count, int stage) {
  Order order;
  for (std::int64_t i = 0; i < count; ++i) order.push_back({Pass::kForward, stage, i});
  for (std::int64_t i = 0; i < count; ++i) order.push_back({Pass::kBackward, stage, i});
  return order;
}

// Alternates forward and backward after `warm_up` forwards.
Order alternate(const std::vector<Task>& forwards, const std::vector<Task>& backwards,
                std::size_t warm_up) {
  Order order;
  std::size_t next = 0;
  while (next < std::min(warm_up, forwards.size())) order.push_back(forwards[next++]);
  for (const Task& backward : backwards) {
    if (next < forwards.size()) order.push_back(forwards[next++]);
    order.push_back(backward);
  }
  return order;
}

Order plain_order(const PipelineForm& form, int rank) {
  std::vector<Task> forwards;
  std::vector<Task> backwards;
  for (std::int64_t i = 0; i < form.micro_batches; ++i) {
    forwards.push_back({Pass::kForward, rank, i});
    backwards.push_back({Pass::kBackward, rank, i});
  }
  return alternate(forwards, backwards, static_cast<std::size_t>(form.ranks - rank - 1));
}

// Micro-batches go through the chunks of a rank in groups, so that the first of a group returns
// from the last rank when the last of it has left. A group that would be smaller than the pipeline
// joins the one before it. [Narayanan 2021, §2.2]
Order interleaved_order(const PipelineForm& form, int rank) {
  const std::int64_t ranks = form.ranks;
  const std::int64_t count = form.micro_batches;
  std::vector<Task> forwards;
  std::vector<Task> backwards;
  std::int64_t largest = 0;
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t left = count - first;
    const std::int64_t size = left < 2 * ranks ? left : ranks;
    largest = std::max(largest, size);
    for (int chunk = 0; chunk < form.chunks; ++chunk) {
      const int back = form.chunks - 1 - chunk;
      for (std::int64_t i = first; i < first + size; ++i) {
        forwards.push_back({Pass::kForward, chunk * form.ranks + rank, i});
        backwards.push_back({Pass::kBackward, back * form.ranks + rank, i});
      }
    }
    first += size;
  }
  // Too few to fill the pipeline: nothing goes back before everything has gone forward.
  const std::int64_t warm_up =
      count < ranks ? count * form.chunks : 2 * (ranks - rank - 1) + (form.chunks - 1) * largest;
  return alternate(forwards, backwards, static_cast<std::size_t>(warm_up));
}

// As 1F1B, but rank r leaves its first r weight gradients for the bubble at the end. [Qi 2023, H1]
Order zero_bubble_order(const PipelineForm& form, int rank) {
  Order order;
  std::int64_t forwards = 0;
  std::int64_t weights = 0;
  const std::int64_t count = form.micro_batches;
  const auto forward = [&] {
    if (forwards < count) order.push_back({Pass::kForward, rank, forwards++});
  };
  for (int i = 0; i + 1 < form.ranks - rank; ++i) forward();
  for (std::int64_t i = 0; i < count; ++i) {
    forward();
    order.push_back({Pass::kBackward, rank, i});
    if (i >= rank) order.push_back({Pass::kWeight, rank, weights++});
  }
  while (weights < count) order.push_back({Pass::kWeight, rank, weights++});
  return order;
}

Order order_of(const PipelineForm& form, int rank) {
  if (form.schedule == Schedule::kGpipe) return gpipe_order(form.micro_batches, rank);
  if (form.schedule == Schedule::kZeroBubble) return zero_bubble_order(form, rank);
  return form.chunks > 1 ? interleaved_order(form, rank) : plain_order(form, rank);
}

// The slots at which forward and backward of every (stage, micro-batch) are over, all passes
// taking one slot.
class Slots {
 public:
  explicit Slots(const PipelineForm& form)
      : stages_(form.stages()),
        over_(static_cast<std::size_t>(form.micro_batches * stages_ * 2), kNever) {}

  bool over(Pass pass, int stage, std::int64_t micro_batch, std::int64_t now) const {
    return over_[index(pass, stage, micro_batch)] <= now;
  }
  void set(const Task& task, std::int64_t slot) {
    if (task.pass != Pass::kWeight) over_[index(task.pass, task.stage, task.micro_batch)] = slot;
  }
  bool ready(const Task& task, std::int64_t now) const {
    const auto [pass, stage, micro_batch] = task;
    if (pass == Pass::kWeight) return over(Pass::kBackward, stage, micro_batch, now);
    if (pass == Pass::kForward) {
      return stage == 0 || over(Pass::kForward, stage - 1, micro_batch, now);
    }
    return over(Pass::kForward, stage, micro_batch, now) &&
           (stage + 1 == stages_ || over(Pass::kBackward, stage + 1, micro_batch, now));
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  std::size_t index(Pass pass, int stage, std::int64_t micro_batch) const {
    const std::int64_t half = pass == Pass::kForward ? 0 : 1;
    return static_cast<std::size_t>((micro_batch * stages_ + stage) * 2 + half);
  }

  int stages_;
  std::vector<std::int64_t> over_;
};

// Ranks that hold two stages each and take what is ready: a gradient of an input first, then a
// forward pass, and weight gradients only where they would wait. A stage holds no more than the
// micro-batches that fill the rest of the way, about as under 1F1B. [Qi 2024, V; DeepSeek 2024,
// DualPipe]
class TwoStageRank {
 public:
  TwoStageRank(const PipelineForm& form, int rank) {
    const bool folded = form.schedule == Schedule::kZeroBubbleV;
    const std::int64_t count = form.micro_batches;
    const int mirrored = form.stages() - 1 - rank;
    // Two directions hold half as many again while their weight gradients wait.
    const auto most = [&](int stage) {
      const int rest = form.stages() - stage;
      return folded ? rest : rest + rest / 2 + 1;
    };
    const int step = folded ? 1 : 2;
    ways_[0] = {rank, 0, step, folded ? count : (count + 1) / 2, most(rank)};
    ways_[1] = {mirrored, folded ? 0 : 1, step, folded ? count : count / 2, most(mirrored)};
  }

  bool pick(const Slots& slots, std::int64_t now, Task& out) {
    return pick_backward(slots, now, out) || pick_forward(slots, now, out) || pick_weight(out);
  }
  bool finished() const { return ways_[0].finished() && ways_[1].finished(); }

 private:
  struct Way {
    int stage = 0;
    std::int64_t first = 0;  // Micro-batches first, first + step, …: `count` of them.
    std::int64_t step = 1;
    std::int64_t count = 0;
    std::int64_t most = 1;  // Micro-batches held.
    std::int64_t forwards = 0;
    std::int64_t backwards = 0;
    std::int64_t weights = 0;

    std::int64_t number(std::int64_t i) const { return first + i * step; }
    bool finished() const { return weights == count; }
  };

  bool pick_backward(const Slots& slots, std::int64_t now, Task& out) {
    Way* best = nullptr;
    for (Way& way : ways_) {
      if (way.backwards == way.count) continue;
      if (!slots.ready({Pass::kBackward, way.stage, way.number(way.backwards)}, now)) continue;
      if (best == nullptr || way.number(way.backwards) < best->number(best->backwards)) best = &way;
    }
    if (best == nullptr) return false;
    out = {Pass::kBackward, best->stage, best->number(best->backwards++)};
    return true;
  }

  bool pick_forward(const Slots& slots, std::int64_t now, Task& out) {
    Way* best = nullptr;
    for (Way& way : ways_) {
      if (way.forwards == way.count || way.forwards - way.weights >= way.most) continue;
      if (!slots.ready({Pass::kForward, way.stage, way.number(way.forwards)}, now)) continue;
      // Of two the one nearer to the end of its way.
      if (best == nullptr || way.stage > best->stage) best = &way;
    }
    if (best == nullptr) return false;
    out = {Pass::kForward, best->stage, best->number(best->forwards++)};
    return true;
  }

  bool pick_weight(Task& out) {
    for (Way& way : ways_) {
      if (way.weights == way.backwards) continue;
      out = {Pass::kWeight, way.stage, way.number(way.weights++)};
      return true;
    }
    return false;
  }

  std::array<Way, 2> ways_;
};

// One that takes its passes in a given order.
class OrderedRank {
 public:
  OrderedRank(const PipelineForm& form, int rank) : order_(order_of(form, rank)) {}

  bool pick(const Slots& slots, std::int64_t now, Task& out) {
    if (finished() || !slots.ready(order_[next_], now)) return false;
    out = order_[next_++];
    return true;
  }
  bool finished() const { return next_ == order_.size(); }

 private:
  Order order_;
  std::size_t next_ = 0;
};

template <class Rank>
std::vector<PlannedTask> plan_slots(const PipelineForm& form) {
  Slots slots(form);
  std::vector<Rank> ranks;
  for (int rank = 0; rank < form.ranks; ++rank) ranks.emplace_back(form, rank);
  std::vector<PlannedTask> tasks;
  bool open = true;
  for (std::int64_t now = 0; open; ++now) {
    const std::size_t before = tasks.size();
    open = false;
    for (int rank = 0; rank < form.ranks; ++rank) {
      Task task;
      Rank& one = ranks[static_cast<std::size_t>(rank)];
      if (one.pick(slots, now, task)) {
        slots.set(task, now + 1);
        tasks.push_back({task.pass, static_cast<std::int16_t>(rank), task.stage,
                         static_cast<std::int32_t>(task.micro_batch)});
      }
      open = open || !one.finished();
    }
    LF_CHECK(!open || tasks.size() > before, "a pipeline schedule waits for itself");
  }
  return tasks;
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
  const bool two = form.schedule == Schedule::kZeroBubbleV || form.schedule == Schedule::kDualPipe;
  return two ? plan_slots<TwoStageRank>(form) : plan_slots<OrderedRank>(form);
}

}  // namespace loadfactor::training
