// The schedule of one step.
#include "serving/simulator/plain_replica.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace loadfactor::serving {

PlainReplica::PlainReplica(int index, const GroupRules& rules, RequestTable& requests,
                           Recorder& recorder)
    : index_(index),
      rules_(rules.scheduler),
      steps_(*rules.steps),
      block_(rules.scheduler.block_tokens),
      hands_on_(rules.decode_group >= 0),
      requests_(requests),
      recorder_(recorder),
      free_(rules.scheduler.kv_blocks),
      host_free_(rules.scheduler.host_blocks) {}

void PlainReplica::run_until(Ticks now) {
  for (;;) {
    if (!is_stepping_) {
      if (load_ == 0 || is_blocked_ || clock_ >= now || recorder_.should_stop()) return;
      schedule();
      const Ticks time = step_time();
      is_blocked_ = time == 0;
      LF_CHECK(!is_blocked_ || is_holding(), "a step without work");
      if (is_blocked_) return;
      step_end_ = clock_ + time;
      is_stepping_ = true;
    }
    if (step_end_ > now) return;
    finish_step();
  }
}

bool PlainReplica::accepts(std::int32_t id) const {
  if (rules_.max_waiting > 0 && std::ssize(waiting_) >= rules_.max_waiting) return false;
  return can_ever_fit(rules_, block_, requests_[id].prompt, requests_[id].output);
}

void PlainReplica::enqueue(std::int32_t id, Ticks now) {
  if (load_++ == 0 && !is_stepping_) clock_ = std::max(clock_, now);
  unblock(now);
  requests_[id].seen_from = seen_from();
  const Entry entry{.id = id, .generated = requests_[id].generated, .latest = requests_[id].latest};
  if (!rules_.has_priorities) {
    waiting_.push_back(entry);
    return;
  }
  put_back(entry);
}

// The step that an arrival of this instant can be in: where steps are settled ahead and others run,
// it misses the one that follows.
std::int64_t PlainReplica::seen_from() const {
  if (!rules_.schedules_ahead) return 0;
  if (is_stepping_) return work_.steps + 2;
  return work_.steps + (running_.empty() && swapped_.empty() ? 0 : 1);
}

// The first in the queue that this step is settled with: in order of arrival nobody behind one that
// is not seen is.
std::deque<PlainReplica::Entry>::iterator PlainReplica::first_seen() {
  const auto is_seen = [this](const Entry& e) { return request(e).seen_from <= work_.steps; };
  const auto last = rules_.has_priorities ? waiting_.end() : waiting_.begin() + 1;
  const auto seen = std::find_if(waiting_.begin(), last, is_seen);
  return seen == last ? waiting_.end() : seen;
}

std::span<const std::uint64_t> PlainReplica::names(const Entry& e, std::int64_t from,
                                                   std::int64_t to) const {
  return std::span(request(e).prefix)
      .subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
}

bool PlainReplica::comes_before(const Entry& a, const Entry& b) const {
  return std::tuple(request(a).priority, request(a).serial) <
         std::tuple(request(b).priority, request(b).serial);
}

void PlainReplica::schedule() {
  ++work_.events;
  totals_ = {};
  budget_ = rules_.token_budget;
  has_preempted_ = false;
  if (rules_.batching == Batching::kPrefillFirst) {
    schedule_prompts();
    if (budget_ < rules_.token_budget) return;
    budget_ = std::max(rules_.token_budget, rules_.max_seqs);
  }
  schedule_running();
  if (has_preempted_) return;
  swap_in();
  if (rules_.batching == Batching::kMixed) admit();
}

void PlainReplica::schedule_prompts() {
  for (Entry& e : running_) {
    if (e.is_decoding || budget_ == 0) continue;
    take_chunk(e, std::min(to_compute(e), budget_));
  }
  admit();
}

void PlainReplica::schedule_running() {
  for (std::size_t i = 0; i < running_.size() && budget_ > 0;)
    if (give_running(i)) ++i;
}

// Gives running_[i] its tokens, preempting others until it has the blocks. `i` follows it when
// one before it goes. False if it was preempted itself; the next one then stands there.
bool PlainReplica::give_running(std::size_t& i) {
  const std::int64_t chunk = std::min(to_compute(running_[i]), budget_);
  const auto need = [&] {
    const Entry& e = running_[i];
    return reserves() ? 0 : block_.blocks_for(e.computed + chunk) - e.owned - e.shared;
  };
  while (free_ < need()) {
    const std::size_t victim = find_victim();
    budget_ += running_[victim].chunk;
    preempt(victim);
    has_preempted_ = true;
    if (victim == i) return false;
    if (victim < i) --i;
  }
  take_chunk(running_[i], chunk);
  return true;
}

void PlainReplica::swap_in() {
  while (!swapped_.empty() && budget_ > 0 && std::ssize(running_) < rules_.max_seqs) {
    Entry e = swapped_.front();
    const std::int64_t spared = running_.empty() ? 0 : rules_.watermark_blocks;
    if (block_.blocks_for(e.computed + 1) + spared > free_) return;
    swapped_.pop_front();
    host_free_ += e.on_host;
    totals_.swapped_blocks += e.on_host;
    e.on_host = 0;
    take_chunk(e, 1);
    running_.push_back(e);
  }
}

