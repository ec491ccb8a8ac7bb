// Where a request goes, and what ends its stay: the routing half of Cluster.
#pragma once

#include <algorithm>

#include "base/random.h"
#include "serving/simulator/cluster.h"
#include "serving/simulator/replica_state.h"

namespace loadfactor::serving {

template <class Replica>
void Cluster<Replica>::route(std::int32_t id, int group_index, Ticks now) {
  Group& group = groups_[static_cast<std::size_t>(group_index)];
  const std::ptrdiff_t place = choose(group, id, now);
  if (place >= 0) return deliver(id, static_cast<std::size_t>(place), now);
  requests_[id].replica = -1;
  group.pending.push_back(id);
  wake(group, now);
}

template <class Replica>
void Cluster<Replica>::deliver(std::int32_t id, std::size_t place, Ticks now) {
  Place& p = replicas_[place];
  if (!p.engine->accepts(id)) return recorder_of(id).turn_away(id, now);
  requests_[id].replica = static_cast<std::int32_t>(place);
  p.engine->enqueue(id, now);
  refresh(place);
}

// A replica that may take the request, or -1.
template <class Replica>
std::ptrdiff_t Cluster<Replica>::choose(Group& group, std::int32_t id, Ticks now) {
  switch (group.rules->router.routing) {
    case Routing::kRoundRobin:
      for (std::size_t i = 1; i <= group.count; ++i) {
        const std::size_t at = (group.last_routed + i) % group.count;
        if (group.load.key(at) == sim::LeastKey::kWorst) continue;
        group.last_routed = at;
        return static_cast<std::ptrdiff_t>(group.first + at);
      }
      return -1;
    case Routing::kCacheAware:
      return choose_cached(group, id, now);
    case Routing::kSessionAffinity:
      if (requests_[id].session != 0) return choose_by_session(group, requests_[id].session);
      break;
    case Routing::kLeastLoaded:
      break;
  }
  const std::size_t at = group.load.top();
  if (group.load.key(at) == sim::LeastKey::kWorst) return -1;
  return static_cast<std::ptrdiff_t>(group.first + at);
}

template <class Replica>
std::ptrdiff_t Cluster<Replica>::choose_cached(Group& group, std::int32_t id, Ticks now) {
  const BlockSize size(group.rules->scheduler.block_tokens);
  const std::int64_t blocks = size.blocks_for(requests_[id].prompt);
  std::ptrdiff_t best = -1;
  std::int64_t least = sim::LeastKey::kWorst;
  for (std::size_t i = 0; i < group.count; ++i) {
    const std::int64_t load = group.load.key(i);
    if (load == sim::LeastKey::kWorst) continue;
    const std::int64_t cached = replicas_[group.first + i].engine->cached_blocks(id, now);
    const std::int64_t cost = blocks - cached + group.rules->router.load_weight * load;
    if (cost >= least) continue;
    least = cost;
    best = static_cast<std::ptrdiff_t>(group.first + i);
  }
  return best;
}

// The replica whose product with the session's number mixes to the highest value: a session keeps
// its replica while others come and go.
template <class Replica>
std::ptrdiff_t Cluster<Replica>::choose_by_session(const Group& group, std::int64_t session) const {
  std::ptrdiff_t best = -1;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < group.count; ++i) {
    if (group.load.key(i) == sim::LeastKey::kWorst) continue;
    const WideProduct mixed = multiply_wide(
        static_cast<std::uint64_t>(session) * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u,
        (i + 1) * 0xA24BAED4963EE407u);
    const std::uint64_t weight = mixed.high ^ mixed.low;
    if (best >= 0 && weight <= highest) continue;
    highest = weight;
    best = static_cast<std::ptrdiff_t>(group.first + i);
  }
  return best;
}

// Sends those whose prompt is done to a decode replica.
template <class Replica>
void Cluster<Replica>::hand_on(std::size_t place, Ticks now) {
  if constexpr (requires(Replica r) { r.handed_on(); }) {
    std::vector<std::int32_t>& ready = replicas_[place].engine->handed_on();
    const GroupRules& rules = *groups_[static_cast<std::size_t>(replicas_[place].group)].rules;
    for (const std::int32_t id : ready) {
      Group& group = groups_[static_cast<std::size_t>(rules.decode_group)];
      const std::ptrdiff_t chosen = choose(group, id, now);
      if (chosen >= 0) {
        send(id, place, static_cast<std::size_t>(chosen), now);
        continue;
      }
      requests_[id].has_cache = false;
      requests_[id].replica = -1;
      group.pending.push_back(id);
      wake(group, now);
      let_go(id, place, now);
    }
    ready.clear();
  }
}

