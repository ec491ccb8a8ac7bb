// The reference for a whole deployment: everything that can happen next is looked for, every time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

#include "serving/simulator/policy.h"
#include "serving/testing/reference_replica.h"
#include "sim/arrivals.h"

namespace loadfactor::serving::testing {

class ReferenceWorld {
 public:
  ReferenceWorld(const ClusterRules& rules, const sim::ArrivalBatch& arrivals) : rules_(rules) {
    for (std::size_t i = 0; i < arrivals.size(); ++i) read(arrivals, i);
    for (const GroupRules& group : rules.groups) {
      Group g{
          .rules = &group, .first = static_cast<int>(places_.size()), .pending = {}, .seen = {}};
      int count = group.replicas;
      if (group.scaling.scaling != Scaling::kFixed)
        count = std::max(count, group.scaling.max_replicas);
      g.turn = count - 1;
      for (int i = 0; i < count; ++i)
        places_.push_back({ReferenceReplica(group, requests), i < group.replicas ? kReady : kOff,
                           static_cast<int>(groups_.size())});
      g.count = count;
      groups_.push_back(g);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const Failure& f : groups_[g].rules->failures)
        set({f.time, kFail, 0, groups_[g].first + f.replica, f.repair});
      if (groups_[g].rules->scaling.scaling != Scaling::kFixed)
        set({groups_[g].rules->scaling.interval, kScale, 0, static_cast<int>(g)});
    }
    shared_free_ = 0;
    out_free_.assign(places_.size(), 0);
    in_free_.assign(places_.size(), 0);
  }

  std::vector<ReferenceRequest> requests;
  std::vector<Ticks> boundaries;  // Every step end, so that tests can aim at them.
  std::int64_t steps = 0, preemptions = 0;

  void run() {
    while (next_ < requests.size() || alive_ > 0) {
      Ticks now = next_ < requests.size() ? requests[next_].arrival : sim::kNever;
      for (const Event& e : events_) now = std::min(now, e.time);
      for (const Place& p : places_)
        if (p.replica.stepping) now = std::min(now, p.replica.step_end);
      if (now == sim::kNever) break;
      for (int p = 0; p < static_cast<int>(places_.size()); ++p)
        if (place(p).replica.stepping && place(p).replica.step_end == now) end_step(p, now);
      if (next_ == requests.size() && alive_ == 0) break;
      for (;;) {
        const auto due = std::min_element(events_.begin(), events_.end(), Event::earlier);
        if (due != events_.end() && due->time == now) {
          const Event event = *due;
          events_.erase(due);
          fire(event);
        } else if (next_ < requests.size() && requests[next_].arrival == now) {
          arrive(static_cast<int>(next_++));
        } else {
          break;
        }
      }
      for (Place& p : places_)
        if (!p.replica.stepping && p.replica.load() > 0) p.replica.start_step(now);
    }
    for (Group& g : groups_)
      for (const int r : g.pending) finish(r, 1, last_end_);
    for (const Place& p : places_) steps += p.replica.steps, preemptions += p.replica.preemptions;
  }

 private:
  enum State { kOff, kStarting, kReady, kDraining, kDown };
  enum Kind { kArrivesOverLink, kFail, kBecomesReady, kScale, kDeadline };
  struct Place {
    ReferenceReplica replica;
    State state;
    int group;
    int starts = 0;
    int on_the_way = 0;
  };
  struct Group {
    const GroupRules* rules;
    int first = 0, count = 0, turn = 0;
    std::deque<int> pending;
    std::vector<std::pair<Ticks, std::int64_t>> seen;
    Ticks last_change = 0;
  };
  struct Event {
    Ticks time;
    Kind kind;
    std::int64_t order;
    int subject;
    std::int64_t detail = 0;
    int to = 0;
    static bool earlier(const Event& a, const Event& b) {
      return std::tuple(a.time, a.kind, a.order) < std::tuple(b.time, b.kind, b.order);
    }
  };

