// One replica's scheduler, token by token: every policy, nothing clever.
//
// It runs what breaks the lockstep of SkipReplica: priorities, swapping, time-outs, prompts in
// steps of their own, prefill and decode apart. Same face, same rules where both can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "serving/simulator/policy.h"
#include "serving/simulator/prefix_cache.h"
#include "serving/simulator/recorder.h"
#include "serving/simulator/replica_state.h"
#include "serving/simulator/request.h"

namespace loadfactor::serving {

class PlainReplica {
 public:
  PlainReplica(int index, const GroupRules& rules, RequestTable& requests, Recorder& recorder);

  void run_until(Ticks now);
  bool accepts(std::int32_t id) const;
  void enqueue(std::int32_t id, Ticks now);
  void evict_all(Ticks now, std::vector<std::int32_t>& out);
  // The client leaves: at once where it waits, with the step in flight where it runs.
  void cancel(std::int32_t id, Ticks now);

  std::int64_t load() const { return load_; }
  Ticks next_event() const {
    if (is_stepping_) return step_end_;
    return load_ > 0 && !is_blocked_ ? clock_ + 1 : sim::kNever;
  }
  Ticks clock() const { return clock_; }
  std::int64_t cached_blocks(std::int32_t id, Ticks now);
  ReplicaState peek(Ticks now) const;
  const WorkCounters& work() const { return work_; }

  // Requests whose prompt is done and that decode elsewhere, since this was last emptied.
  std::vector<std::int32_t>& handed_on() { return handed_on_; }
  // The KV blocks of such a request have been read, or will not be: they are free again.
  void let_go(std::int32_t id, Ticks now);
  bool is_holding() const { return !held_.empty(); }

 private:
  struct Entry {
    std::int32_t id = 0;
    std::int32_t generated = 0;
    std::int64_t computed = 0;  // Tokens whose KV is in memory.
    std::int64_t owned = 0;     // Blocks of its own.
    std::int64_t shared = 0;    // Blocks it holds in the prefix cache.
    std::int64_t chunk = 0;     // Tokens in the step in flight.
    std::int64_t on_host = 0;   // Blocks swapped out.
    Ticks latest = 0;           // Its last token.
    bool is_decoding = false;   // Has emitted since it was last admitted.
    bool is_cancelled = false;
  };
  struct Leaving {
    Entry entry;
    enum class Way : std::uint8_t { kEnded, kHandedOn, kCancelled } way = Way::kEnded;
  };

  const Request& request(const Entry& e) const { return requests_[e.id]; }
  std::int64_t to_compute(const Entry& e) const {
    return request(e).prompt + e.generated - e.computed;
  }
  bool reserves() const { return rules_.preemption == Preemption::kReserve; }
  std::span<const std::uint64_t> names(const Entry& e, std::int64_t from, std::int64_t to) const;
  bool comes_before(const Entry& a, const Entry& b) const;

  void schedule();
  void schedule_running();
  void schedule_prompts();
  bool give_running(std::size_t& i);
  void swap_in();
  void admit();
  bool admit_from(std::deque<Entry>::iterator head);
  std::int64_t seen_from() const;
  std::deque<Entry>::iterator first_seen();
  std::int64_t foreseen_blocks(const Entry& head) const;
  void take_blocks(Entry& e, std::int64_t count);
  void take_chunk(Entry& e, std::int64_t chunk);
  std::size_t find_victim() const;
  void preempt(std::size_t victim);
  void drop_blocks(Entry& e);
  void put_back(Entry e);

  Ticks step_time();
  void finish_step();
  void publish(Entry& e);
  void emit(Entry& e);
  void leave(Leaving& leaving);
  void unblock(Ticks now);

  const int index_;
  const SchedulerRules rules_;
  const sim::StepTable& steps_;
  const BlockSize block_;
  const bool hands_on_;
  RequestTable& requests_;
  Recorder& recorder_;

  Ticks clock_ = 0;
  Ticks step_end_ = 0;
  bool is_stepping_ = false;
  bool is_blocked_ = false;  // Blocks that are being read leave no room for anybody.
  bool has_preempted_ = false;
  std::int64_t budget_ = 0;
  std::int64_t free_;  // KV blocks that nobody holds.
  std::int64_t host_free_;
  std::int64_t load_ = 0;
  sim::StepTotals totals_;
  std::vector<Entry> running_;  // Ordered by admission.
  std::deque<Entry> waiting_;
  std::deque<Entry> swapped_;
  std::vector<Leaving> leaving_;
  std::vector<std::int32_t> handed_on_;
  std::vector<Entry> held_;  // Handed on, with their KV blocks still to be read.
  PrefixCache cache_;
  WorkCounters work_;
};

}  // namespace loadfactor::serving
