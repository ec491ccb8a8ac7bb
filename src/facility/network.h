// The switches and cables of a fabric, counted from its topology.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

enum class Topology : std::uint8_t {
  kFatTree,        // Two levels while they suffice, then three.
  kRailOptimised,  // Leaf i serves NIC i of every node; spines join the rails.
  kRailOnly,       // One plane per rail and nothing between them.
  kDragonfly,      // Balanced: a = 2p = 2h.
};

struct TopologyRow {
  Topology topology;
  std::string_view name;
};
std::span<const TopologyRow> topologies();

struct NetworkQuestion {
  Topology topology = Topology::kFatTree;
  std::int64_t endpoints = 0;   // NICs.
  int rails = 1;                // NICs per node; for the rail topologies.
  int radix = 64;               // Ports of a switch.
  double oversubscription = 1;  // Down to up at the leaf.
};

struct Network {
  int levels = 0;
  std::int64_t leaves = 0;  // Leaf switches, or routers of a dragonfly.
  std::int64_t spines = 0;  // All switches above the leaves.
  std::int64_t groups = 0;  // Groups of a dragonfly.
  std::int64_t cables = 0;
  double oversubscription = 1;      // Down to up at the leaf, as the ports allow it.
  std::int64_t max_endpoints = 0;   // Endpoints that the topology can hold.
  int hops = 0;                     // Switches that a message crosses at most.
  std::int64_t failure_domain = 0;  // Endpoints that one leaf takes with it.
  std::int64_t switches() const { return leaves + spines; }
  // A transceiver at each end of a cable.
  std::int64_t optics() const { return 2 * cables; }
};

// Nothing if the topology cannot hold so many endpoints.
std::optional<Network> count_network(const NetworkQuestion& ask);

// How many endpoints reach each other below the tier that is thinner than their links, and by how
// much it is; 0 endpoints where none is.
struct ThinTier {
  std::int64_t endpoints = 0;
  double oversubscription = 1;
};
ThinTier thin_tier(const NetworkQuestion& ask);

// A balanced dragonfly with p endpoints per router.
struct Dragonfly {
  std::int64_t groups = 0;
  std::int64_t routers = 0;
  std::int64_t endpoints = 0;
  std::int64_t cables = 0;
};
Dragonfly balanced_dragonfly(std::int64_t endpoints_per_router);

struct NetworkPrices {
  Dollars per_switch;
  Dollars per_link;  // Cable with its optics.
  Watts switch_power;
  Watts optic_power;  // One end of a link.
};
Dollars network_price(const Network& network, const NetworkPrices& prices);
Watts network_power(const Network& network, const NetworkPrices& prices);

}  // namespace loadfactor::facility