void PlainReplica::admit() {
  if (!swapped_.empty()) return;
  const bool is_idle = running_.empty();  // Nobody waits for an empty step.
  while (!waiting_.empty() && budget_ > 0 && std::ssize(running_) < rules_.max_seqs) {
    const auto head = is_idle ? waiting_.begin() : first_seen();
    if (head == waiting_.end() || !admit_from(head)) return;
  }
}

bool PlainReplica::admit_from(std::deque<Entry>::iterator head) {
  Entry e = *head;
  const Request& r = request(e);
  const std::int64_t target = r.prompt + e.generated;
  std::int64_t hits = 0;
  if (r.has_cache) {
    e.computed = target - 1;
    e.is_decoding = true;
  } else if (rules_.has_prefix_cache) {
    hits = std::min(cache_.match(r.prefix), block_.full_blocks(target - 1));
    e.computed = hits * block_.tokens();
  }
  const std::int64_t whole =
      reserves() ? most_blocks(block_, r.prompt, r.output) : block_.blocks_for(target);
  std::int64_t need = whole - hits + cache_.idle_among(names(e, 0, hits));
  if (!running_.empty() && !reserves()) need += rules_.watermark_blocks + foreseen_blocks(e);
  if (need > free_) return false;
  waiting_.erase(head);
  free_ -= cache_.hold(names(e, 0, hits));
  e.shared = hits;
  if (!r.has_cache) work_.cache_hit_tokens += e.computed;
  if (reserves()) take_blocks(e, whole - hits);
  take_chunk(e, std::min(to_compute(e), budget_));
  running_.push_back(e);
  return true;
}

// Room for a share of what the running requests and this one have still to say.
std::int64_t PlainReplica::foreseen_blocks(const Entry& head) const {
  if (rules_.reserve_permille == 0) return 0;
  std::int64_t tokens = request(head).output - head.generated;
  for (const Entry& e : running_) tokens += request(e).output - e.generated;
  return block_.blocks_for(tokens * rules_.reserve_permille / 1000);
}

void PlainReplica::take_blocks(Entry& e, std::int64_t count) {
  e.owned += count;
  free_ -= count;
  if (rules_.has_prefix_cache) cache_.drop_idle_to(free_);
}

void PlainReplica::take_chunk(Entry& e, std::int64_t chunk) {
  if (!reserves()) take_blocks(e, block_.blocks_for(e.computed + chunk) - e.owned - e.shared);
  e.chunk = chunk;
  budget_ -= chunk;
}

std::size_t PlainReplica::find_victim() const {
  const auto worse = [this](const Entry& a, const Entry& b) {
    if (rules_.has_priorities) return comes_before(b, a);
    if (rules_.victims == VictimOrder::kLastAdmitted) return &a > &b;
    return std::tuple(-a.generated, request(a).prompt, request(a).serial) >
           std::tuple(-b.generated, request(b).prompt, request(b).serial);
  };
  std::size_t victim = 0;
  for (std::size_t i = 1; i < running_.size(); ++i)
    if (worse(running_[i], running_[victim])) victim = i;
  return victim;
}

void PlainReplica::preempt(std::size_t victim) {
  Entry e = running_[victim];
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(victim));
  ++work_.preemptions;
  const std::int64_t kept = block_.blocks_for(e.computed);
  e.chunk = 0;
  drop_blocks(e);
  if (rules_.preemption == Preemption::kSwap && e.is_decoding && kept <= host_free_) {
    host_free_ -= kept;
    e.on_host = kept;
    totals_.swapped_blocks += kept;
    swapped_.push_back(e);
    return;
  }
  e.computed = 0;
  e.is_decoding = false;
  requests_[e.id].generated = e.generated;
  requests_[e.id].has_cache = false;
  put_back(e);
}

void PlainReplica::drop_blocks(Entry& e) {
  free_ += e.owned + cache_.release(names(e, 0, e.shared));
  e.owned = e.shared = 0;
}

// Into the queue: in front, or where its priority puts it.
void PlainReplica::put_back(Entry e) {
  if (!rules_.has_priorities) return waiting_.push_front(e);
  const auto place =
      std::upper_bound(waiting_.begin(), waiting_.end(), e,
                       [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
  waiting_.insert(place, e);
}

Ticks PlainReplica::step_time() {
  for (const Entry& e : running_) {
    if (e.chunk == 0) continue;
    if (e.is_decoding) {
      ++totals_.decodes;
      totals_.context += e.computed + 1;
      continue;
    }
    ++totals_.chunks;
    totals_.tokens += e.chunk;
    totals_.cached += e.computed;
    totals_.area += e.chunk * (2 * e.computed + e.chunk);
  }
  return steps_.step_time(totals_);
}

}  // namespace loadfactor::serving
