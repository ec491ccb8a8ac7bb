// What happened to the requests, in memory that does not grow with their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "serving/simulator/request.h"
#include "sim/latency_histogram.h"
#include "sim/stop_signal.h"

namespace loadfactor::serving {

// Work done, summed over replicas or kept for one.
struct WorkCounters {
  std::int64_t steps = 0;
  std::int64_t events = 0;  // Decisions taken: what skip-ahead pays for.
  std::int64_t preemptions = 0;
  std::int64_t decode_tokens = 0;   // Emitted by decoding.
  std::int64_t prefill_tokens = 0;  // Computed, recomputation included.
  std::int64_t prefill_area = 0;    // Sum of chunk * (2 * cached + chunk).
  std::int64_t context_tokens = 0;  // KV tokens read by decodes, summed over steps.
  std::int64_t cache_hit_tokens = 0;
  std::int64_t swapped_blocks = 0;
  Ticks busy = 0;  // Time in steps; a sum over many replicas ends at kNever.

  WorkCounters& operator+=(const WorkCounters& other);
};

// Limits on latency that make a request count as good; kNever: no limit.
struct ServiceLimits {
  Ticks first_token = sim::kNever;
  Ticks per_token = sim::kNever;
  Ticks whole = sim::kNever;
};

// When a run's verdict is known: more late requests than may be, or one turned away.
struct MissLimits {
  Ticks first_token = sim::kNever;  // What comes later is a miss.
  Ticks per_token = sim::kNever;
  std::int64_t most_first = 0;  // How many requests may miss each bound.
  std::int64_t most_each = 0;
};

// Requests that count: those that come from `from` on and before `until`. Others load the replicas
// and are in no figure.
struct CountedTime {
  Ticks from = 0;
  Ticks until = sim::kNever;

  bool has(Ticks arrival) const { return arrival >= from && arrival < until; }
};

// One request as the log of a run keeps it. Times are -1 where there was none.
struct RequestOutcome {
  std::int64_t serial = 0;
  Ticks arrival = 0;
  Ticks first = -1;
  Ticks end = -1;
  std::int32_t prompt = 0;
  std::int32_t output = 0;
  std::int32_t replica = -1;
  Outcome outcome = Outcome::kServed;
};

// What was delivered in one interval of the series, by the time requests ended.
struct DeliveredWork {
  std::int64_t requests = 0;
  std::int64_t good_requests = 0;
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;

  void add(const Request& request, bool is_good) {
    ++requests;
    good_requests += is_good ? 1 : 0;
    tokens_in += request.prompt;
    tokens_out += request.output;
  }
};

// One step, or a run of steps with the same sequences, as a trace shows it.
struct StepSpan {
  std::int32_t replica = 0;
  std::int32_t decodes = 0;
  std::int64_t steps = 0;
  std::int64_t prefill_tokens = 0;
  Ticks begin = 0;
  Ticks end = 0;
};

class Recorder {
 public:
  // `interval` is that of the delivered series.
  Recorder(RequestTable& requests, ServiceLimits limits, Ticks interval)
      : requests_(requests), limits_(limits), interval_(interval) {}

  // Keeps what becomes of every request in `log`, by its number.
  void keep_log(std::vector<RequestOutcome>& log) { log_ = &log; }
  // Keeps first tokens of priority 0 and of the others apart.
  void keep_urgency() {
    by_urgency_ = true;
    urgent_ttft_.emplace();
    other_ttft_.emplace();
  }
  // Keeps the first `most` spans.
  void keep_spans(std::size_t most) { most_spans_ = most; }
  bool wants_spans() const { return spans_.size() < most_spans_; }
  void span(const StepSpan& span) {
    if (wants_spans()) spans_.push_back(span);
  }

  // Keeps only what says whether bounds were kept: no times between tokens and of whole requests,
  // and no work by interval.
  void keep_bounds_alone() { keeps_all_ = false; }

  // Requests outside of this time are in no figure.
  void count_within(const CountedTime& counted) { counted_ = counted; }

  // Says when more requests are late than these allow.
  void watch(const MissLimits& limits) { watched_ = limits; }
  bool is_decided() const {
    return watched_ && (first_missed_ > watched_->most_first ||
                        each_missed_ > watched_->most_each || turned_away_ > 0);
  }

  // Whoever simulates asks before each decision and stops where it is set.
  void stop_by(sim::StopSignal& stop) { stop_ = &stop; }
  bool should_stop() { return stop_ != nullptr && stop_->look(); }
  bool is_stopped() const { return stop_ != nullptr && stop_->is_set(); }

