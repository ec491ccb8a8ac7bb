// One replica's scheduler, paid per event instead of per token, and exact.
//
// Between two events every running sequence decodes one token per step ("lockstep"), because
//  I1  the token budget is at least max_seqs: no decode is ever left out of a step;
//  I2  at most one request is half-way through its prompt, and it is last in running order: a
//      chunk is cut short only when the budget is spent, and then nobody is admitted behind it;
//  I3  preempted requests wait in front of fresh ones: the queue is a stack and a FIFO;
//  I4  a blocked queue head stays blocked until a completion or preemption, because decoding only
//      takes blocks, and taking blocks only shortens what the prefix cache knows;
//  I5  ending a run early at a step boundary changes nothing, ending it late would. So every
//      source of change bounds a run from above: completion, an arrival that could be admitted,
//      blocks, a breakpoint of the cost, the guard against overflow.
//  I6  the block a sequence needs next falls due when its context is a multiple of the block
//      size: counters by residue say how many blocks any number of steps takes.
// Per-sequence state is kept relative to the step counter D and never touched while decoding:
// context_i = base_i + D, the sum of contexts grows by n per step, finish_i is a fixed step.
//
// A plan is the scheduler's decision for the step that starts now and how long it holds; an
// arrival may only cut it; commit applies it. A plan is made only when all arrivals up to its
// start are known, so that any number of replicas run without speculation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "serving/simulator/policy.h"
#include "serving/simulator/prefix_cache.h"
#include "serving/simulator/recorder.h"
#include "serving/simulator/replica_state.h"
#include "serving/simulator/request.h"
#include "sim/finish_wheel.h"
#include "sim/ring_queue.h"

namespace loadfactor::serving {

class SkipReplica {
 public:
  SkipReplica(int index, const GroupRules& rules, RequestTable& requests, Recorder& recorder);

  // Commits every plan that ends at or before `now`.
  void run_until(Ticks now) {
    while (plan_.end <= now || (plan_.kind == Plan::Kind::kNone && clock_ < now)) {
      if (plan_.kind != Plan::Kind::kNone) {
        commit();
        continue;
      }
      if (load_ == 0 || recorder_.should_stop()) return;
      make_plan();
    }
  }

  // Whether the queue has room and the request can ever fit.
  bool accepts(std::int32_t id) const {
    const auto waiting = static_cast<std::int64_t>(victims_.size() + fresh_.size());
    if (rules_.max_waiting > 0 && waiting >= rules_.max_waiting) return false;
    return can_ever_fit(rules_, block_, requests_[id].prompt, requests_[id].output);
  }
  void enqueue(std::int32_t id, Ticks now) {
    if (load_++ == 0 && clock_ < now) clock_ = now;
    fresh_.push(id);
    if (rules_.schedules_ahead) {
      see_ahead(id, now);
    } else if (plan_.kind == Plan::Kind::kRun && plan_.is_open) {
      cut_run(now);
    }
  }

  // The replica fails: everything in it comes out, running order first, then the queue.
  void evict_all(Ticks now, std::vector<std::int32_t>& out);

  std::int64_t load() const { return load_; }
  static constexpr bool is_holding() { return false; }  // Prompts are not handed on.
  // The earliest `now` for which run_until(now) would do something.
  Ticks next_event() const {
    if (plan_.kind != Plan::Kind::kNone) return plan_.end;
    return load_ > 0 ? clock_ + 1 : sim::kNever;
  }
  // Leading prompt blocks of the request that are in the cache at `now`.
  std::int64_t cached_blocks(std::int32_t id, Ticks now);
  ReplicaState peek(Ticks now) const;
  const WorkCounters& work() const { return work_; }
  Ticks clock() const { return clock_; }

 private:
  struct Plan {
    enum class Kind : std::uint8_t { kNone, kRun, kSingle };
    Kind kind = Kind::kNone;
    bool is_open = false;  // Cut when a request arrives.
    std::int64_t steps = 0;
    Ticks first = 0;   // Time of the first step.
    Ticks growth = 0;  // By how much each later step is longer.
    Ticks end = sim::kNever;

    Ticks time(std::int64_t k) const { return k * first + growth * (k * (k - 1) / 2); }
  };
  struct Slot {  // A decoding sequence.
    std::int32_t id = 0;
    std::int32_t before = -1;  // Neighbours in running order; -1: none.
    std::int32_t after = -1;
    std::int32_t shared = 0;  // Blocks it holds in the prefix cache.
    std::int64_t base = 0;    // Context less the step counter.
    std::int64_t finish = 0;  // The step counter after its last token.
  };
  struct Prompt {  // A request being computed, or one put back that will be.
    std::int32_t id = 0;
    std::int32_t generated = 0;
    std::int32_t shared = 0;
    std::int64_t target = 0;  // Tokens to compute before it emits.
    std::int64_t done = 0;
  };
  struct Leaving {
    std::int64_t serial = 0;
    std::int32_t id = 0;
    std::int32_t shared = 0;
  };

