// The end of a step, and what reaches a replica from outside.
#include <algorithm>

#include "serving/simulator/plain_replica.h"

namespace loadfactor::serving {

void PlainReplica::finish_step() {
  ++work_.steps;
  work_.busy += step_end_ - clock_;
  work_.decode_tokens += totals_.decodes;
  work_.context_tokens += totals_.context;
  work_.prefill_tokens += totals_.tokens;
  work_.prefill_area += totals_.area;
  work_.swapped_blocks += totals_.swapped_blocks;
  recorder_.span({.replica = index_,
                  .decodes = totals_.decodes,
                  .steps = 1,
                  .prefill_tokens = totals_.tokens,
                  .begin = clock_,
                  .end = step_end_});
  clock_ = step_end_;
  is_stepping_ = false;
  for (Entry& e : running_) publish(e);
  leaving_.clear();
  std::size_t kept = 0;
  for (Entry& e : running_) {
    emit(e);
    if (!leaving_.empty() && leaving_.back().entry.id == e.id) continue;
    running_[kept++] = e;
  }
  running_.resize(kept);
  std::sort(leaving_.begin(), leaving_.end(), [this](const Leaving& a, const Leaving& b) {
    return request(a.entry).serial < request(b.entry).serial;
  });
  for (Leaving& leaving : leaving_) leave(leaving);
}

// Counts the chunk as computed, and makes full blocks of the prompt known.
void PlainReplica::publish(Entry& e) {
  const bool emits = e.chunk > 0 && e.chunk == to_compute(e);
  e.computed += e.chunk;
  e.chunk = emits ? -1 : 0;
  if (!rules_.has_prefix_cache || e.is_decoding) return;
  const std::int64_t known =
      std::min<std::int64_t>(std::ssize(request(e).prefix), block_.full_blocks(e.computed));
  if (known <= e.shared) return;
  free_ += cache_.publish(names(e, e.shared, known));
  e.owned -= known - e.shared;
  e.shared = known;
}

// A token, if the step gave one; whoever has no more to say here is put on the list.
void PlainReplica::emit(Entry& e) {
  const bool emits = e.chunk < 0;
  e.chunk = 0;
  if (emits) {
    e.is_decoding = true;
    if (++e.generated == 1)
      recorder_.first_token(e.id, clock_);
    else
      recorder_.gap(clock_ - e.latest);
    e.latest = clock_;
    if (e.generated == request(e).output) {
      leaving_.push_back({e, Leaving::Way::kEnded});
      return;
    }
  }
  if (e.is_cancelled)
    leaving_.push_back({e, Leaving::Way::kCancelled});
  else if (emits && hands_on_)
    leaving_.push_back({e, Leaving::Way::kHandedOn});
}

void PlainReplica::leave(Leaving& leaving) {
  Entry& e = leaving.entry;
  if (leaving.way != Leaving::Way::kHandedOn) drop_blocks(e);
  --load_;
  switch (leaving.way) {
    case Leaving::Way::kEnded:
      return recorder_.end(e.id, clock_);
    case Leaving::Way::kCancelled:
      return recorder_.cancel(e.id, clock_);
    case Leaving::Way::kHandedOn:
      break;
  }
  requests_[e.id].generated = e.generated;
  requests_[e.id].latest = e.latest;
  requests_[e.id].has_cache = true;
  held_.push_back(e);
  handed_on_.push_back(e.id);
}

void PlainReplica::let_go(std::int32_t id, Ticks now) {
  const auto held =
      std::find_if(held_.begin(), held_.end(), [id](const Entry& e) { return e.id == id; });
  drop_blocks(*held);
  held_.erase(held);
  unblock(now);
}

// Something has changed: whoever found no room may look again.
void PlainReplica::unblock(Ticks now) {
  if (!is_blocked_) return;
  is_blocked_ = false;
  clock_ = std::max(clock_, now);
}

void PlainReplica::cancel(std::int32_t id, Ticks now) {
  const auto is_it = [id](const Entry& e) { return e.id == id; };
  const auto runs = std::find_if(running_.begin(), running_.end(), is_it);
  if (runs != running_.end() && is_stepping_) {
    runs->is_cancelled = true;
    return;
  }
  if (runs != running_.end()) {
    drop_blocks(*runs);
    running_.erase(runs);
  } else if (const auto waits = std::find_if(waiting_.begin(), waiting_.end(), is_it);
             waits != waiting_.end()) {
    waiting_.erase(waits);
  } else {
    const auto swapped = std::find_if(swapped_.begin(), swapped_.end(), is_it);
    host_free_ += swapped->on_host;
    swapped_.erase(swapped);
  }
  --load_;
  unblock(now);
  recorder_.cancel(id, now);
}

void PlainReplica::evict_all(Ticks now, std::vector<std::int32_t>& out) {
  const auto let_out = [&](const Entry& e) {
    Request& r = requests_[e.id];
    r.generated = e.generated;
    r.latest = e.latest;
    r.has_cache = false;
    r.transfer = 0;
    if (e.is_cancelled) {
      recorder_.cancel(e.id, now);
      return;
    }
    out.push_back(e.id);
  };
  for (const Entry& e : running_) let_out(e);
  for (const Entry& e : swapped_) let_out(e);
  for (const Entry& e : waiting_) let_out(e);
  for (const Entry& e : held_) let_out(e);
  running_.clear();
  swapped_.clear();
  waiting_.clear();
  held_.clear();
  cache_.clear();
  free_ = rules_.kv_blocks;
  host_free_ = rules_.host_blocks;
  load_ = 0;
  is_stepping_ = is_blocked_ = false;
  clock_ = now;
}

std::int64_t PlainReplica::cached_blocks(std::int32_t id, Ticks /*now*/) {
  return cache_.match(requests_[id].prefix);
}

ReplicaState PlainReplica::peek(Ticks /*now*/) const {
  return {.running = std::ssize(running_),
          .waiting = std::ssize(waiting_) + std::ssize(swapped_),
          .used_blocks = rules_.kv_blocks - free_,
          .output_tokens = work_.decode_tokens,
          .prefill_tokens = work_.prefill_tokens};
}

}  // namespace loadfactor::serving
