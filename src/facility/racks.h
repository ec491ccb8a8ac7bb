// How many racks a cluster fills under each way of cooling, and the cheapest that is legal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

// A way of cooling, from the catalogue.
struct Cooling {
  std::string name;  // air-contained-aisle, rear-door, direct-liquid, …
  Watts rack_limit;
  double pue = 1;
  bool liquid = false;  // Whether it can cool a node that needs liquid.
};

struct RackQuestion {
  Watts node_rated;
  int node_units = 0;  // Height; 0 when not known.
  bool needs_liquid = false;
  double nodes = 0;
  int rack_units = 0;               // Height of a rack; 0 when not known.
  std::optional<Watts> site_limit;  // What a rack of the site can carry.
};

struct SpacePrices {
  DollarsPerJoule space;     // Colocation, per rated power and time.
  double dense_premium = 0;  // Share on top where a rack draws more than `dense_above`.
  Watts dense_above;
  DollarsPerJoule electricity;
  double electrical_load = 1;  // Share of the rating that is drawn.
};

// Why a rack holds no node.
enum class RackObstacle : std::uint8_t { kNothing, kLiquidOnly, kPower };

struct RackPlan {
  std::string cooling;
  bool legal = false;
  RackObstacle obstacle = RackObstacle::kNothing;
  Watts rack_limit;  // What this way of cooling and the site allow a rack.
  std::int64_t nodes_per_rack = 0;
  std::int64_t racks = 0;
  Watts rack_power;  // Rated power of a full rack.
  double pue = 1;
  Watts site_power;       // Rated, at the grid.
  DollarsPerSecond cost;  // Space and energy of all racks.
};

// One plan for each way of cooling, in the order given.
std::vector<RackPlan> plan_racks(const RackQuestion& ask, const std::vector<Cooling>& ways,
                                 const SpacePrices& prices);

// The cheapest legal one; nothing if none is.
std::optional<RackPlan> cheapest_legal(const std::vector<RackPlan>& plans);

// Floor of racks with their aisles, in square metres.
double floor_area(std::int64_t racks, double square_metres_per_rack);

}  // namespace loadfactor::facility