  void first_token(std::int32_t id, Ticks now) { requests_[id].first = now; }
  // `steps` gaps between tokens, the first `gap` and each later one `growth` longer, of
  // `sequences`.
  void gaps(Ticks gap, Ticks growth, std::int64_t steps, std::int64_t sequences) {
    if (!keeps_all_) return;
    if (steps == 1)
      itl_.add(gap, sequences);
    else
      itl_.add_ramp(gap, growth, steps, sequences);
  }
  void gap(Ticks length) {
    if (keeps_all_) itl_.add(length);
  }

  // The request is over and its number free.
  void end(std::int32_t id, Ticks now) {
    const Request& r = requests_[id];
    if (!counted_.has(r.arrival)) [[unlikely]]
      return drop(id, now);
    const Ticks ttft = r.first - r.arrival;
    ttft_.add(ttft);
    if (keeps_all_) e2e_.add(now - r.arrival);
    bool is_good = ttft <= limits_.first_token && now - r.arrival <= limits_.whole;
    Ticks tpot = 0;
    if (r.output > 1) {
      tpot = sim::quotient(now - r.first, r.output - 1);
      tpot_.add(tpot);
      is_good = is_good && tpot <= limits_.per_token;
    }
    if (watched_) {
      first_missed_ += ttft > watched_->first_token ? 1 : 0;
      each_missed_ += tpot > watched_->per_token ? 1 : 0;
    }
    if (by_urgency_) (r.priority == 0 ? *urgent_ttft_ : *other_ttft_).add(ttft);
    deliver(r, now, is_good);
    if (log_ != nullptr) log(r, now, Outcome::kServed);
    requests_.remove(id);
  }
  void turn_away(std::int32_t id, Ticks now);
  void cancel(std::int32_t id, Ticks now);

  std::int64_t first_missed() const { return first_missed_; }
  std::int64_t each_missed() const { return each_missed_; }
  const sim::LatencyHistogram& ttft() const { return ttft_; }
  const sim::LatencyHistogram& tpot() const { return tpot_; }
  const sim::LatencyHistogram& itl() const { return itl_; }
  const sim::LatencyHistogram& e2e() const { return e2e_; }
  const DeliveredWork& total() const { return total_; }
  const std::vector<DeliveredWork>& delivered() const { return delivered_; }
  const std::optional<sim::LatencyHistogram>& urgent_ttft() const { return urgent_ttft_; }
  const std::optional<sim::LatencyHistogram>& other_ttft() const { return other_ttft_; }
  std::int64_t turned_away() const { return turned_away_; }
  std::int64_t lost_answers() const { return lost_answers_; }
  std::int64_t cancelled() const { return cancelled_; }
  Ticks last_end() const { return last_end_; }
  std::vector<StepSpan>& spans() { return spans_; }

 private:
  void deliver(const Request& request, Ticks now, bool is_good) {
    last_end_ = std::max(last_end_, now);
    total_.add(request, is_good);
    if (!keeps_all_) return;
    const bool is_in_last = now < slot_end_ && now >= slot_end_ - interval_;
    (is_in_last ? delivered_.back() : slot_of(now)).add(request, is_good);
  }
  // The request is over and in no figure.
  void drop(std::int32_t id, Ticks now) {
    last_end_ = std::max(last_end_, now);
    requests_.remove(id);
  }
  DeliveredWork& slot_of(Ticks now);
  void log(const Request& request, Ticks now, Outcome outcome);

  RequestTable& requests_;
  ServiceLimits limits_;
  Ticks interval_;
  CountedTime counted_;
  bool keeps_all_ = true;
  sim::LatencyHistogram ttft_, tpot_, itl_, e2e_;
  DeliveredWork total_;
  std::vector<DeliveredWork> delivered_;
  Ticks slot_end_ = 0;  // When the last entry of delivered_ ends.
  std::int64_t turned_away_ = 0;
  std::int64_t cancelled_ = 0;
  std::optional<MissLimits> watched_;
  sim::StopSignal* stop_ = nullptr;
  std::int64_t first_missed_ = 0;
  std::int64_t each_missed_ = 0;
  std::int64_t lost_answers_ = 0;  // Lost requests for more than one token.
  bool by_urgency_ = false;
  std::optional<sim::LatencyHistogram> urgent_ttft_, other_ttft_;
  Ticks last_end_ = 0;
  std::vector<RequestOutcome>* log_ = nullptr;
  std::size_t most_spans_ = 0;
  std::vector<StepSpan> spans_;
};

}  // namespace loadfactor::serving
