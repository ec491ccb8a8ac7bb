// Planning: the scheduler's decision, and how long it holds.
#include "serving/simulator/skip_replica.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::serving {
namespace {

// They keep the sum of a run inside 64 bits. Cutting a run is always safe (I5).
constexpr std::int64_t kLongestRun = 1 << 15;
constexpr double kLongestSpan = 72.0 * static_cast<double>(sim::kHour);
constexpr double kSlowStep = kLongestSpan / static_cast<double>(kLongestRun);

}  // namespace

SkipReplica::SkipReplica(int index, const GroupRules& rules, RequestTable& requests,
                         Recorder& recorder)
    : index_(index),
      rules_(rules.scheduler),
      steps_(*rules.steps),
      block_(rules.scheduler.block_tokens),
      requests_(requests),
      recorder_(recorder),
      free_(rules.scheduler.kv_blocks),
      slots_(static_cast<std::size_t>(rules.scheduler.max_seqs)),
      wheel_(static_cast<std::size_t>(rules.scheduler.max_seqs)) {
  for (std::int32_t s = rules_.max_seqs; s-- > 0;) idle_slots_.push_back(s);
}

std::span<const std::uint64_t> SkipReplica::names(std::int32_t id, std::int64_t from,
                                                  std::int64_t to) const {
  return std::span(requests_[id].prefix)
      .subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
}

// Its parts are compiled into it: a plan takes fewer instructions than the calls would.
void SkipReplica::make_plan() {
  ++work_.events;
  prefill_ = {};
  bool is_single = false;  // The decision holds for one step only.
  const std::int64_t due = reserves() ? 0 : due_at(step_);
  if (due > free_) [[unlikely]] {
    preempt_for_decodes();
    is_single = true;
  } else if (has_partial_ || (!is_queue_empty() && decodes_ < rules_.max_seqs)) {
    take_blocks(due);
    is_single = plan_prefill();
    if (!is_single) free_ += due;  // A run pays for its blocks when it is committed.
  }
  if (!is_single) return plan_run();
  prefill_.decodes = decodes_;
  prefill_.context = context_ + decodes_;
  plan_ = {.kind = Plan::Kind::kSingle, .steps = 1, .first = steps_.step_time(prefill_)};
  plan_.end = clock_ + plan_.first;
}

// The half-done prompt first, then admissions. True if this step does more than decoding.
[[gnu::always_inline]] inline bool SkipReplica::plan_prefill() {
  std::int64_t budget = rules_.token_budget - decodes_;
  const bool is_idle = running() == 0;  // Nobody waits for an empty step.
  if (has_partial_) {
    const std::int64_t chunk = std::min(partial_.target - partial_.done, budget);
    const std::int64_t blocks =
        reserves() ? 0
                   : block_.blocks_for(partial_.done + chunk) - block_.blocks_for(partial_.done);
    if (blocks > free_) {  // The tail of the running order is this request itself.
      preempt_partial();
      return true;  // Nobody is admitted in a step that preempted.
    }
    has_partial_ = false;
    take_chunk(partial_, chunk, blocks, budget);
  }
  while (budget > 0 && running() < rules_.max_seqs && !is_queue_empty()) {
    if (!(is_idle || is_head_seen()) || !admit_head(budget)) break;
  }
  return prefill_.chunks > 0;
}

// Admits the head of the queue if its whole prompt fits now.
[[gnu::always_inline]] inline bool SkipReplica::admit_head(std::int64_t& budget) {
  Prompt p = queue_front();
  std::int64_t hits = 0;
  std::int64_t idle_hits = 0;
  if (rules_.has_prefix_cache) {
    const auto prefix = names(p.id, 0, std::ssize(requests_[p.id].prefix));
    hits = std::min(cache_.match(prefix), block_.full_blocks(p.target - 1));
    idle_hits = cache_.idle_among(names(p.id, 0, hits));
  }
  const std::int64_t need = held_blocks(p.id, p.target) - hits + idle_hits;
  const std::int64_t spared = running() > 0 && !reserves() ? rules_.watermark_blocks : 0;
  if (need + spared > free_) return false;
  queue_pop();
  if (hits > 0) {
    free_ -= cache_.hold(names(p.id, 0, hits));
    p.shared = static_cast<std::int32_t>(hits);
    p.done = hits * block_.tokens();
    work_.cache_hit_tokens += p.done;
  }
  const std::int64_t chunk = std::min(p.target - p.done, budget);
  take_chunk(p, chunk, held_blocks(p.id, p.done + chunk) - hits, budget);
  return true;
}

