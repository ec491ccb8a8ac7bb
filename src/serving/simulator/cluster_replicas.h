// Replicas that start, fail, come back and go: the scaling half of Cluster.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>

#include "serving/simulator/cluster.h"

namespace loadfactor::serving {

// Starts the first replica of a group that has none.
template <class Replica>
void Cluster<Replica>::wake(Group& group, Ticks now) {
  if (group.rules->scaling.scaling == Scaling::kFixed || wanted_replicas(group) > 0) return;
  if (!has_room_in_pool(group)) return;
  start(group, now);
  group.scaler.note_change(now);
}

// Starts the lowest place that is off; there must be one.
template <class Replica>
void Cluster<Replica>::start(Group& group, Ticks now) {
  std::size_t place = group.first;
  while (replicas_[place].state != State::kOff) ++place;
  count_paid(group, now);
  Place& p = replicas_[place];
  p.state = State::kStarting;
  p.paid_since = now;
  timers_.set({.time = sim::later(now, group.rules->scaling.start_time),
               .kind = TimerKind::kReplicaReady,
               .subject = static_cast<std::int32_t>(place),
               .detail = ++p.generation});
  group.most = std::max(group.most, paid_replicas(group));
}

template <class Replica>
int Cluster<Replica>::paid_replicas(const Group& group) const {
  int count = 0;
  for (std::size_t i = 0; i < group.count; ++i)
    count += replicas_[group.first + i].state != State::kOff ? 1 : 0;
  return count;
}

template <class Replica>
void Cluster<Replica>::count_paid(Group& group, Ticks now) const {
  const auto count = static_cast<std::size_t>(paid_replicas(group));
  if (group.time_with.size() <= count) group.time_with.resize(count + 1);
  const Ticks from = std::max(group.paid_since, counted_.from);
  group.time_with[count] += std::max<Ticks>(0, std::min(now, counted_.until) - from);
  group.paid_since = now;
}

template <class Replica>
void Cluster<Replica>::make_ready(const Timer& timer) {
  const auto place = static_cast<std::size_t>(timer.subject);
  Place& p = replicas_[place];
  if (p.generation != timer.detail) return;
  if (p.state == State::kDown) p.down += timer.time - p.down_since;
  p.state = State::kReady;
  refresh(place);
  const std::deque<std::int32_t> pending =
      std::exchange(groups_[static_cast<std::size_t>(p.group)].pending, {});
  for (const std::int32_t id : pending) route(id, p.group, timer.time);
}

template <class Replica>
void Cluster<Replica>::fail(const Timer& timer) {
  const auto place = static_cast<std::size_t>(timer.subject);
  Place& p = replicas_[place];
  if (p.state != State::kReady && p.state != State::kDraining) return;
  evicted_.clear();
  p.engine->evict_all(timer.time, evicted_);
  if (p.state == State::kDraining) {
    stop_if_empty(place, timer.time);
  } else {
    p.state = State::kDown;
    p.down_since = timer.time;
    ++p.generation;
    if (timer.detail != sim::kNever)
      timers_.set({.time = sim::later(timer.time, timer.detail),
                   .kind = TimerKind::kReplicaReady,
                   .subject = timer.subject,
                   .detail = p.generation});
  }
  refresh(place);
  for (const std::int32_t id : std::vector<std::int32_t>(evicted_)) route(id, p.group, timer.time);
}

template <class Replica>
void Cluster<Replica>::scale(const Timer& timer) {
  Group& group = groups_[static_cast<std::size_t>(timer.subject)];
  const Ticks now = timer.time;
  const Ticks interval = group.rules->scaling.interval;
  if (is_busy()) last_busy_ = now;
  if (now - last_busy_ > kIdleIntervals * interval) return;  // Nothing will come of it any more.
  timers_.set(
      {.time = sim::later(now, interval), .kind = TimerKind::kScaling, .subject = timer.subject});
  int there = wanted_replicas(group);
  const int wanted = group.scaler.decide(now, there, outstanding(group));
  for (; there < wanted && has_room_in_pool(group); ++there) start(group, now);
  for (; there > wanted; --there) stop_one(group, now);
}

// Whether requests are still to come or in a replica.
template <class Replica>
bool Cluster<Replica>::is_busy() const {
  if (at_ < batch_.size()) return true;
  for (const Place& place : replicas_)
    if (place.engine->load() + place.in_flight > 0) return true;
  return false;
}

// The highest that is still starting, else the highest that is ready; none if all are down.
template <class Replica>
void Cluster<Replica>::stop_one(Group& group, Ticks now) {
  for (const State state : {State::kStarting, State::kReady}) {
    for (std::size_t i = group.count; i-- > 0;) {
      const std::size_t place = group.first + i;
      Place& p = replicas_[place];
      if (p.state != state) continue;
      p.state = State::kDraining;
      ++p.generation;
      stop_if_empty(place, now);
      return refresh(place);
    }
  }
}

// Switches a draining replica off once nothing is left in it or on its way to it.
template <class Replica>
void Cluster<Replica>::stop_if_empty(std::size_t place, Ticks now) {
  Place& p = replicas_[place];
  if (p.engine->load() > 0 || p.in_flight > 0 || p.engine->is_holding()) return;
  count_paid(groups_[static_cast<std::size_t>(p.group)], now);
  p.state = State::kOff;
  p.paid += now - p.paid_since;
}

// Those that serve, will serve, or are being repaired.
template <class Replica>
int Cluster<Replica>::wanted_replicas(const Group& group) const {
  int count = 0;
  for (std::size_t i = 0; i < group.count; ++i) {
    const State state = replicas_[group.first + i].state;
    count += state == State::kStarting || state == State::kReady || state == State::kDown ? 1 : 0;
  }
  return count;
}

template <class Replica>
bool Cluster<Replica>::has_room_in_pool(const Group& group) const {
  int used = 0;
  bool has_place = false;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const bool is_off = replicas_[i].state == State::kOff;
    if (!is_off)
      used += groups_[static_cast<std::size_t>(replicas_[i].group)].rules->gpus_per_replica;
    has_place = has_place || (is_off && i >= group.first && i < group.first + group.count);
  }
  return has_place &&
         (rules_.pool_gpus == 0 || used + group.rules->gpus_per_replica <= rules_.pool_gpus);
}

template <class Replica>
std::int64_t Cluster<Replica>::outstanding(const Group& group) const {
  std::int64_t sum = std::ssize(group.pending);
  for (std::size_t i = 0; i < group.count; ++i)
    sum += replicas_[group.first + i].engine->load() + replicas_[group.first + i].in_flight;
  return sum;
}

}  // namespace loadfactor::serving
