#include "observe/gpu_use.h"

#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "observe/activity.h"

namespace loadfactor::observe {
namespace {

// What a failed job did since its last checkpoint is done again: its work and what is taken for it.
void lose(CauseSeconds& use, double left) {
  for (const Cause cause : {Cause::kLoad, Cause::kHeldUnseen}) {
    const double lost = std::min(use[cause], left);
    use[cause] -= lost;
    use[Cause::kFailed] += lost;
    left -= lost;
  }
}

}  // namespace

// 1970-01-01 was a Thursday.
std::size_t hour_of_week(double time) {
  constexpr int kThursday = 3;
  const auto hours = static_cast<std::int64_t>(std::floor(time / kHour.base())) + kThursday * 24;
  return static_cast<std::size_t>(((hours % 168) + 168) % 168);
}

GpuUse::GpuUse(const Cluster& cluster, const FullLevels& full, const ServiceLoads& services,
               const AccountRules& rules, const GpuTrack& gpu)
    : cluster_(cluster),
      full_(full),
      services_(services),
      rules_(rules),
      gpu_(gpu),
      spans_(paid_spans(gpu, cluster.grid())) {
  count_seen();
  find_lost();
  for (std::size_t i = 0; i < spans_.size();) i = add_run(i);
  for (auto& [owner, use] : owners_) settle(use);
}

void GpuUse::count_seen() {
  for (const Span& span : spans_) {
    const double late = span.seconds * share_of_last_hour(span, cluster_.grid());
    OwnerUse& use = use_of(span);
    use.window.paid += span.seconds;
    use.hour.paid += late;
    use.held_to = std::max(use.held_to, span.from + span.seconds);
    if (!is_told(span)) continue;
    use.window.known += span.seconds;
    use.hour.known += late;
    use.week_known[hour_of_week(span.from)] += span.seconds;
  }
  for (const auto& [owner, use] : owners_) {
    window_.paid += use.window.paid;
    window_.known += use.window.known;
    hour_.paid += use.hour.paid;
    hour_.known += use.hour.known;
  }
}

// Where checkpoints are written, a failure loses what was done since the last one: half of the
// distance between two, on average. Otherwise it loses everything. A failure that came after the
// window loses nothing in it that a checkpoint kept.
void GpuUse::find_lost() {
  bool has_failed = false;
  for (auto& [index, use] : owners_) {
    const Owner& owner = cluster_.owners()[index];
    if (!owner.is_failed) continue;
    has_failed = true;
    const bool is_later = owner.failed_first > cluster_.grid().to;
    use.lost_to = is_later ? owner.failed_first : std::min(owner.failed_last, use.held_to);
    if (rules_.checkpoint_seconds > 0) use.lost_from = use.lost_to - rules_.checkpoint_seconds / 2;
  }
  for (const Span& span : spans_) {
    if (!has_failed) break;
    OwnerUse& use = use_of(span);
    const double share = lost_share(use, span);
    if (share <= 0) continue;
    const double late = share_of_last_hour(span, cluster_.grid());
    use.lost.paid += share * span.seconds;
    use.lost_now.paid += share * late * span.seconds;
    if (is_told(span)) use.lost.known += share * span.seconds;
  }
}

// The part of a span whose work a failure lost.
double GpuUse::lost_share(const OwnerUse& use, const Span& span) {
  const double from = std::max(span.from, use.lost_from);
  const double to = std::min(span.from + span.seconds, use.lost_to);
  return to > from ? (to - from) / span.seconds : 0;
}

void GpuUse::put(const Span& span, Cause cause, double share) {
  OwnerUse& use = use_of(span);
  const double seconds = share * span.seconds * use.window.scale();
  use.use[cause] += seconds;
  use.now[cause] +=
      share * span.seconds * share_of_last_hour(span, cluster_.grid()) * use.hour.scale();
  // An hour of the week is told by what was seen of it alone.
  if (loss_of(cause) != Loss::kLoad) return;
  const double lost = lost_share(use, span);
  use.lost_load += lost * share * span.seconds;
  use.week_load[hour_of_week(span.from)] += (1 - lost) * share * span.seconds;
}

// Nothing is known of it but that it is paid, and who held it.
void GpuUse::put_unseen(const Span& span) {
  const bool is_free = span.owner == kNoOwner && cluster_.knows_owners();
  const Cause cause = is_free ? Cause::kUnallocated : Cause::kHeldUnseen;
  OwnerUse& use = use_of(span);
  use.use[cause] += span.seconds;
  use.now[cause] += span.seconds * share_of_last_hour(span, cluster_.grid());
}

// Metrics tell what a GPU does; without any, a batch system tells who holds it. An engine goes on
// telling of its replicas when the exporter of its GPUs is dead.
bool GpuUse::is_told(const Span& span) const {
  if (gpu_.first < 0)
    return gpu_.is_uncut || cluster_.tells_of_jobs() || cluster_.is_held_by_nodes();
  if (is_told_by_engine(span)) return services_.is_told(span.owner, span.slot);
  return gpu_.is_known(span.slot);
}

// Where an engine tells no rate, sensors of the GPU say more of it.
bool GpuUse::is_told_by_engine(const Span& span) const {
  const Owner& owner = owner_of(span);
  if (owner.replicas.empty()) return false;
  const ServiceBlock& block = services_.at(span.owner, span.slot);
  const bool tells_tokens =
      std::any_of(owner.replicas.begin(), owner.replicas.end(),
                  [&](std::size_t r) { return cluster_.replicas()[r].tells_tokens(); });
  const bool is_silent = !services_.is_told(span.owner, span.slot) && !tells_tokens;
  return !((block.unknown > 0 || is_silent) && gpu_.is_known(span.slot));
}

// Spans from `i` on that are alike; returns the first behind them.
std::size_t GpuUse::add_run(std::size_t i) {
  const Span& span = spans_[i];
  if (use_of(span).is_unseen()) {
    put_unseen(span);
    return i + 1;
  }
  if (!is_told(span)) return i + 1;
  if (gpu_.first < 0) {
    put_silent(span);
  } else if (is_told_by_engine(span)) {
    put_service(span);
    note_sensors(span);
  } else if (is_active(gpu_, span.slot)) {
    put_active(span);
    note_sensors(span);
  } else {
    return add_stop(i);
  }
  return i + 1;
}

// What only a batch system tells of.
void GpuUse::put_silent(const Span& span) {
  if (span.owner == kNoOwner) return put(span, Cause::kUnallocated, 1);
  const auto& busy = owner_of(span).busy;
  if (!busy) return put(span, Cause::kHeldUnseen, 1);
  put(span, Cause::kLoad, *busy);
  put(span, Cause::kIdle, 1 - *busy);
  use_of(span).busy.add(*busy, span.seconds);
}

// Time in which a GPU does not compute, until it does or belongs to somebody else.
std::size_t GpuUse::add_stop(std::size_t i) {
  const OwnerIndex owner = spans_[i].owner;
  std::size_t end = i;
  while (end < spans_.size() && spans_[end].owner == owner &&
         (!is_told(spans_[end]) || !is_active(gpu_, spans_[end].slot)))
    ++end;
  const Cause cause = stop_cause(i, end);
  for (; i < end; ++i) {
    const Span& span = spans_[i];
    if (!is_told(span)) continue;
    const bool spins =
        owner != kNoOwner && gpu_.has_activity(span.slot) && is_busy(gpu_, span.slot);
    put(span, spins ? Cause::kSpinning : cause, 1);
    note_sensors(span);
  }
  return end;
}

void GpuUse::put_service(const Span& span) {
  const ServiceBlock& block = services_.at(span.owner, span.slot);
  put(span, Cause::kHeldUnseen, block.unknown);
  put(span, Cause::kLoad, block.load);
  put(span, Cause::kIdle, block.idle);
  put(span, Cause::kCacheFull, block.cache_full);
  put(span, Cause::kBatchLimit, block.batch_limit);
  put(span, Cause::kFewRequests, block.few_requests);
}

void GpuUse::put_active(const Span& span) {
  const auto known = full_.fullness(gpu_, span.slot, span.owner);
  // Otherwise a kernel runs, which may be full or not.
  const double fullness = known.value_or(share_at(gpu_.busy, span.slot));
  if (!known) {
    OwnerUse& use = use_of(span);
    use.busy_only += span.seconds;
    use.busy_now += span.seconds * share_of_last_hour(span, cluster_.grid());
  }
  // Samples scatter about their mean: what one has above the full level another has below it.
  put(span, Cause::kLoad, fullness);
  put(span, Cause::kBelowBest, 1 - fullness);
}

void GpuUse::note_sensors(const Span& span) {
  const bool works = is_active(gpu_, span.slot);
  OwnerUse& use = use_of(span);
  if (works) use.active += span.seconds;
  const auto note = [&](const std::vector<Share16>& track, SensorMean& mean) {
    if (!has_share(track, span.slot)) return;
    const double share = share_at(track, span.slot);
    works ? mean.add(share, span.seconds) : mean.add_rest(share, span.seconds);
  };
  note(gpu_.busy, use.busy);
  note(gpu_.tensor, use.tensor);
  note(gpu_.dram, use.dram);
}

Cause GpuUse::stop_cause(std::size_t from, std::size_t to) const {
  const OwnerIndex owner = spans_[from].owner;
  if (owner == kNoOwner) return cluster_.knows_owners() ? Cause::kUnallocated : Cause::kIdle;
  if (to == spans_.size() || spans_[to].owner != owner)
    return Cause::kIdle;  // It never computes again.
  double seconds = 0;
  for (std::size_t i = from; i < to; ++i) seconds += spans_[i].seconds;
  const bool began = from > 0 && spans_[from - 1].owner != owner;
  if (began && seconds <= rules_.start_up_seconds) return Cause::kStartUp;
  return seconds <= rules_.pause_seconds ? Cause::kPause : Cause::kIdle;
}

// On the whole nobody is fuller than full, and what failed is lost.
void GpuUse::settle(OwnerUse& part) {
  const double raw = part.use.of(Loss::kLoad);
  for (CauseSeconds* use : {&part.use, &part.now}) {
    const double above = std::min(0.0, (*use)[Cause::kBelowBest]);
    (*use)[Cause::kLoad] += above;
    (*use)[Cause::kBelowBest] -= above;
  }
  if (part.lost.paid <= 0 || raw <= 0) return;
  // What was not seen of it is taken to be as what was, of all its time where nothing was.
  const double rate = part.lost.known > 0 ? part.lost_load / part.lost.known
                                          : raw / std::max(part.window.paid, part.lost.paid);
  const double kept = part.use.of(Loss::kLoad) / raw;
  lose(part.use, rate * kept * part.lost.paid);
  lose(part.now, rate * kept * part.lost_now.paid);
}

}  // namespace loadfactor::observe
