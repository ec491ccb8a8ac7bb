// Many replicas behind a router: arrivals, failures, scaling, transfers and time-outs in order.
//
// At one instant: ends of steps by replica, then timers in the order of TimerKind, then arrivals;
// a step that starts then sees them all. A replica is touched only when its own step ends or
// something reaches it. Where replicas feed each other (prefill to decode) steps end one by one
// in the order of time; elsewhere a replica runs ahead to the next thing that concerns anybody.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "serving/simulator/policy.h"
#include "serving/simulator/recorder.h"
#include "serving/simulator/request.h"
#include "serving/simulator/scaler.h"
#include "serving/simulator/series.h"
#include "serving/simulator/timers.h"
#include "serving/simulator/transfer_links.h"
#include "sim/arrivals.h"
#include "sim/least_key.h"

namespace loadfactor::serving {

struct SimulationResult;

template <class Replica>
class Cluster {
 public:
  // One recorder per service (services_of).
  Cluster(const ClusterRules& rules, RequestTable& requests, std::vector<Recorder>& recorders);

  // Gets the number of requests that have come, once in a batch.
  void report_to(std::function<void(std::int64_t)> progress) { progress_ = std::move(progress); }
  // Points of the series at this distance; kNever for none.
  void sample_every(Ticks interval);

  // Replicas are counted by how many are paid for within this time.
  void count_within(const CountedTime& counted) { counted_ = counted; }

  // Runs the stream to its end and until every request is over, or until what is watched is
  // decided, simulated time ends or the recorders' stop is set.
  void run(sim::ArrivalStream& stream);
  // Whether simulated time ended, or the stop came, before the last request was over.
  bool is_cut() const;

  // Adds what the replicas of a service have done and were paid for up to `end`.
  void add_work(std::size_t service, Ticks end, SimulationResult& result) const;
  const Series& series(std::size_t service) const { return series_[service]; }

 private:
  enum class State : std::uint8_t { kOff, kStarting, kReady, kDraining, kDown };
  struct Place {  // Where a replica stands.
    std::unique_ptr<Replica> engine;
    State state = State::kOff;
    int group = 0;
    std::size_t service = 0;
    std::int64_t generation = 0;  // Makes a timer for an earlier start stale.
    std::int64_t in_flight = 0;   // Transfers on their way to it.
    Ticks paid_since = 0;
    Ticks paid = 0;
    Ticks down_since = 0;
    Ticks down = 0;  // Paid time under repair.
  };
  struct Group {
    const GroupRules* rules = nullptr;
    std::size_t first = 0;  // Its places are `count` from here on.
    std::size_t count = 0;
    std::size_t last_routed = 0;  // Where round robin stands.
    sim::LeastKey load;           // Load of each place; kWorst where nothing may be routed.
    Scaler scaler;
    std::deque<std::int32_t> pending;  // Requests without a replica.
    GroupPressure pressure;
    int most = 0;                  // Most replicas paid for at once.
    Ticks paid_since = 0;          // When the number of those last changed.
    std::vector<Ticks> time_with;  // Time with so many until then, the place being the number.
  };

  void add_group(const GroupRules& rules, int index);
  void set_first_timers();

  // Time.
  bool step();
  void advance_to(Ticks now);
  void advance_one(std::size_t place, Ticks now);
  void refresh(std::size_t place);
  void arrive(Ticks now);
  std::int32_t next_request();
  void read_columns(Request& request);
  bool refill();
  void fire(const Timer& timer);

  // Routing.
  void route(std::int32_t id, int group, Ticks now);
  void deliver(std::int32_t id, std::size_t place, Ticks now);
  std::ptrdiff_t choose(Group& group, std::int32_t id, Ticks now);
  std::ptrdiff_t choose_cached(Group& group, std::int32_t id, Ticks now);
  std::ptrdiff_t choose_by_session(const Group& group, std::int64_t session) const;
  void hand_on(std::size_t place, Ticks now);
  void send(std::int32_t id, std::size_t from, std::size_t to, Ticks now);
  void let_go(std::int32_t id, std::size_t place, Ticks now);
  Recorder& recorder_of(std::int32_t id) {
    const int group = rules_.group_of_model[static_cast<std::size_t>(requests_[id].model)];
    return recorders_[services_[static_cast<std::size_t>(group)]];
  }
  void receive(const Timer& timer);
  void set_deadlines(std::int32_t id, const GroupRules& rules);
  void expire(const Timer& timer);
  void give_up();

  // Replicas come and go.
  void wake(Group& group, Ticks now);
  void start(Group& group, Ticks now);
  void make_ready(const Timer& timer);
  void fail(const Timer& timer);
  void scale(const Timer& timer);
  bool is_busy() const;
  void stop_one(Group& group, Ticks now);
  void stop_if_empty(std::size_t place, Ticks now);
  int wanted_replicas(const Group& group) const;
  bool has_room_in_pool(const Group& group) const;
  std::int64_t outstanding(const Group& group) const;
  void sample(Ticks now);
  void note_pressure(Group& group, const SeriesPoint& point, bool is_short);
  int paid_replicas(const Group& group) const;
  // Counts the time up to now, before the number of replicas that are paid for changes.
  void count_paid(Group& group, Ticks now) const;

  // After so many decisions with nothing but waiting requests left, scaling ends: they wait for
  // a replica that will never be.
  static constexpr Ticks kIdleIntervals = 1000;

  const ClusterRules& rules_;
  RequestTable& requests_;
  std::vector<Recorder>& recorders_;
  const std::vector<std::size_t> services_;  // The service of each group.
  std::vector<Place> replicas_;
  std::vector<Group> groups_;
  sim::LeastKey next_;  // When each replica wants to run.
  Timers timers_;
  TransferLinks links_;
  std::vector<Series> series_;  // One per service.
  std::int64_t transfers_ = 0;
  bool is_coupled_ = false;  // Replicas feed each other.
  bool has_deadlines_ = false;
  bool is_decided_ = false;  // Nobody wants to know the rest.
  sim::ArrivalStream* stream_ = nullptr;
  sim::ArrivalBatch batch_;
  std::size_t at_ = 0;        // Next request of the batch.
  bool has_columns_ = false;  // Some batch had more than times and lengths.
  std::int64_t serial_ = 0;
  std::function<void(std::int64_t)> progress_;
  std::vector<std::int32_t> evicted_;
  Ticks last_busy_ = 0;
  CountedTime counted_;
};

}  // namespace loadfactor::serving
