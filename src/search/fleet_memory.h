// What simulations have said of fleets, for problems that are alike in all but the mean of their
// demand: what a replica keeps does not depend on it, and more of the same traffic is never easier.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "search/serving_weeks.h"

namespace loadfactor::search {

// What a few replicas kept and missed under random arrivals.
struct SimulatedRate {
  double factor = 0;  // The rate kept over that of the closed form; 0: none is.
  serving::MissCurve misses;
  serving::MissCurve prompt_misses;
};

// Any thread may ask.
class FleetMemory {
 public:
  std::optional<SimulatedRate> rate(const SizedDeployment& few) const;
  void keep(const SizedDeployment& few, const SimulatedRate& rate);

  // What weeks of this mean, or of one that decides it, made of the fleet.
  std::optional<WeekRuns> weeks(const SizedDeployment& fleet, double mean) const;
  void keep(const SizedDeployment& fleet, double mean, const WeekRuns& runs);

 private:
  struct Judged {
    double mean = 0;
    WeekRuns runs;
  };

  mutable std::mutex mutex_;
  std::map<std::string, SimulatedRate> rates_;
  std::map<std::string, std::vector<Judged>> judged_;
};

}  // namespace loadfactor::search
