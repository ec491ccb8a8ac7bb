// Time and arrivals. Routing and the coming and going of replicas stand in headers of their own.
#include "serving/simulator/cluster.h"

#include <algorithm>

#include "serving/simulator/cluster_replicas.h"
#include "serving/simulator/cluster_routing.h"
#include "serving/simulator/plain_replica.h"
#include "serving/simulator/simulation.h"
#include "serving/simulator/skip_replica.h"

namespace loadfactor::serving {
namespace {

constexpr std::size_t kBatch = 4096;

std::size_t places_of(const GroupRules& rules) {
  const int scaled = rules.scaling.scaling == Scaling::kFixed ? 0 : rules.scaling.max_replicas;
  return static_cast<std::size_t>(std::max(rules.replicas, scaled));
}

void add_state(const ReplicaState& state, SeriesPoint& point) {
  point.waiting += state.waiting;
  point.running += state.running;
  point.used_blocks += state.used_blocks;
  point.output_tokens += state.output_tokens;
  point.prefill_tokens += state.prefill_tokens;
}

std::size_t places_of(const ClusterRules& rules) {
  std::size_t count = 0;
  for (const GroupRules& group : rules.groups) count += places_of(group);
  return count;
}

}  // namespace

template <class Replica>
Cluster<Replica>::Cluster(const ClusterRules& rules, RequestTable& requests,
                          std::vector<Recorder>& recorders)
    : rules_(rules),
      requests_(requests),
      recorders_(recorders),
      services_(services_of(rules)),
      next_(places_of(rules)),
      links_(places_of(rules)),
      series_(recorders.size(), Series(sim::kNever)) {
  for (std::size_t i = 0; i < rules.groups.size(); ++i)
    add_group(rules.groups[i], static_cast<int>(i));
  has_deadlines_ = rules.clients_leave;
  for (const GroupRules& group : rules.groups)
    has_deadlines_ = has_deadlines_ || group.first_token_timeout != sim::kNever ||
                     group.total_timeout != sim::kNever;
  set_first_timers();
}

template <class Replica>
void Cluster<Replica>::add_group(const GroupRules& rules, int index) {
  const std::size_t count = places_of(rules);
  groups_.push_back({.rules = &rules,
                     .first = replicas_.size(),
                     .count = count,
                     .last_routed = count - 1,
                     .load = sim::LeastKey(count),
                     .scaler = Scaler(rules.scaling),
                     .pending = {},
                     .pressure = {},
                     .most = rules.replicas,
                     .time_with = {}});
  is_coupled_ = is_coupled_ || rules.decode_group >= 0;
  for (std::size_t i = 0; i < count; ++i) {
    Place place;
    place.group = index;
    place.service = services_[static_cast<std::size_t>(index)];
    place.engine = std::make_unique<Replica>(static_cast<int>(replicas_.size()), rules, requests_,
                                             recorders_[place.service]);
    if (i < static_cast<std::size_t>(rules.replicas)) place.state = State::kReady;
    replicas_.push_back(std::move(place));
    refresh(replicas_.size() - 1);
  }
}

template <class Replica>
void Cluster<Replica>::set_first_timers() {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const GroupRules& rules = *groups_[g].rules;
    for (const Failure& failure : rules.failures)
      timers_.set({.time = failure.time,
                   .kind = TimerKind::kFailure,
                   .subject = static_cast<std::int32_t>(groups_[g].first) + failure.replica,
                   .detail = failure.repair});
    if (rules.scaling.scaling != Scaling::kFixed)
      timers_.set({.time = rules.scaling.interval,
                   .kind = TimerKind::kScaling,
                   .subject = static_cast<std::int32_t>(g)});
  }
}

template <class Replica>
void Cluster<Replica>::sample_every(Ticks interval) {
  for (Series& series : series_) series = Series(interval);
  if (interval != sim::kNever) timers_.set({.time = interval, .kind = TimerKind::kSample});
}

