// Few small jobs at once, exactly.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fleet/bill.h"
#include "fleet/problem.h"

namespace loadfactor::fleet {

// Whether all their states together are few enough to be tried.
bool is_small(const PoolPrices& prices, std::span<const Job> jobs);

struct JointPlan {
  double cost = 0;  // USD, machines included.
  std::vector<Plan> plans;
};
// The cheapest plans of all jobs with so many machines. Nothing where they cannot end in time.
std::optional<JointPlan> place_together(const PoolPrices& prices, std::span<const int> online,
                                        std::span<const Job> jobs, int machines);

}  // namespace loadfactor::fleet