[[gnu::always_inline]] inline void SkipReplica::take_chunk(Prompt prompt, std::int64_t chunk,
                                                           std::int64_t blocks,
                                                           std::int64_t& budget) {
  take_blocks(blocks);
  budget -= chunk;
  ++prefill_.chunks;
  prefill_.tokens += chunk;
  prefill_.cached += prompt.done;
  prefill_.area += chunk * (2 * prompt.done + chunk);
  prompt.done += chunk;
  if (prompt.done == prompt.target) {
    joining_.push_back(prompt);
    return;
  }
  partial_ = prompt;
  has_partial_ = true;
}

// Decode steps of the same sequences until something can change.
[[gnu::always_inline]] inline void SkipReplica::plan_run() {
  const std::int64_t context = context_ + decodes_;
  const sim::CostPiece& piece = steps_.attention_piece(decodes_, context);
  std::int64_t k = std::min(wheel_.distance(step_), kLongestRun);
  if (!steps_.is_last_piece(decodes_, piece)) {
    const std::int64_t gap = (&piece)[1].from - context;
    if (gap < k * decodes_) k = std::min(k, (gap + decodes_ - 1) / decodes_);
  }
  const bool may_run_out = (block_.full_blocks(k) + 1) * decodes_ > free_;
  if (may_run_out && !reserves()) k = std::min(k, steps_within(free_));
  if (decodes_ < rules_.max_seqs && !is_queue_empty() && !is_head_seen())
    k = std::min(k, requests_[fresh_.front()].seen_from - step_);
  const Ticks first = steps_.decode_base[static_cast<std::size_t>(decodes_)] + piece.cost(context);
  const Ticks growth = piece.slope * decodes_;
  const double last =
      static_cast<double>(first) + static_cast<double>(growth) * static_cast<double>(k);
  if (last > kSlowStep) [[unlikely]]
    k = std::clamp<std::int64_t>(static_cast<std::int64_t>(kLongestSpan / last), 1, k);
  plan_ = {.kind = Plan::Kind::kRun,
           .is_open = is_queue_empty() && decodes_ < rules_.max_seqs,
           .steps = k,
           .first = first,
           .growth = growth};
  plan_.end = clock_ + plan_.time(k);
}

// Who comes while a step runs, or as it ends, misses the next one, which is settled; the run ends
// when that has ended.
void SkipReplica::see_ahead(std::int32_t id, Ticks now) {
  std::int64_t from = step_ + (running() > 0 ? 1 : 0);
  if (plan_.kind != Plan::Kind::kNone) {
    const std::int64_t done = steps_done(now);
    from = step_ + done + (plan_.time(done) == now - clock_ ? 1 : 2);
  }
  requests_[id].seen_from = from;
  if (plan_.kind != Plan::Kind::kRun || !plan_.is_open) return;
  plan_.steps = std::min(plan_.steps, from - step_);
  plan_.end = clock_ + plan_.time(plan_.steps);
}

// Shortens the run to the first step boundary at or after `now`.
void SkipReplica::cut_run(Ticks now) {
  const Ticks gap = now - clock_;
  const Ticks last_step = plan_.first + plan_.growth * (plan_.steps - 1);
  if (gap > plan_.end - clock_ - last_step) return;  // It falls into the last step.
  const auto first = static_cast<double>(plan_.first);
  const auto growth = static_cast<double>(plan_.growth);
  const auto g = static_cast<double>(gap);
  const double p = first - 0.5 * growth;
  // The square root is only a guess; integers decide.
  auto k = static_cast<std::int64_t>(2.0 * g / (p + std::sqrt(p * p + 2.0 * growth * g)));
  k = std::max<std::int64_t>(k, 1);
  while (k > 1 && plan_.time(k - 1) >= gap) --k;
  while (plan_.time(k) < gap) ++k;
  plan_.steps = k;
  plan_.end = clock_ + plan_.time(k);
}

// The most steps that together take no more than `spare` blocks. In every cycle of a block's
// length each sequence takes exactly one; the rest of a cycle is a few additions.
std::int64_t SkipReplica::steps_within(std::int64_t spare) const {
  const std::int64_t cycles = spare / decodes_;
  std::int64_t left = spare - cycles * decodes_;
  std::int64_t k = cycles * block_.tokens();
  while ((left -= due_at(step_ + k)) >= 0) ++k;
  return k;
}

}  // namespace loadfactor::serving