  Slot& slot(std::int32_t s) { return slots_[static_cast<std::size_t>(s)]; }
  // Sequences that need a block in step `step`, and those whose base is like this one's.
  std::int32_t due_at(std::int64_t step) const {
    return due_[static_cast<std::size_t>(block_.within(-step))];
  }
  std::int16_t& due_class(std::int64_t base) {
    return due_[static_cast<std::size_t>(block_.within(base))];
  }
  std::int64_t running() const {
    return decodes_ + (has_partial_ ? 1 : 0) + static_cast<std::int64_t>(joining_.size());
  }
  bool is_queue_empty() const { return victims_.empty() && fresh_.empty(); }
  bool reserves() const { return rules_.preemption == Preemption::kReserve; }
  std::span<const std::uint64_t> names(std::int32_t id, std::int64_t from, std::int64_t to) const;
  // Blocks of a sequence with `context` tokens in the cache, shared ones included.
  std::int64_t held_blocks(std::int32_t id, std::int64_t context) const {
    if (!reserves()) return block_.blocks_for(context);
    return most_blocks(block_, requests_[id].prompt, requests_[id].output);
  }

  // Planning.
  void make_plan();
  bool plan_prefill();
  bool admit_head(std::int64_t& budget);
  void take_chunk(Prompt prompt, std::int64_t chunk, std::int64_t blocks, std::int64_t& budget);
  void plan_run();
  void cut_run(Ticks now);
  void see_ahead(std::int32_t id, Ticks now);
  // Whether the step that starts now is settled with the head of the queue.
  bool is_head_seen() const {
    return !victims_.empty() || !rules_.schedules_ahead ||
           requests_[fresh_.front()].seen_from <= step_;
  }
  std::int64_t steps_within(std::int64_t spare) const;
  std::int64_t blocks_in(std::int64_t steps) const;
  std::int64_t steps_done(Ticks now) const;
  void take_blocks(std::int64_t count) {
    free_ -= count;
    if (rules_.has_prefix_cache) cache_.drop_idle_to(free_);
  }

  // Applying.
  void commit();
  void advance(std::int64_t steps, Ticks time);
  void publish(Prompt& prompt);
  void finish_sequences();
  void finish_in_order();
  void join(const Prompt& prompt);
  Leaving detach(std::int32_t s);
  void release(const Leaving& leaving);

  // Preempting: rare, walks the running order.
  void preempt_for_decodes();
  std::int32_t preempt_tail();
  void preempt_partial();

  Prompt queue_front() const {
    if (!victims_.empty()) return victims_.back();
    const std::int32_t id = fresh_.front();
    const Request& request = requests_[id];
    return {.id = id, .generated = request.generated, .target = request.prompt + request.generated};
  }
  void queue_pop() {
    if (!victims_.empty()) return victims_.pop_back();
    fresh_.pop();
  }

  const int index_;
  const SchedulerRules rules_;
  const sim::StepTable& steps_;
  const BlockSize block_;
  RequestTable& requests_;
  Recorder& recorder_;

  Ticks clock_ = 0;  // The last step boundary.
  Plan plan_;
  int decodes_ = 0;           // The n of the notes above.
  std::int64_t step_ = 0;     // The D of the notes above.
  std::int64_t context_ = 0;  // Sum of contexts.
  std::int64_t free_;         // KV blocks that nobody holds.
  std::int64_t load_ = 0;
  bool has_partial_ = false;
  Prompt partial_;
  std::vector<Prompt> joining_;  // Prompts that end with the step in flight.
  std::vector<Prompt> victims_;
  sim::RingQueue<std::int32_t> fresh_;
  sim::StepTotals prefill_;              // Prompt work of the step in flight.
  std::array<std::int16_t, 128> due_{};  // Sequences by residue of base.
  std::vector<Slot> slots_;
  std::vector<std::int32_t> idle_slots_;
  std::int32_t head_ = -1;  // Ends of the running order.
  std::int32_t tail_ = -1;
  sim::FinishWheel wheel_;
  PrefixCache cache_;
  std::vector<Leaving> leaving_;
  WorkCounters work_;
};

}  // namespace loadfactor::serving
