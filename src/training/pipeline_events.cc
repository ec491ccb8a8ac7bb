#include "training/pipeline_events.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace loadfactor::training {
namespace {

struct Task {
  Pass pass = Pass::kForward;
  int chunk = 0;
  std::int64_t micro_batch = 0;
};
using Order = std::vector<Task>;

Order gpipe_order(std::int64_t count) {
  Order order;
  for (std::int64_t i = 0; i < count; ++i) order.push_back({Pass::kForward, 0, i});
  for (std::int64_t i = 0; i < count; ++i) order.push_back({Pass::kBackward, 0, i});
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

Order plain_order(const PipelineShape& shape, int rank) {
  std::vector<Task> forwards;
  std::vector<Task> backwards;
  for (std::int64_t i = 0; i < shape.micro_batches; ++i) {
    forwards.push_back({Pass::kForward, 0, i});
    backwards.push_back({Pass::kBackward, 0, i});
  }
  return alternate(forwards, backwards, static_cast<std::size_t>(shape.ranks - rank - 1));
}

// Micro-batches go through the chunks of a rank in groups, so that the first of a group returns
// from the last rank when the last of it has left. A group that would be smaller than the pipeline
// joins the one before it. [Narayanan 2021, §2.2]
Order interleaved_order(const PipelineShape& shape, int rank) {
  const std::int64_t ranks = shape.ranks;
  const std::int64_t count = shape.micro_batches;
  std::vector<Task> forwards;
  std::vector<Task> backwards;
  std::int64_t largest = 0;
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t left = count - first;
    const std::int64_t size = left < 2 * ranks ? left : ranks;
    largest = std::max(largest, size);
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      for (std::int64_t i = first; i < first + size; ++i) {
        forwards.push_back({Pass::kForward, chunk, i});
        backwards.push_back({Pass::kBackward, shape.chunks - 1 - chunk, i});
      }
    }
    first += size;
  }
  // Too few to fill the pipeline: nothing goes back before everything has gone forward.
  const std::int64_t warm_up =
      count < ranks ? count * shape.chunks : 2 * (ranks - rank - 1) + (shape.chunks - 1) * largest;
  return alternate(forwards, backwards, static_cast<std::size_t>(warm_up));
}

// As 1F1B, but rank r leaves its first r weight gradients for the bubble at the end. [Qi 2023, H1]
Order zero_bubble_order(const PipelineShape& shape, int rank) {
  Order order;
  std::int64_t forwards = 0;
  std::int64_t weights = 0;
  const std::int64_t count = shape.micro_batches;
  const auto forward = [&] {
    if (forwards < count) order.push_back({Pass::kForward, 0, forwards++});
  };
  const auto weight = [&] {
    if (weights < count) order.push_back({Pass::kWeight, 0, weights++});
  };
  for (int i = 0; i + 1 < shape.ranks - rank; ++i) forward();
  for (std::int64_t i = 0; i < count; ++i) {
    forward();
    order.push_back({Pass::kBackward, 0, i});
    if (i >= rank) weight();
  }
  while (weights < count) weight();
  return order;
}

bool splits_backward(Schedule schedule) {
  return schedule == Schedule::kZeroBubble || schedule == Schedule::kZeroBubbleV ||
         schedule == Schedule::kDualPipe;
}

