// A replica that defines "right": token by token, one visible loop per rule, every sum taken
// anew each time. Slow on purpose. It shares no scheduling code with the simulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <vector>

#include "serving/simulator/policy.h"

namespace loadfactor::serving::testing {

struct ReferenceRequest {
  int number = 0;
  Ticks arrival = 0;
  std::int64_t prompt = 1, output = 1, session = 0;
  int model = 0, priority = 0;
  Ticks patience = sim::kNever;
  std::vector<std::uint64_t> prefix;

  std::int64_t generated = 0;  // Tokens out.
  std::int64_t computed = 0;   // Tokens whose KV is on the device or, swapped, on the host.
  std::int64_t blocks = 0;     // Blocks on the device, shared ones included.
  std::int64_t shared = 0;
  std::int64_t host_blocks = 0;
  std::int64_t chunk = 0;
  std::int64_t joins = 0;  // The step of its replica that it can be in at the soonest.
  bool decoding = false, leaving = false, brings_cache = false;

  Ticks first = -1, end = -1;
  int outcome = -1;  // 0 served, 1 turned away, 2 cancelled.
  std::int64_t missing() const { return prompt + generated - computed; }
};

class ReferenceReplica {
 public:
  ReferenceReplica(const GroupRules& group, std::vector<ReferenceRequest>& all)
      : rules(group.scheduler), table(*group.steps), hands_on(group.decode_group >= 0), all_(all) {}

  const SchedulerRules rules;
  const sim::StepTable& table;
  const bool hands_on;
  std::vector<int> running;  // Request numbers in the order of admission.
  std::deque<int> waiting, swapped;
  std::vector<int> held;  // Handed on; their blocks are being read by another replica.
  bool stepping = false;
  Ticks step_end = 0;
  std::int64_t steps = 0, preemptions = 0;

  std::int64_t load() const {
    return static_cast<std::int64_t>(running.size() + waiting.size() + swapped.size());
  }
  bool accepts(int r) const {
    if (rules.max_waiting > 0 && std::ssize(waiting) >= rules.max_waiting) return false;
    const auto& x = at(r);
    if (rules.max_context > 0 && x.prompt + x.output > rules.max_context) return false;
    return blocks_of(x.prompt + x.output - 1) <= rules.kv_blocks;
  }
  void enqueue(int r) {
    // A step in flight has settled the next one; so has the one that ends at this instant.
    const bool works = !running.empty() || !swapped.empty();
    at(r).joins = steps + (stepping ? 2 : works ? 1 : 0);
    waiting.push_back(r);
    sort_waiting();
  }
  std::int64_t cached(int r) const {
    std::int64_t count = 0;
    while (count < std::ssize(at(r).prefix) && users_.count(name(r, count)) > 0) ++count;
    return count;
  }

  void start_step(Ticks now) {
    budget_ = rules.token_budget;
    swapped_blocks_ = 0;
    for (const int r : running) at(r).chunk = 0;
    if (rules.batching == Batching::kPrefillFirst) {
      for (const int r : running)
        if (!at(r).decoding) give(r, std::min(at(r).missing(), budget_));
      admit_waiting();
      if (budget_ == rules.token_budget) {
        budget_ = std::max(budget_, std::int64_t{rules.max_seqs});  // It bounds prompts alone.
        if (serve_running()) swap_back();
      }
    } else if (serve_running()) {
      swap_back();
      admit_waiting();
    }
    step_end = now + step_time();
    if (step_end <= now && held.empty()) throw std::logic_error("a step without work");
    stepping = step_end > now;
  }
  void let_go(int r) {
    drop_blocks(r);
    std::erase(held, r);
  }

  // Returns who ended, who is handed on and who was cancelled, in the order of their numbers.
  struct Ended {
    std::vector<int> served, handed_on, cancelled;
  };
  Ended end_step() {
    stepping = false;
    ++steps;
    std::vector<int> emitting;
    for (const int r : running) {
      auto& x = at(r);
      if (x.chunk > 0 && x.chunk == x.missing()) emitting.push_back(r);
      x.computed += x.chunk;
      x.chunk = 0;
      if (!x.decoding) make_known(r);
    }
    for (const int r : emitting) {
      auto& x = at(r);
      x.decoding = true;
      if (++x.generated == 1) x.first = step_end;
    }
    Ended ended;
    for (int r = 0; r < static_cast<int>(all_.size()); ++r) {
      if (std::find(running.begin(), running.end(), r) == running.end()) continue;
      const bool emits = std::find(emitting.begin(), emitting.end(), r) != emitting.end();
      if (emits && at(r).generated == at(r).output)
        ended.served.push_back(r);
      else if (at(r).leaving)
        ended.cancelled.push_back(r);
      else if (emits && hands_on)
        ended.handed_on.push_back(r);
      else
        continue;
      std::erase(running, r);
      if (!ended.handed_on.empty() && ended.handed_on.back() == r)
        held.push_back(r);
      else
        drop_blocks(r);
    }
    return ended;
  }

