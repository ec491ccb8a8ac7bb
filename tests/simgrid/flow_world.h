// Small machines whose links share bandwidth fairly, simulated by SimGrid.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tests/simgrid/message_plan.h"

namespace loadfactor::simgrid_check {

// Links have one direction. `route` names the links between two ranks in order.
struct World {
  int ranks = 0;
  std::vector<double> links;  // Bytes per second.
  double latency = 0;         // Seconds, the same on every link.
  std::function<std::vector<std::size_t>(int from, int to)> route;
};

// Every rank has one way out and one way in to a switch that never blocks.
World switched(int ranks, double link);
// The ranks of a node are switched; all of them share the node's NICs, one way out and one in.
World nodes_with_nics(int nodes, int per_node, double link, double nics);
// One rank per node; leaves of some nodes whose way up has all their rates over `oversubscription`.
World fat_tree(int leaves, int per_leaf, double nic, double oversubscription);
// Links to both neighbours on every axis; messages go along one axis after the other, the short
// way round.
World torus(const std::vector<int>& sides, double link_each_way);

// Seconds until the last rank is done. Each call simulates in a process of its own, as the
// simulator allows one world per process; negative when that process fails.
double simulate(const World& world, const Plan& plan);

}  // namespace loadfactor::simgrid_check
