#include "serving/simulator/recorder.h"

#include <algorithm>
#include <cstddef>

namespace loadfactor::serving {

WorkCounters& WorkCounters::operator+=(const WorkCounters& other) {
  steps += other.steps;
  events += other.events;
  preemptions += other.preemptions;
  decode_tokens += other.decode_tokens;
  prefill_tokens += other.prefill_tokens;
  prefill_area += other.prefill_area;
  context_tokens += other.context_tokens;
  cache_hit_tokens += other.cache_hit_tokens;
  swapped_blocks += other.swapped_blocks;
  busy = sim::later(busy, other.busy);
  return *this;
}

DeliveredWork& Recorder::slot_of(Ticks now) {
  while (now >= slot_end_) {
    delivered_.emplace_back();
    slot_end_ += interval_;
  }
  // Replicas run ahead of each other by less than an interval or two: look back from the end.
  DeliveredWork* slot = &delivered_.back();
  for (Ticks begin = slot_end_ - interval_; now < begin; begin -= interval_) --slot;
  return *slot;
}

void Recorder::turn_away(std::int32_t id, Ticks now) {
  if (!counted_.has(requests_[id].arrival)) return requests_.remove(id);
  ++turned_away_;
  lost_answers_ += requests_[id].output > 1 ? 1 : 0;
  if (log_ != nullptr) log(requests_[id], now, Outcome::kTurnedAway);
  requests_.remove(id);
}

void Recorder::cancel(std::int32_t id, Ticks now) {
  if (!counted_.has(requests_[id].arrival)) return drop(id, now);
  ++cancelled_;
  lost_answers_ += requests_[id].output > 1 ? 1 : 0;
  last_end_ = std::max(last_end_, now);
  if (log_ != nullptr) log(requests_[id], now, Outcome::kCancelled);
  requests_.remove(id);
}

void Recorder::log(const Request& request, Ticks now, Outcome outcome) {
  const auto place = static_cast<std::size_t>(request.serial);
  if (place >= log_->size()) log_->resize(place + 1);
  (*log_)[place] = {.serial = request.serial,
                    .arrival = request.arrival,
                    .first = request.first,
                    .end = now,
                    .prompt = request.prompt,
                    .output = request.output,
                    .replica = request.replica,
                    .outcome = outcome};
}

}  // namespace loadfactor::serving
