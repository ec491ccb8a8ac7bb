// Tables over the capacity that is there: q whole nodes and c replicas, and what units add to them.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "decide/ways_to_pay.h"

namespace loadfactor::decide {

inline constexpr double kImpossible = std::numeric_limits<double>::infinity();

// A point of the grid. `nodes` stays 0 where no replica is wide.
struct Capacity {
  int nodes = 0;
  int replicas = 0;
};

// A way to pay as the tables see it: whole units, what each adds, and plain dollars.
struct Way {
  Unit unit;
  Capacity step;
  double cost = 0;
  double fixed = 0;

  bool plain() const { return fixed == 0 && !unit.most && !unit.spare_every; }
  // The price of so many units, with spares and the fixed charge.
  double units_cost(int count) const;
};

class CapacityGrid {
 public:
  explicit CapacityGrid(const PaymentQuestion& question);

  std::size_t size() const { return width() * static_cast<std::size_t>(end_.nodes + 1); }
  std::size_t width() const { return static_cast<std::size_t>(end_.replicas) + 1; }
  Capacity end() const { return end_; }
  int replica() const { return replica_; }
  int node() const { return node_; }
  bool has_wide() const { return end_.nodes > 0; }

  std::size_t index(Capacity at) const {
    return static_cast<std::size_t>(at.nodes) * width() + static_cast<std::size_t>(at.replicas);
  }
  // What is there after `count` more units; the grid ends where no more is of use.
  Capacity after(Capacity at, Capacity step, int count) const;
  // Units beyond which no more are of use, or sold.
  int most_units(const Way& way) const;
  int replicas_for(int gpus) const { return (gpus + replica_ - 1) / replica_; }
  int nodes_for(int gpus) const { return has_wide() ? (gpus + node_ - 1) / node_ : 0; }

  Way way(const Commitment& commitment) const;
  Way way(const Rental& rental) const;

 private:
  Capacity step(int gpus) const;

  int replica_ = 1;
  int node_ = 1;
  Capacity end_;
};

// How many units of a way are bought at each point of the grid.
struct Step {
  std::size_t way = 0;  // Its place in the list.
  std::vector<int> count;
};

// `best` is the cost with that much there; afterwards it is the least with units of the ways added.
// The steps, if wanted, say how many of each.
void buy(std::vector<double>& best, const std::vector<Way>& ways, const CapacityGrid& grid,
         std::vector<Step>* steps = nullptr);

// Walks the steps up from `at`: units of each way, and in `at` where the walk ends.
std::vector<int> units_on_path(const std::vector<Step>& steps, const std::vector<Way>& ways,
                               const CapacityGrid& grid, Capacity& at);

}  // namespace loadfactor::decide