// Ranks take turns; one that waits for another is taken up again when that one has moved.
class Runner {
 public:
  explicit Runner(const PipelineShape& shape)
      : shape_(shape),
        stages_(shape.ranks * shape.chunks),
        done_(static_cast<std::size_t>(shape.micro_batches * stages_ * 2), Seconds::from_base(-1)),
        free_(static_cast<std::size_t>(shape.ranks)),
        next_(static_cast<std::size_t>(shape.ranks), 0),
        queued_(static_cast<std::size_t>(shape.ranks), true) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      orders_.push_back(order_of(rank));
      waiting_.push_back(rank);
    }
  }

  PipelineRun run() {
    while (!waiting_.empty()) {
      const int rank = waiting_.back();
      waiting_.pop_back();
      queued_[static_cast<std::size_t>(rank)] = false;
      while (advance(rank)) {
      }
    }
    for (std::size_t rank = 0; rank < orders_.size(); ++rank) {
      LF_CHECK(next_[rank] == orders_[rank].size(), "a pipeline schedule waits for itself");
    }
    return std::move(out_);
  }

 private:
  Order order_of(int rank) const {
    if (shape_.schedule == Schedule::kGpipe) return gpipe_order(shape_.micro_batches);
    if (splits_backward(shape_.schedule)) return zero_bubble_order(shape_, rank);
    if (shape_.chunks > 1) return interleaved_order(shape_, rank);
    return plain_order(shape_, rank);
  }

  Seconds& done(Pass pass, int stage, std::int64_t micro_batch) {
    const std::int64_t half = pass == Pass::kForward ? 0 : 1;
    return done_[static_cast<std::size_t>((micro_batch * stages_ + stage) * 2 + half)];
  }

  // When what the task needs from elsewhere is there; negative: not yet known.
  Seconds ready(const Task& task, int stage) {
    if (task.pass == Pass::kForward) {
      if (stage == 0) return {};
      const Seconds end = done(Pass::kForward, stage - 1, task.micro_batch);
      return end < Seconds() ? end : end + shape_.send;
    }
    const Pass own = task.pass == Pass::kWeight ? Pass::kBackward : Pass::kForward;
    const Seconds mine = done(own, stage, task.micro_batch);
    if (mine < Seconds() || task.pass == Pass::kWeight || stage + 1 == stages_) return mine;
    const Seconds end = done(Pass::kBackward, stage + 1, task.micro_batch);
    return end < Seconds() ? end : std::max(mine, end + shape_.send);
  }

  Seconds duration(const Task& task, int stage) const {
    const ChunkTimes& times = shape_.times[static_cast<std::size_t>(stage)];
    if (task.pass == Pass::kForward) return times.forward;
    if (task.pass == Pass::kWeight) return times.weight_gradient;
    return splits_backward(shape_.schedule) ? times.input_gradient
                                            : times.input_gradient + times.weight_gradient;
  }

  bool advance(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (next_[index] == orders_[index].size()) return false;
    const Task& task = orders_[index][next_[index]];
    const int stage = task.chunk * shape_.ranks + rank;
    const Seconds at = ready(task, stage);
    if (at < Seconds()) return false;
    const Seconds start = std::max(at, free_[index]);
    const Seconds end = start + duration(task, stage);
    free_[index] = end;
    ++next_[index];
    out_.events.push_back({rank, task.chunk, task.micro_batch, task.pass, start, end});
    out_.makespan = std::max(out_.makespan, end);
    if (task.pass == Pass::kWeight) return true;
    done(task.pass, stage, task.micro_batch) = end;
    const int neighbour = task.pass == Pass::kForward ? rank + 1 : rank - 1 + shape_.ranks;
    wake(neighbour % shape_.ranks);
    return true;
  }

  void wake(int rank) {
    if (queued_[static_cast<std::size_t>(rank)]) return;
    queued_[static_cast<std::size_t>(rank)] = true;
    waiting_.push_back(rank);
  }

  const PipelineShape& shape_;
  int stages_;
  std::vector<Seconds> done_;
  std::vector<Seconds> free_;
  std::vector<std::size_t> next_;
  std::vector<bool> queued_;
  std::vector<Order> orders_;
  std::vector<int> waiting_;
  PipelineRun out_;
};

}  // namespace

PipelineRun run_pipeline(const PipelineShape& shape) {
  LF_CHECK(shape.ranks >= 1 && shape.chunks >= 1 && shape.micro_batches >= 1);
  LF_CHECK(shape.chunks == 1 || shape.schedule == Schedule::kInterleaved);
  LF_CHECK(shape.times.size() == static_cast<std::size_t>(shape.ranks * shape.chunks));
  return Runner(shape).run();
}

}  // namespace loadfactor::training
