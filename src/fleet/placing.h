// Where one job goes on top of a load.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fleet/bill.h"
#include "fleet/problem.h"

namespace loadfactor::fleet {

// Work is counted in steps of a length that divides slots and reloads where that can be.
struct WorkSteps {
  int all = 0;        // Steps of the whole work.
  double length = 1;  // Hours of one.
  // Steps that a slot of so many hours adds when `now` gangs work of which `started` have started.
  int made(double hours, int now, int started, double reload) const;
};
WorkSteps steps_of(const Job& job, std::span<const double> hours);

struct PlacingQuestion {
  const Job* job = nullptr;
  std::span<const int> load;      // What everybody else takes, by slot.
  int machines = 0;               // That are there all the time.
  std::span<const double> taste;  // By slot: which of equal slots are preferred, the lower first.
  double noise = 0;               // How much more a slot against the taste seems to cost.
};

// The cheapest plan of a preemptible job, or of one in one piece: exact for windows that are not
// too long. Nothing where it cannot end in time. Among equals it is the plan that leaves most whole
// machines free, then the one to the taste.
std::optional<Plan> place(const PoolPrices& prices, const PlacingQuestion& question);

// Plans that were made before: weeks repeat, and so do the questions of their jobs.
class PlacedBefore {
 public:
  std::optional<Plan> place(const PoolPrices& prices, const PlacingQuestion& question);

 private:
  struct Answer {
    Job job;
    std::vector<double> price;  // By slot and number of gangs.
    std::optional<Plan> plan;
  };
  std::unordered_multimap<std::size_t, Answer> answers_;
  std::size_t held_ = 0;  // Numbers in them.
};

// What a plan achieves: hours of work done, and starts.
struct PlanFigures {
  double work = 0;
  int starts = 0;
  double gang_hours = 0;  // Worked, lost time included.
};
PlanFigures figures_of(const Job& job, const Plan& plan, std::span<const double> hours);

}  // namespace loadfactor::fleet
