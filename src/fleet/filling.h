// The cheapest machines and plans for what shares one pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/bill.h"
#include "fleet/problem.h"

namespace loadfactor::fleet {

struct Filled {
  double cost = kFar;  // USD by the prices of the pool; kFar where it cannot be.
  double bound = 0;    // No schedule costs less.
  int machines = 0;    // All the time.
  bool is_exact = false;
  std::vector<Plan> plans;  // By job.
};

// Tries machines from the least bound on, until no bound is below the best. Few small jobs are
// scheduled exactly, all together; otherwise each in turn is placed exactly beside the others, in
// several orders, and the bound says how far that may be from the best.
Filled fill(const PoolPrices& prices, std::span<const int> online, std::span<const Job> jobs,
            std::uint64_t seed);

// The bound alone.
double least_cost(const PoolPrices& prices, std::span<const int> online, std::span<const Job> jobs);

}  // namespace loadfactor::fleet
