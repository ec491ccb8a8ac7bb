#include "training/step/pipeline_ranks.h"

#include <algorithm>

namespace loadfactor::training {
namespace {

using Task = PipelineTask;
using Order = std::vector<Task>;

Order gpipe_order(std::int64_t count, int stage) {
  Order order;
  for (std::int64_t i = 0; i < count; ++i) order.push_back({Pass::kForward, stage, i});
  for (std::int64_t i = 0; i < count; ++i) order.push_back({Pass::kBackward, stage, i});
  return order;
}

// Alternates forward and backward after `warm_up` forwards.
Order alternate(const Order& forwards, const Order& backwards, std::size_t warm_up) {
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
  Order forwards;
  Order backwards;
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
  Order forwards;
  Order backwards;
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

}  // namespace

void PipelineSlots::set(const Task& task, std::int64_t slot) {
  if (task.pass == Pass::kWeight) return;
  const std::size_t at = index(task.pass, task.stage, task.micro_batch);
  if (at >= over_.size()) over_.resize(std::max(at + 1, over_.size() * 2), kNever);
  over_[at] = slot;
}

bool PipelineSlots::ready(const Task& task, std::int64_t now) const {
  const auto [pass, stage, micro_batch] = task;
  if (pass == Pass::kWeight) return over(Pass::kBackward, stage, micro_batch, now);
  if (pass == Pass::kForward) {
    return stage == 0 || over(Pass::kForward, stage - 1, micro_batch, now);
  }
  return over(Pass::kForward, stage, micro_batch, now) &&
         (stage + 1 == stages_ || over(Pass::kBackward, stage + 1, micro_batch, now));
}

OrderedRank::OrderedRank(const PipelineForm& form, int rank) : order_(order_of(form, rank)) {}

bool OrderedRank::pick(const PipelineSlots& slots, std::int64_t now, Task& out) {
  if (finished() || !slots.ready(order_[next_], now)) return false;
  out = order_[next_++];
  return true;
}

InterleavedRank::InterleavedRank(const PipelineForm& form, int rank)
    : ranks_(form.ranks),
      chunks_(form.chunks),
      rank_(rank),
      round_(std::int64_t{form.ranks} * form.chunks),
      total_(form.micro_batches * form.chunks),
      warm_up_(std::min<std::int64_t>(
          total_, 2 * (form.ranks - rank - 1) + std::int64_t{form.chunks - 1} * form.ranks)) {}

Task InterleavedRank::task(Pass pass, std::int64_t i) const {
  const auto chunk = static_cast<int>(i % round_ / ranks_);
  const int along = pass == Pass::kForward ? chunk : chunks_ - 1 - chunk;
  return {pass, along * ranks_ + rank_, i / round_ * ranks_ + i % ranks_};
}

Task InterleavedRank::at(std::int64_t position) const {
  if (position < warm_up_) return forward(position);
  const std::int64_t turn = position - warm_up_;
  if (turn >= 2 * (total_ - warm_up_)) return backward(position - total_);
  return turn % 2 == 0 ? forward(warm_up_ + turn / 2) : backward(turn / 2);
}

bool InterleavedRank::pick(const PipelineSlots& slots, std::int64_t now, Task& out) {
  if (finished()) return false;
  const Task next = at(next_);
  if (!slots.ready(next, now)) return false;
  out = next;
  ++next_;
  return true;
}

// In the warm-up it does not stand where it will stand in any later round.
void InterleavedRank::describe(std::int64_t progress, std::vector<std::int64_t>& out) const {
  out.push_back(next_ < warm_up_ ? -1 - next_ : next_ - progress * 2 * round_);
}

std::int64_t InterleavedRank::spare() const {
  if (next_ < warm_up_) return -1;
  const std::int64_t left = total_ - 1 - (warm_up_ + (next_ - warm_up_ + 1) / 2);
  return left < 0 ? -1 : left / round_;
}

}  // namespace loadfactor::training