template <class Replica>
void Cluster<Replica>::run(sim::ArrivalStream& stream) {
  stream_ = &stream;
  refill();
  while (!is_decided_ && step()) {
    if (recorders_.front().is_stopped()) return;
  }
}

template <class Replica>
bool Cluster<Replica>::is_cut() const {
  return !is_decided_ && (at_ < batch_.size() || requests_.live() > 0);
}

// Does the next thing. False when nothing is left before the horizon.
template <class Replica>
bool Cluster<Replica>::step() {
  const Ticks arrival = at_ < batch_.size() ? batch_.time[at_] : sim::kNever;
  if (arrival == sim::kNever && requests_.live() == 0) return false;
  const Ticks timer = timers_.next();
  const Ticks next = std::min(arrival, timer);
  const Ticks now = std::min(next, sim::kHorizon);
  if (is_coupled_) {
    const std::size_t place = next_.top();
    const Ticks when = next_.key(place);
    if (when <= now && when != sim::kNever) {
      advance_one(place, when);
      return true;
    }
  } else {
    advance_to(now);
    if (arrival == sim::kNever && requests_.live() == 0) return false;
  }
  if (next > sim::kHorizon) {
    if (next == sim::kNever && next_.key(next_.top()) == sim::kNever) give_up();
    return false;
  }
  if (timer <= arrival)
    fire(timers_.pop());
  else
    arrive(now);
  return true;
}

template <class Replica>
void Cluster<Replica>::advance_to(Ticks now) {
  for (;;) {
    const std::size_t place = next_.top();
    const Ticks when = next_.key(place);
    if (when > now || when == sim::kNever || recorders_.front().is_stopped()) return;
    advance_one(place, now);
  }
}

template <class Replica>
void Cluster<Replica>::advance_one(std::size_t place, Ticks now) {
  replicas_[place].engine->run_until(now);
  if (replicas_[place].state == State::kDraining)
    stop_if_empty(place, replicas_[place].engine->clock());
  refresh(place);
  if (is_coupled_) hand_on(place, now);
}

// Tells the router and the clock what has become of a replica.
template <class Replica>
void Cluster<Replica>::refresh(std::size_t place) {
  const Place& p = replicas_[place];
  next_.update(place, p.engine->next_event());
  Group& group = groups_[static_cast<std::size_t>(p.group)];
  group.load.update(place - group.first, p.state == State::kReady ? p.engine->load() + p.in_flight
                                                                  : sim::LeastKey::kWorst);
}

template <class Replica>
bool Cluster<Replica>::refill() {
  // Looked at once in a batch: the rest of a decided run costs nothing, the look hardly anything.
  for (const Recorder& recorder : recorders_) is_decided_ = is_decided_ || recorder.is_decided();
  if (progress_) progress_(serial_);
  stream_->pull(batch_, kBatch);
  at_ = 0;
  has_columns_ = has_columns_ || batch_.has_columns();
  return batch_.size() > 0;
}

template <class Replica>
void Cluster<Replica>::arrive(Ticks now) {
  const std::int32_t id = next_request();
  const Request& request = requests_[id];
  const int group = rules_.group_of_model[static_cast<std::size_t>(request.model)];
  if (has_deadlines_) set_deadlines(id, rules_.groups[static_cast<std::size_t>(group)]);
  route(id, group, now);
}

template <class Replica>
std::int32_t Cluster<Replica>::next_request() {
  const std::int32_t id = requests_.add();
  Request& r = requests_[id];
  r.arrival = batch_.time[at_];
  r.prompt = batch_.tokens_in[at_];
  r.output = batch_.tokens_out[at_];
  r.serial = serial_++;
  if (has_columns_) read_columns(r);
  if (++at_ == batch_.size()) refill();
  return id;
}

