// What will happen to a deployment apart from arrivals and steps, in a fixed order.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/ticks.h"

namespace loadfactor::serving {

using sim::Ticks;

// At one instant these come in this order, after the ends of steps and before arrivals.
enum class TimerKind : std::uint8_t {
  kTransferDone,
  kFailure,
  kReplicaReady,
  kScaling,
  kDeadline,
  kSample,
};

struct Timer {
  Ticks time = 0;
  TimerKind kind = TimerKind::kSample;
  std::int64_t order = 0;    // Among equals: first set, first served.
  std::int32_t subject = 0;  // A replica, a group or a request.
  std::int64_t detail = 0;   // Its serial, generation or transfer: a stale timer is known by it.
  std::int32_t place = 0;    // Where a transfer goes; or whether a deadline is of the first token.

  friend bool operator>(const Timer& a, const Timer& b) {
    return std::tuple(a.time, a.kind, a.order) > std::tuple(b.time, b.kind, b.order);
  }
};

class Timers {
 public:
  bool empty() const { return queue_.empty(); }
  Ticks next() const { return queue_.empty() ? sim::kNever : queue_.top().time; }
  void set(Timer timer) {
    timer.order = count_++;
    queue_.push(timer);
  }
  Timer pop() {
    const Timer timer = queue_.top();
    queue_.pop();
    return timer;
  }

 private:
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> queue_;
  std::int64_t count_ = 0;
};

}  // namespace loadfactor::serving