  void read(const sim::ArrivalBatch& a, std::size_t i) {
    ReferenceRequest r;
    r.number = static_cast<int>(i);
    r.arrival = a.time[i];
    r.prompt = a.tokens_in[i];
    r.output = a.tokens_out[i];
    if (!a.session.empty()) r.session = a.session[i];
    if (!a.model.empty()) r.model = a.model[i];
    if (!a.priority.empty()) r.priority = a.priority[i];
    if (!a.patience.empty()) r.patience = a.patience[i];
    const auto prefix = a.prefix(i);
    r.prefix.assign(prefix.begin(), prefix.end());
    requests.push_back(r);
    where_.push_back(kNowhere);
    transfer_.push_back(0);
    source_.push_back(-1);
  }
  Place& place(int p) { return places_[static_cast<std::size_t>(p)]; }
  Group& group(int g) { return groups_[static_cast<std::size_t>(g)]; }
  ReferenceRequest& request(int r) { return requests[static_cast<std::size_t>(r)]; }
  int& where(int r) { return where_[static_cast<std::size_t>(r)]; }
  void set(Event e) {
    e.order = order_++;
    events_.push_back(e);
  }
  void finish(int r, int outcome, Ticks now) {
    request(r).outcome = outcome;
    request(r).end = now;
    where(r) = kNowhere;
    if (outcome != 1) last_end_ = std::max(last_end_, now);
    --alive_;
  }

  void end_step(int p, Ticks now) {
    boundaries.push_back(now);
    const auto ended = place(p).replica.end_step();
    for (const int r : ended.served) finish(r, 0, now);
    for (const int r : ended.cancelled) finish(r, 2, now);
    maybe_stop(p);
    for (const int r : ended.handed_on) send(r, p, now);
  }
  void arrive(int r) {
    ++alive_;
    const int g = rules_.group_of_model[static_cast<std::size_t>(request(r).model)];
    const GroupRules& rules = *group(g).rules;
    if (rules.first_token_timeout != sim::kNever)
      set({request(r).arrival + rules.first_token_timeout, kDeadline, 0, r, 1});
    const Ticks patience = std::min(rules.total_timeout, request(r).patience);
    if (patience != sim::kNever) set({request(r).arrival + patience, kDeadline, 0, r, 0});
    route(r, g, request(r).arrival);
  }
  void fire(const Event& e) {
    if (e.kind == kArrivesOverLink) receive(e);
    if (e.kind == kFail) fail(e);
    if (e.kind == kBecomesReady) become_ready(e);
    if (e.kind == kScale) scale(e);
    if (e.kind == kDeadline) expire(e);
  }

