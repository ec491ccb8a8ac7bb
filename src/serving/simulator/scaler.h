// How many replicas a group should have, from the load that was seen.
#pragma once

#include <cstdint>
#include <deque>

#include "serving/simulator/policy.h"

namespace loadfactor::serving {

class Scaler {
 public:
  explicit Scaler(const ScalingRules& rules) : rules_(rules) {}

  // The wanted number at `now`, when `replicas` are there or starting and `load` requests are
  // outstanding. Remembers the load, for it is seen `scrape_delay` late.
  int decide(Ticks now, int replicas, std::int64_t load);

  // Somebody else changed the number: counts for the cooldown.
  void note_change(Ticks now) { last_change_ = now; }

 private:
  struct Seen {
    Ticks time = 0;
    std::int64_t load = 0;
  };
  int by_threshold(int replicas, std::int64_t load) const;
  int by_target(int replicas, std::int64_t load) const;

  ScalingRules rules_;
  std::deque<Seen> seen_;
  Ticks last_change_ = 0;
};

}  // namespace loadfactor::serving