// The KV blocks stay at `from` until they have arrived.
template <class Replica>
void Cluster<Replica>::send(std::int32_t id, std::size_t from, std::size_t to, Ticks now) {
  Request& request = requests_[id];
  const GroupRules& rules = *groups_[static_cast<std::size_t>(replicas_[from].group)].rules;
  const BlockSize size(rules.scheduler.block_tokens);
  const std::int64_t blocks = size.blocks_for(request.prompt + request.generated - 1);
  request.transfer = ++transfers_;
  request.source = static_cast<std::int32_t>(from);
  request.replica = static_cast<std::int32_t>(to);
  ++replicas_[to].in_flight;
  refresh(to);
  timers_.set({.time = links_.send(now, from, to, blocks, rules.transfer.value_or(rules_.transfer)),
               .kind = TimerKind::kTransferDone,
               .subject = id,
               .detail = request.transfer,
               .place = request.replica});
}

template <class Replica>
void Cluster<Replica>::let_go(std::int32_t id, std::size_t place, Ticks now) {
  if constexpr (requires(Replica r) { r.let_go(id, now); }) {
    replicas_[place].engine->let_go(id, now);
    if (replicas_[place].state == State::kDraining) stop_if_empty(place, now);
    refresh(place);
  }
}

template <class Replica>
void Cluster<Replica>::receive(const Timer& timer) {
  const auto place = static_cast<std::size_t>(timer.place);
  Place& p = replicas_[place];
  --p.in_flight;
  Request& request = requests_[timer.subject];
  const bool is_here = request.is_live && request.transfer == timer.detail;
  if (is_here) {
    request.transfer = 0;
    let_go(timer.subject, static_cast<std::size_t>(request.source), timer.time);
    if (p.state == State::kReady || p.state == State::kDraining) {
      deliver(timer.subject, place, timer.time);
    } else {  // The blocks have nowhere to go.
      request.has_cache = false;
      route(timer.subject, p.group, timer.time);
    }
  }
  if (p.state == State::kDraining) stop_if_empty(place, timer.time);
  refresh(place);
}

template <class Replica>
void Cluster<Replica>::set_deadlines(std::int32_t id, const GroupRules& rules) {
  const Request& r = requests_[id];
  const auto set = [&](Ticks after, std::int32_t is_of_first_token) {
    if (after == sim::kNever) return;
    timers_.set({.time = sim::later(r.arrival, after),
                 .kind = TimerKind::kDeadline,
                 .subject = id,
                 .detail = r.serial,
                 .place = is_of_first_token});
  };
  set(rules.first_token_timeout, 1);
  set(std::min(rules.total_timeout, r.patience), 0);
}

template <class Replica>
void Cluster<Replica>::expire(const Timer& timer) {
  const std::int32_t id = timer.subject;
  Request& r = requests_[id];
  if (!r.is_live || r.serial != timer.detail) return;
  if (timer.place == 1 && r.first >= 0) return;
  if (r.transfer != 0 || r.replica < 0) {
    if (r.transfer != 0) let_go(id, static_cast<std::size_t>(r.source), timer.time);
    for (Group& group : groups_) std::erase(group.pending, id);
    return recorder_of(id).cancel(id, timer.time);
  }
  if constexpr (requires(Replica engine) { engine.cancel(id, timer.time); }) {
    const auto place = static_cast<std::size_t>(r.replica);
    replicas_[place].engine->cancel(id, timer.time);
    if (replicas_[place].state == State::kDraining) stop_if_empty(place, timer.time);
    refresh(place);
  }
}

// Nothing will ever happen again, yet requests wait: no replica is left for them.
template <class Replica>
void Cluster<Replica>::give_up() {
  Ticks last = 0;
  for (const Recorder& recorder : recorders_) last = std::max(last, recorder.last_end());
  for (Group& group : groups_) {
    for (const std::int32_t id : group.pending) recorder_of(id).turn_away(id, last);
    group.pending.clear();
  }
}

}  // namespace loadfactor::serving
