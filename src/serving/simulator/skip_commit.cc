// Applying a plan, preempting, failing, and looking in from outside.
#include <algorithm>
#include <cmath>

#include "serving/simulator/skip_replica.h"

namespace loadfactor::serving {
namespace {

constexpr int kUsualBlock = 16;

// The sum of `count` entries from `first` downwards, around the end. All are looked at, without a
// branch: a loop of a length that nobody can foresee takes longer.
std::int32_t sum_down(const std::array<std::int16_t, 128>& due, std::int64_t first,
                      std::int64_t count) {
  const auto from = static_cast<std::int16_t>(first);
  const auto most = static_cast<std::int16_t>(count);
  std::array<std::int16_t, kUsualBlock> chosen;
  for (std::int16_t i = 0; i < kUsualBlock; ++i) {
    const auto away = static_cast<std::int16_t>((from - i) & (kUsualBlock - 1));
    const auto is_in = static_cast<std::int16_t>(away < most ? -1 : 0);
    chosen[static_cast<std::size_t>(i)] =
        static_cast<std::int16_t>(due[static_cast<std::size_t>(i)] & is_in);
  }
  std::int32_t sum = 0;
  for (const std::int16_t each : chosen) sum += each;
  return sum;
}

}  // namespace

[[gnu::always_inline]] inline std::int64_t SkipReplica::blocks_in(std::int64_t steps) const {
  if (reserves()) return 0;
  const std::int64_t cycles = block_.full_blocks(steps) * decodes_;
  const std::int64_t rest = block_.within(steps);
  if (block_.tokens() == kUsualBlock)
    return cycles + sum_down(due_, block_.within(rest - step_ - steps), rest);
  std::int64_t sum = cycles;
  for (std::int64_t j = steps - rest; j < steps; ++j) sum += due_at(step_ + j);
  return sum;
}

// Its parts are compiled into it, as those of make_plan() are.
void SkipReplica::commit() {
  const bool is_run = plan_.kind == Plan::Kind::kRun;
  if (is_run) take_blocks(blocks_in(plan_.steps));  // A single step paid when it was planned.
  advance(plan_.steps, plan_.end - clock_);
  if (rules_.has_prefix_cache) {
    for (Prompt& prompt : joining_) publish(prompt);
    if (!is_run && has_partial_) publish(partial_);
    finish_in_order();
  } else {
    finish_sequences();
  }
  for (const Prompt& prompt : joining_) join(prompt);
  joining_.clear();
  plan_.kind = Plan::Kind::kNone;
  plan_.end = sim::kNever;
}

// Moves the clock by the first `steps` steps of the plan, which take this time.
[[gnu::always_inline]] inline void SkipReplica::advance(std::int64_t steps, Ticks time) {
  if (decodes_ > 0) recorder_.gaps(plan_.first, plan_.growth, steps, decodes_);
  if (recorder_.wants_spans()) [[unlikely]]
    recorder_.span({.replica = index_,
                    .decodes = decodes_,
                    .steps = steps,
                    .prefill_tokens = prefill_.tokens,
                    .begin = clock_,
                    .end = clock_ + time});
  const std::int64_t tokens = steps * decodes_;
  work_.steps += steps;
  work_.busy += time;
  work_.decode_tokens += tokens;
  work_.prefill_tokens += prefill_.tokens;
  work_.prefill_area += prefill_.area;
  work_.context_tokens += steps * context_ + decodes_ * (steps * (steps + 1) / 2);
  clock_ += time;
  step_ += steps;
  context_ += tokens;
}

// Makes the full blocks that are computed by now known to the prefix cache.
void SkipReplica::publish(Prompt& prompt) {
  const std::int64_t known = std::min<std::int64_t>(std::ssize(requests_[prompt.id].prefix),
                                                    block_.full_blocks(prompt.done));
  if (known <= prompt.shared) return;
  free_ += cache_.publish(names(prompt.id, prompt.shared, known));
  prompt.shared = static_cast<std::int32_t>(known);
}

[[gnu::always_inline]] inline void SkipReplica::finish_sequences() {
  if (decodes_ == 0) return;
  for (std::int32_t s = wheel_.first(step_); s >= 0; s = wheel_.first(step_)) {
    recorder_.end(detach(s).id, clock_);
    --load_;
  }
}

// As above, but blocks go back to the cache by the number of their request: an order that does
// not depend on how the wheel is linked.
void SkipReplica::finish_in_order() {
  leaving_.clear();
  while (decodes_ > 0 && wheel_.first(step_) >= 0) leaving_.push_back(detach(wheel_.first(step_)));
  for (const Prompt& p : joining_) {
    if (requests_[p.id].output == p.generated + 1)
      leaving_.push_back({.serial = requests_[p.id].serial, .id = p.id, .shared = p.shared});
  }
  std::sort(leaving_.begin(), leaving_.end(),
            [](const Leaving& a, const Leaving& b) { return a.serial < b.serial; });
  for (const Leaving& leaving : leaving_) {
    release(leaving);
    const bool is_joining = std::any_of(joining_.begin(), joining_.end(),
                                        [&](const Prompt& p) { return p.id == leaving.id; });
    if (is_joining) continue;  // Its first token is its last, and join() ends it.
    recorder_.end(leaving.id, clock_);
    --load_;
  }
}

[[gnu::always_inline]] inline void SkipReplica::join(const Prompt& p) {
  Request& request = requests_[p.id];
  if (p.generated == 0)
    recorder_.first_token(p.id, clock_);
  else
    recorder_.gap(clock_ - request.latest);
  const std::int32_t left = request.output - p.generated - 1;
  if (left == 0) {
    free_ += held_blocks(p.id, p.target) - p.shared;
    recorder_.end(p.id, clock_);
    --load_;
    return;
  }
  const std::int32_t s = idle_slots_.back();
  idle_slots_.pop_back();
  slot(s) = {.id = p.id,
             .before = tail_,
             .after = -1,
             .shared = p.shared,
             .base = p.target - step_,
             .finish = step_ + left};
  (tail_ >= 0 ? slot(tail_).after : head_) = s;
  tail_ = s;
  if (!wheel_.reaches(left)) {
    wheel_.grow_for(left);
    for (std::int32_t i = head_; i != s; i = slot(i).after) wheel_.insert(i, slot(i).finish);
  }
  wheel_.insert(s, step_ + left);
  ++due_class(slot(s).base);
  ++decodes_;
  context_ += p.target;
}

// Takes a sequence out of the batch, for whatever reason; its shared blocks stay held.
[[gnu::always_inline]] inline SkipReplica::Leaving SkipReplica::detach(std::int32_t s) {
  const Slot x = slot(s);
  const std::int64_t context = x.base + step_;
  wheel_.erase(s, x.finish);
  --due_class(x.base);
  --decodes_;
  context_ -= context;
  free_ += held_blocks(x.id, context) - x.shared;
  (x.before >= 0 ? slot(x.before).after : head_) = x.after;
  (x.after >= 0 ? slot(x.after).before : tail_) = x.before;
  idle_slots_.push_back(s);
  return {.serial = requests_[x.id].serial, .id = x.id, .shared = x.shared};
}

void SkipReplica::release(const Leaving& leaving) {
  if (leaving.shared > 0) free_ += cache_.release(names(leaving.id, 0, leaving.shared));
}

void SkipReplica::preempt_for_decodes() {
  for (std::int32_t s = head_; s >= 0; s = slot(s).after) {
    if (block_.within(slot(s).base + step_) != 0) continue;
    while (free_ == 0)
      if (preempt_tail() == s) return;
    take_blocks(1);
  }
}

// Returns the slot that is gone, or -1 if the victim was the half-done prompt.
std::int32_t SkipReplica::preempt_tail() {
  if (has_partial_) {
    preempt_partial();
    return -1;
  }
  const std::int32_t s = tail_;
  Request& request = requests_[slot(s).id];
  request.generated = request.output - static_cast<std::int32_t>(slot(s).finish - step_);
  request.latest = clock_;
  const Leaving leaving = detach(s);
  release(leaving);
  victims_.push_back({.id = leaving.id,
                      .generated = request.generated,
                      .target = request.prompt + request.generated});
  ++work_.preemptions;
  return s;
}

void SkipReplica::preempt_partial() {
  free_ += block_.blocks_for(partial_.done) - partial_.shared;
  release({.id = partial_.id, .shared = partial_.shared});
  partial_.done = partial_.shared = 0;
  victims_.push_back(partial_);
  has_partial_ = false;
  ++work_.preemptions;
}

// How many steps of the run in flight are complete at `now`.
std::int64_t SkipReplica::steps_done(Ticks now) const {
  const Ticks gap = now - clock_;
  const auto growth = static_cast<double>(plan_.growth);
  const double p = static_cast<double>(plan_.first) - 0.5 * growth;
  const auto g = static_cast<double>(gap);
  auto k = static_cast<std::int64_t>(2.0 * g / (p + std::sqrt(p * p + 2.0 * growth * g)));
  k = std::min(k, plan_.steps);
  while (k > 0 && plan_.time(k) > gap) --k;
  while (k < plan_.steps && plan_.time(k + 1) <= gap) ++k;
  return k;
}

void SkipReplica::evict_all(Ticks now, std::vector<std::int32_t>& out) {
  if (const std::int64_t done = plan_.kind == Plan::Kind::kRun ? steps_done(now) : 0; done > 0)
    advance(done, plan_.time(done));
  for (std::int32_t s = head_; s >= 0; s = slot(s).after) {
    Request& request = requests_[slot(s).id];
    request.generated = request.output - static_cast<std::int32_t>(slot(s).finish - step_);
    request.latest = clock_;
    out.push_back(slot(s).id);
  }
  for (const Prompt& prompt : joining_) out.push_back(prompt.id);
  if (has_partial_) out.push_back(partial_.id);
  for (; !is_queue_empty(); queue_pop()) out.push_back(queue_front().id);
  while (head_ >= 0) detach(head_);
  joining_.clear();
  has_partial_ = false;
  cache_.clear();
  free_ = rules_.kv_blocks;
  load_ = 0;
  plan_ = {};
  clock_ = now;
}

std::int64_t SkipReplica::cached_blocks(std::int32_t id, Ticks now) {
  if (plan_.kind == Plan::Kind::kRun && now > clock_) {
    // Blocks are taken when a step starts; the one that would start now has not been planned.
    const std::int64_t done = steps_done(now);
    const bool is_boundary = plan_.time(done) == now - clock_;
    const std::int64_t started = std::min(plan_.steps, is_boundary ? done : done + 1);
    cache_.drop_idle_to(free_ - blocks_in(started));
  }
  return cache_.match(requests_[id].prefix);
}

ReplicaState SkipReplica::peek(Ticks now) const {
  ReplicaState state{.running = running(),
                     .waiting = static_cast<std::int64_t>(victims_.size() + fresh_.size()),
                     .used_blocks = rules_.kv_blocks - free_,
                     .output_tokens = work_.decode_tokens,
                     .prefill_tokens = work_.prefill_tokens};
  if (plan_.kind == Plan::Kind::kRun) {
    const std::int64_t done = steps_done(now);
    state.output_tokens += done * decodes_;
    state.used_blocks += blocks_in(done);
  }
  return state;
}

}  // namespace loadfactor::serving