// A request's number is used again: what one stream leaves out, its requests never had.
template <class Replica>
void Cluster<Replica>::read_columns(Request& r) {
  const auto column = [this](const auto& values, auto otherwise) {
    return values.empty() ? otherwise : values[at_];
  };
  r.session = column(batch_.session, std::int64_t{0});
  r.model = column(batch_.model, std::int32_t{0});
  r.priority = column(batch_.priority, std::int32_t{0});
  r.patience = column(batch_.patience, sim::kNever);
  const auto prefix = batch_.prefix(at_);
  r.prefix.assign(prefix.begin(), prefix.end());
}

template <class Replica>
void Cluster<Replica>::fire(const Timer& timer) {
  switch (timer.kind) {
    case TimerKind::kTransferDone:
      return receive(timer);
    case TimerKind::kFailure:
      return fail(timer);
    case TimerKind::kReplicaReady:
      return make_ready(timer);
    case TimerKind::kScaling:
      return scale(timer);
    case TimerKind::kDeadline:
      return expire(timer);
    case TimerKind::kSample:
      return sample(timer.time);
  }
}

template <class Replica>
void Cluster<Replica>::sample(Ticks now) {
  std::vector<SeriesPoint> points(series_.size(), SeriesPoint{.time = now});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    SeriesPoint point{.time = now, .waiting = std::ssize(group.pending)};
    bool is_short = false;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const State state = replicas_[i].state;
      add_state(replicas_[i].engine->peek(now), point);
      point.blocks += state == State::kReady || state == State::kDraining
                          ? group.rules->scheduler.kv_blocks
                          : 0;
      point.replicas += state == State::kReady ? 1 : 0;
      point.paid_replicas += state != State::kOff ? 1 : 0;
      is_short = is_short || state == State::kDown;
    }
    note_pressure(group, point, is_short);
    points[services_[g]] += point;
  }
  for (std::size_t i = 0; i < points.size(); ++i) series_[i].add(points[i]);
  if (!is_busy() && timers_.empty()) return;  // Nothing can happen any more.
  timers_.set({.time = sim::later(now, series_.front().interval()), .kind = TimerKind::kSample});
}

template <class Replica>
void Cluster<Replica>::note_pressure(Group& group, const SeriesPoint& point, bool is_short) {
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  GroupPressure& pressure = group.pressure;
  ++pressure.points;
  pressure.waiting += point.waiting;
  pressure.points_short += is_short ? 1 : 0;
  pressure.most_kv = std::max(pressure.most_kv, share(point.used_blocks, point.blocks));
  pressure.most_slots = std::max(
      pressure.most_slots, share(point.running, point.replicas * group.rules->scheduler.max_seqs));
}

template <class Replica>
void Cluster<Replica>::add_work(std::size_t service, Ticks end, SimulationResult& result) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (services_[g] != service) continue;
    const Group& group = groups_[g];
    GroupWork done{.most_replicas = group.most, .pressure = group.pressure};
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const Place& place = replicas_[i];
      result.work_of_replica.push_back(place.engine->work());
      result.work += place.engine->work();
      done.busy += sim::seconds_of(place.engine->work().busy);
      Ticks paid = place.paid;
      if (place.state != State::kOff) paid += end - place.paid_since;
      const Ticks down = place.down + (place.state == State::kDown ? end - place.down_since : 0);
      done.paid_replica_seconds += sim::seconds_of(paid).base();
      result.down_gpu_seconds += sim::seconds_of(down).base() * group.rules->gpus_per_replica;
      done.paid_gpu_seconds += sim::seconds_of(paid).base() * group.rules->gpus_per_replica;
    }
    Group counted = group;
    count_paid(counted, end);
    for (const Ticks time : counted.time_with)
      done.seconds_with.push_back(sim::seconds_of(time).base());
    result.paid_replica_seconds += done.paid_replica_seconds;
    result.paid_gpu_seconds += done.paid_gpu_seconds;
    result.groups.push_back(done);
  }
}

template class Cluster<SkipReplica>;
template class Cluster<PlainReplica>;

}  // namespace loadfactor::serving