  // True if the request is gone at once.
  bool cancel(int r) {
    if (stepping && std::count(running.begin(), running.end(), r) > 0) {
      at(r).leaving = true;
      return false;
    }
    drop_blocks(r);
    at(r).host_blocks = 0;
    std::erase(running, r);
    std::erase(waiting, r);
    std::erase(swapped, r);
    return true;
  }
  std::vector<int> lose_all() {
    std::vector<int> out(running);
    out.insert(out.end(), swapped.begin(), swapped.end());
    out.insert(out.end(), waiting.begin(), waiting.end());
    out.insert(out.end(), held.begin(), held.end());
    for (const int r : out) {
      at(r).computed = at(r).blocks = at(r).shared = at(r).host_blocks = at(r).chunk = 0;
      at(r).decoding = at(r).brings_cache = false;
    }
    running.clear(), swapped.clear(), waiting.clear(), held.clear();
    users_.clear(), idle_.clear();
    stepping = false;
    return out;
  }
  std::int64_t free_blocks() const {
    std::int64_t used = 0;
    for (const int r : running) used += at(r).blocks - at(r).shared;
    for (const int r : held) used += at(r).blocks - at(r).shared;
    for (const auto& [block, users] : users_) used += users > 0 ? 1 : 0;
    return rules.kv_blocks - used;
  }

 private:
  ReferenceRequest& at(int r) { return all_[static_cast<std::size_t>(r)]; }
  const ReferenceRequest& at(int r) const { return all_[static_cast<std::size_t>(r)]; }
  std::uint64_t name(int r, std::int64_t i) const {
    return at(r).prefix[static_cast<std::size_t>(i)];
  }
  std::int64_t blocks_of(std::int64_t tokens) const {
    return (tokens + rules.block_tokens - 1) / rules.block_tokens;
  }
  bool reserving() const { return rules.preemption == Preemption::kReserve; }

  void give(int r, std::int64_t chunk) {
    auto& x = at(r);
    x.chunk = chunk;
    budget_ -= chunk;
    if (!reserving()) x.blocks = blocks_of(x.computed + chunk);
    check_cache();
  }
  // Idle blocks make room for held ones, the longest idle first.
  void check_cache() {
    if (free_blocks() < 0) throw std::logic_error("more blocks in use than there are");
    while (std::ssize(idle_) > free_blocks()) {
      users_.erase(idle_.front());
      idle_.pop_front();
    }
  }