  // ---- routing ----
  std::int64_t load(int p) { return place(p).replica.load() + place(p).on_the_way; }
  int choose(int g, int r) {
    Group& gr = group(g);
    std::vector<int> open;
    for (int p = gr.first; p < gr.first + gr.count; ++p)
      if (place(p).state == kReady) open.push_back(p);
    if (open.empty()) return -1;
    const Routing routing = gr.rules->router.routing;
    if (routing == Routing::kRoundRobin) {
      int chosen = open.front();  // The first behind the last one, or from the start again.
      for (auto p = open.rbegin(); p != open.rend(); ++p)
        if (*p - gr.first > gr.turn) chosen = *p;
      gr.turn = chosen - gr.first;
      return chosen;
    }
    int best = open.front();
    for (const int p : open)
      if (cost(p, r, routing, gr) < cost(best, r, routing, gr)) best = p;
    return best;
  }
  // What the router minimises.
  __extension__ typedef __int128 Wide;
  Wide cost(int p, int r, Routing routing, const Group& gr) {
    if (routing == Routing::kCacheAware) {
      const int size = gr.rules->scheduler.block_tokens;
      return (request(r).prompt + size - 1) / size - place(p).replica.cached(r) +
             gr.rules->router.load_weight * load(p);
    }
    if (routing == Routing::kSessionAffinity && request(r).session != 0) {
      using U = unsigned long long;
      __extension__ typedef unsigned __int128 U128;
      const U128 product =
          static_cast<U128>(static_cast<U>(request(r).session) * 0x9E3779B97F4A7C15ULL +
                            0xD1B54A32D192ED03ULL) *
          (static_cast<U>(p - gr.first + 1) * 0xA24BAED4963EE407ULL);
      return -static_cast<Wide>(static_cast<U>(product >> 64) ^ static_cast<U>(product));
    }
    return load(p);
  }
  void route(int r, int g, Ticks now) {
    const int p = choose(g, r);
    if (p >= 0) return deliver(r, p, now);
    hold(r, g, now);
  }
  void hold(int r, int g, Ticks now) {
    where(r) = kAtRouter;
    group(g).pending.push_back(r);
    if (group(g).rules->scaling.scaling == Scaling::kFixed || present(g) > 0 || !has_room(g))
      return;
    start(g, now);
    group(g).last_change = now;
  }
  void deliver(int r, int p, Ticks now) {
    if (!place(p).replica.accepts(r)) return finish(r, 1, now);
    where(r) = p;
    place(p).replica.enqueue(r);
  }
  void send(int r, int from, Ticks now) {
    const GroupRules& rules = *group(place(from).group).rules;
    const int to = choose(rules.decode_group, r);
    if (to < 0) {
      release(r, from);
      request(r).decoding = request(r).brings_cache = false;
      request(r).computed = 0;
      return hold(r, rules.decode_group, now);
    }
    const int size = rules.scheduler.block_tokens;
    const std::int64_t blocks = (request(r).prompt + request(r).generated - 1 + size - 1) / size;
    Ticks& out = out_free_[static_cast<std::size_t>(from)];
    Ticks& in = in_free_[static_cast<std::size_t>(to)];
    const Ticks start = std::max(std::max(now, out), std::max(in, shared_free_));
    const TransferRules& links = rules.transfer ? *rules.transfer : rules_.transfer;
    out = in = start + blocks * links.per_block_replica_link;
    shared_free_ = start + blocks * links.per_block_shared_link;
    request(r).brings_cache = true;
    where(r) = kOnTheWay;
    source_[static_cast<std::size_t>(r)] = from;
    transfer_[static_cast<std::size_t>(r)] = ++transfers_;
    ++place(to).on_the_way;
    set({links.latency + std::max(out, shared_free_), kArrivesOverLink, 0, r, transfers_, to});
  }
  void release(int r, int from) {
    place(from).replica.let_go(r);
    maybe_stop(from);
  }
  void receive(const Event& e) {
    --place(e.to).on_the_way;
    if (where(e.subject) == kOnTheWay &&
        transfer_[static_cast<std::size_t>(e.subject)] == e.detail) {
      release(e.subject, source_[static_cast<std::size_t>(e.subject)]);
      if (place(e.to).state == kReady || place(e.to).state == kDraining) {
        deliver(e.subject, e.to, e.time);
      } else {
        request(e.subject).brings_cache = request(e.subject).decoding = false;
        request(e.subject).computed = 0;
        route(e.subject, place(e.to).group, e.time);
      }
    }
    maybe_stop(e.to);
  }
  void expire(const Event& e) {
    const int r = e.subject;
    if (request(r).outcome >= 0 || (e.detail == 1 && request(r).first >= 0)) return;
    if (where(r) >= 0) {
      const int p = where(r);
      if (place(p).replica.cancel(r)) finish(r, 2, e.time);
      return maybe_stop(p);
    }
    if (where(r) == kOnTheWay) release(r, source_[static_cast<std::size_t>(r)]);
    for (Group& g : groups_) std::erase(g.pending, r);
    finish(r, 2, e.time);
  }

