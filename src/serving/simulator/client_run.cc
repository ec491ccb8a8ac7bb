#include "serving/simulator/client_run.h"

#include <algorithm>
#include <cstddef>
#include <deque>

#include "serving/simulator/plain_replica.h"
#include "serving/simulator/skip_replica.h"

namespace loadfactor::serving {
namespace {

// One replica, its queue before the scheduler, and users who wait for it.
template <class Replica>
class Client {
 public:
  Client(const GroupRules& rules, const ClientLoad& load)
      : load_(load),
        recorder_(requests_, {}, sim::kHour),
        replica_(0, rules, requests_, recorder_),
        sent_(load.requests.size(), -1) {
    recorder_.keep_log(log_);
  }

  ClientRun run() {
    send_first();
    for (;;) {
      const Ticks arrival = queue_.empty() ? sim::kNever : queue_.front().reaches;
      const Ticks now = std::min(arrival, replica_.next_event());
      if (now == sim::kNever || now > sim::kHorizon) break;
      replica_.run_until(now);
      send_next();
      while (!queue_.empty() && queue_.front().reaches <= now) enter();
    }
    return result();
  }

 private:
  struct Sent {
    std::size_t request = 0;
    Ticks reaches = 0;  // When the scheduler gets it.
  };

  void send_first() {
    const std::size_t count = load_.requests.size();
    const std::size_t first =
        load_.users > 0 ? std::min(count, static_cast<std::size_t>(load_.users)) : count;
    while (next_ < first) send(load_.users > 0 ? 0 : load_.requests[next_].sent);
  }

  void send(Ticks now) {
    sent_[next_] = now;
    const Ticks taken = std::max(busy_until_, now);
    busy_until_ = taken + load_.admission;
    queue_.push_back({next_++, taken + load_.front});
  }

  // Users whose answers have ended since the last look send their next request.
  void send_next() {
    if (load_.users == 0) return;
    const std::int64_t over = recorder_.total().requests + recorder_.turned_away();
    for (; seen_ < over; ++seen_)
      if (next_ < load_.requests.size()) send(recorder_.last_end() + load_.between);
  }

  void enter() {
    const Sent sent = queue_.front();
    queue_.pop_front();
    const std::int32_t id = requests_.add();
    Request& request = requests_[id];
    request.arrival = sent.reaches;
    request.prompt = load_.requests[sent.request].prompt;
    request.output = load_.requests[sent.request].output;
    request.serial = static_cast<std::int64_t>(sent.request);
    if (replica_.accepts(id))
      replica_.enqueue(id, sent.reaches);
    else
      recorder_.turn_away(id, sent.reaches);
  }

  ClientRun result() {
    ClientRun run;
    run.outcomes = std::move(log_);
    run.outcomes.resize(load_.requests.size());
    for (std::size_t i = 0; i < run.outcomes.size(); ++i) run.outcomes[i].arrival = sent_[i];
    run.mean_gap = recorder_.itl().mean();
    run.end = recorder_.last_end();
    return run;
  }

  const ClientLoad& load_;
  RequestTable requests_;
  Recorder recorder_;
  Replica replica_;
  std::vector<RequestOutcome> log_;
  std::vector<Ticks> sent_;  // By request.
  std::deque<Sent> queue_;   // Ascending.
  std::size_t next_ = 0;     // The request to be sent next.
  std::int64_t seen_ = 0;    // Ends that users have seen.
  Ticks busy_until_ = 0;     // When the front end is free.
};

}  // namespace

ClientRun run_clients(const ClusterRules& rules, const ClientLoad& load) {
  const GroupRules& group = rules.groups.front();
  return keeps_lockstep(rules) ? Client<SkipReplica>(group, load).run()
                               : Client<PlainReplica>(group, load).run();
}

}  // namespace loadfactor::serving