  // Running requests in order; false if somebody had to go.
  bool serve_running() {
    bool all_stay = true;
    std::vector<int> order(running);
    for (const int r : order) {
      if (std::find(running.begin(), running.end(), r) == running.end()) continue;
      if (budget_ == 0) break;
      const std::int64_t chunk = std::min(at(r).missing(), budget_);
      const auto lacking = [&] {
        return !reserving() && blocks_of(at(r).computed + chunk) - at(r).blocks > free_blocks();
      };
      bool is_victim = false;
      while (lacking() && !is_victim) {
        const int victim = pick_victim();
        budget_ += at(victim).chunk;
        preempt(victim);
        all_stay = false;
        is_victim = victim == r;
      }
      if (!is_victim) give(r, chunk);
    }
    return all_stay;
  }
  int pick_victim() const {
    int victim = running.back();
    if (rules.has_priorities) {
      for (const int r : running)
        if (at(r).priority > at(victim).priority ||
            (at(r).priority == at(victim).priority && r > victim))
          victim = r;
    } else if (rules.victims == VictimOrder::kFewestGenerated) {
      for (const int r : running) {
        const auto &a = at(r), &b = at(victim);
        if (a.generated != b.generated ? a.generated < b.generated
            : a.prompt != b.prompt     ? a.prompt > b.prompt
                                       : r > victim)
          victim = r;
      }
    }
    return victim;
  }
  void preempt(int r) {
    ++preemptions;
    auto& x = at(r);
    const std::int64_t kept = blocks_of(x.computed);
    x.chunk = 0;
    drop_blocks(r);
    std::erase(running, r);
    std::int64_t on_host = 0;
    for (const int s : swapped) on_host += at(s).host_blocks;
    if (rules.preemption == Preemption::kSwap && x.decoding &&
        on_host + kept <= rules.host_blocks) {
      x.host_blocks = kept;
      swapped_blocks_ += kept;
      swapped.push_back(r);
      return;
    }
    x.computed = 0;
    x.decoding = x.brings_cache = false;
    waiting.push_front(r);
    sort_waiting();
  }
  void swap_back() {
    while (!swapped.empty() && budget_ > 0 && std::ssize(running) < rules.max_seqs) {
      const int r = swapped.front();
      const std::int64_t spare = running.empty() ? 0 : rules.watermark_blocks;
      if (blocks_of(at(r).computed + 1) + spare > free_blocks()) break;
      swapped.pop_front();
      swapped_blocks_ += at(r).host_blocks;
      at(r).host_blocks = 0;
      running.push_back(r);
      give(r, 1);
    }
  }
  void admit_waiting() {
    const bool nobody_runs = running.empty();
    while (swapped.empty() && !waiting.empty() && budget_ > 0 &&
           std::ssize(running) < rules.max_seqs) {
      int r = -1;
      for (const int w : waiting)
        if (r < 0 && (nobody_runs || !rules.schedules_ahead || at(w).joins <= steps)) r = w;
      if (r < 0) break;
      auto& x = at(r);
      std::int64_t hits = 0;
      if (rules.has_prefix_cache && !x.brings_cache)
        hits = std::min(cached(r), (x.prompt + x.generated - 1) / rules.block_tokens);
      std::int64_t waking = 0;  // Hits that nobody uses now: they count as free and will not be.
      for (std::int64_t i = 0; i < hits; ++i) waking += users_.at(name(r, i)) == 0 ? 1 : 0;
      const std::int64_t whole =
          blocks_of(reserving() ? x.prompt + x.output - 1 : x.prompt + x.generated);
      std::int64_t wanted = whole - hits + waking;
      if (!running.empty() && !reserving()) {
        std::int64_t to_come = x.output - x.generated;
        for (const int o : running) to_come += at(o).output - at(o).generated;
        wanted += rules.watermark_blocks + blocks_of(to_come * rules.reserve_permille / 1000);
      }
      if (wanted > free_blocks()) break;
      std::erase(waiting, r);
      for (std::int64_t i = 0; i < hits; ++i) use(name(r, i));
      x.blocks = x.shared = hits;
      x.computed = x.brings_cache ? x.prompt + x.generated - 1 : hits * rules.block_tokens;
      x.decoding = x.brings_cache;
      running.push_back(r);
      if (reserving()) x.blocks = whole;
      give(r, std::min(x.missing(), budget_));
    }
  }
  void use(std::uint64_t block) {
    if (users_[block]++ == 0) std::erase(idle_, block);
  }
  // Full blocks of the prompt that are computed now become everybody's.
  void make_known(int r) {
    auto& x = at(r);
    if (!rules.has_prefix_cache) return;
    while (x.shared < std::ssize(x.prefix) && (x.shared + 1) * rules.block_tokens <= x.computed)
      use(name(r, x.shared++));
  }
  void drop_blocks(int r) {
    auto& x = at(r);
    while (x.shared > 0) {
      --x.shared;
      if (--users_.at(name(r, x.shared)) == 0) idle_.push_back(name(r, x.shared));
    }
    x.blocks = 0;
  }
  void sort_waiting() {
    if (!rules.has_priorities) return;
    std::sort(waiting.begin(), waiting.end(), [this](int a, int b) {
      return at(a).priority != at(b).priority ? at(a).priority < at(b).priority : a < b;
    });
  }
  Ticks step_time() const {
    sim::StepTotals totals;
    totals.swapped_blocks = swapped_blocks_;
    for (const int r : running) {
      const auto& x = at(r);
      if (x.chunk == 0) continue;
      if (x.decoding) {
        totals.decodes += 1;
        totals.context += x.computed + 1;
      } else {
        totals.chunks += 1;
        totals.tokens += x.chunk;
        totals.cached += x.computed;
        totals.area += x.chunk * (2 * x.computed + x.chunk);
      }
    }
    return table.step_time(totals);
  }

  std::vector<ReferenceRequest>& all_;
  std::int64_t budget_ = 0, swapped_blocks_ = 0;
  std::map<std::uint64_t, int> users_;  // Users of every block that is known.
  std::deque<std::uint64_t> idle_;      // Known blocks without users, oldest first.
};

}  // namespace loadfactor::serving::testing