  // ---- replicas come and go ----
  int present(int g) {
    int count = 0;
    for (int p = group(g).first; p < group(g).first + group(g).count; ++p)
      count += place(p).state == kStarting || place(p).state == kReady || place(p).state == kDown;
    return count;
  }
  bool has_room(int g) {
    int gpus = group(g).rules->gpus_per_replica;
    bool is_place_free = false;
    for (int p = 0; p < static_cast<int>(places_.size()); ++p) {
      if (place(p).state != kOff)
        gpus += group(place(p).group).rules->gpus_per_replica;
      else if (place(p).group == g)
        is_place_free = true;
    }
    return is_place_free && (rules_.pool_gpus == 0 || gpus <= rules_.pool_gpus);
  }
  void start(int g, Ticks now) {
    for (int p = group(g).first;; ++p) {
      if (place(p).state != kOff) continue;
      place(p).state = kStarting;
      set({now + group(g).rules->scaling.start_time, kBecomesReady, 0, p, ++place(p).starts});
      return;
    }
  }
  void become_ready(const Event& e) {
    if (place(e.subject).starts != e.detail) return;
    place(e.subject).state = kReady;
    const int g = place(e.subject).group;
    std::deque<int> pending;
    std::swap(pending, group(g).pending);
    for (const int r : pending) route(r, g, e.time);
  }
  void fail(const Event& e) {
    Place& p = place(e.subject);
    if (p.state != kReady && p.state != kDraining) return;
    const std::vector<int> lost = p.replica.lose_all();
    if (p.state == kReady) {
      p.state = kDown;
      ++p.starts;
      if (e.detail != sim::kNever) set({e.time + e.detail, kBecomesReady, 0, e.subject, p.starts});
    }
    maybe_stop(e.subject);
    for (const int r : lost) {
      if (request(r).leaving)
        finish(r, 2, e.time);
      else
        route(r, p.group, e.time);
    }
  }
  void maybe_stop(int p) {
    if (place(p).state == kDraining && load(p) == 0 && place(p).replica.held.empty())
      place(p).state = kOff;
  }
  void scale(const Event& e) {
    const int g = e.subject;
    const ScalingRules& s = group(g).rules->scaling;
    for (const Place& p : places_)
      if (p.replica.load() + p.on_the_way > 0) last_busy_ = e.time;
    if (next_ < requests.size()) last_busy_ = e.time;
    if (e.time - last_busy_ > 1000 * s.interval) return;
    set({e.time + s.interval, kScale, 0, g});
    std::int64_t load_now = std::ssize(group(g).pending);
    for (int p = group(g).first; p < group(g).first + group(g).count; ++p) load_now += load(p);
    group(g).seen.emplace_back(e.time, load_now);
    const int there = present(g);
    const int wanted = decide(group(g), s, there, e.time);
    for (int n = there; n < wanted && has_room(g); ++n) start(g, e.time);
    for (int n = there; n > wanted; --n) stop_one(g);
  }
  int decide(Group& gr, const ScalingRules& s, int there, Ticks now) {
    std::int64_t seen = -1;  // The newest that is old enough.
    for (const auto& [time, value] : gr.seen)
      if (time <= now - s.scrape_delay) seen = value;
    if (seen < 0) return there;
    int wanted = there;
    if (s.scaling == Scaling::kThreshold) {
      if (seen > s.scale_up_load * there)
        wanted = there + 1;
      else if (there == 1 && seen == 0)
        wanted = 0;
      else if (there != 1 && seen < s.scale_down_load * there)
        wanted = there - 1;
    } else if (std::abs(seen - s.target_load * there) * 1000 >
               s.tolerance_permille * s.target_load * there) {
      wanted = 0;
      while (wanted * s.target_load < seen && wanted < s.max_replicas) ++wanted;
    }
    wanted = std::min(std::max(wanted, s.min_replicas), s.max_replicas);
    if (wanted < there && now - gr.last_change < s.cooldown) return there;
    if (wanted != there) gr.last_change = now;
    return wanted;
  }
  void stop_one(int g) {
    for (const State state : {kStarting, kReady})
      for (int p = group(g).first + group(g).count - 1; p >= group(g).first; --p) {
        if (place(p).state != state) continue;
        place(p).state = kDraining;
        ++place(p).starts;
        return maybe_stop(p);
      }
  }

  static constexpr int kNowhere = -1, kAtRouter = -2, kOnTheWay = -3;
  const ClusterRules& rules_;
  std::vector<Place> places_;
  std::vector<Group> groups_;
  std::vector<Event> events_;
  std::vector<int> where_, source_;
  std::vector<std::int64_t> transfer_;
  std::vector<Ticks> out_free_, in_free_;
  Ticks shared_free_ = 0, last_end_ = 0, last_busy_ = 0;
  std::size_t next_ = 0;
  std::int64_t order_ = 0, alive_ = 0, transfers_ = 0;
};

}  // namespace loadfactor::serving::testing
