#include "facility/network.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loadfactor::facility {
namespace {

constexpr std::array kTopologies{
    TopologyRow{Topology::kFatTree, "fat-tree"},
    TopologyRow{Topology::kRailOptimised, "rail-optimised"},
    TopologyRow{Topology::kRailOnly, "rail-only"},
    TopologyRow{Topology::kDragonfly, "dragonfly"},
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Ports of a leaf that go down, of radix k at r:1; the rest goes up.
std::int64_t down_ports(int radix, double oversubscription) {
  const auto down = static_cast<std::int64_t>(
      std::floor(radix * oversubscription / (oversubscription + 1.0) + 1e-9));
  return std::clamp<std::int64_t>(down, 1, radix - 1);
}

// What stands above a number of leaves: one layer of spines while a spine reaches every leaf, else
// pods of aggregation switches under a core. The leaves' uplinks are not thinned out further up.
std::optional<Network> above_leaves(std::int64_t endpoints, std::int64_t leaves,
                                    const NetworkQuestion& ask) {
  const std::int64_t radix = ask.radix;
  const std::int64_t down = down_ports(ask.radix, ask.oversubscription);
  const std::int64_t up = radix - down;
  const std::int64_t uplinks = leaves * up;
  Network network;
  network.leaves = leaves;
  network.oversubscription = static_cast<double>(down) / static_cast<double>(up);
  network.failure_domain = std::min(down, endpoints);
  if (leaves <= radix) {
    network.levels = 2;
    network.spines = ceil_div(uplinks, radix);
    network.cables = endpoints + uplinks;
    network.max_endpoints = down * radix;
    network.hops = 3;
    return network;
  }
  network.levels = 3;
  network.spines = ceil_div(2 * uplinks, radix) + ceil_div(uplinks, radix);
  network.cables = endpoints + 2 * uplinks;
  network.max_endpoints = down * radix * (radix / 2);
  network.hops = 5;
  if (leaves <= radix * (radix / 2)) return network;
  return std::nullopt;
}

std::optional<Network> fat_tree(const NetworkQuestion& ask) {
  if (ask.endpoints <= ask.radix) {
    return Network{.levels = 1,
                   .leaves = 1,
                   .cables = ask.endpoints,
                   .max_endpoints = ask.radix,
                   .hops = 1,
                   .failure_domain = ask.endpoints};
  }
  const std::int64_t down = down_ports(ask.radix, ask.oversubscription);
  return above_leaves(ask.endpoints, ceil_div(ask.endpoints, down), ask);
}

std::optional<Network> rail_optimised(const NetworkQuestion& ask) {
  const std::int64_t nodes = ceil_div(ask.endpoints, ask.rails);
  if (nodes <= ask.radix) {
    return Network{.levels = 1,
                   .leaves = ask.rails,
                   .cables = ask.endpoints,
                   .max_endpoints = std::int64_t{ask.rails} * ask.radix,
                   .hops = 1,
                   .failure_domain = nodes};
  }
  // A leaf holds one NIC each of as many nodes as it has ports down.
  const std::int64_t down = down_ports(ask.radix, ask.oversubscription);
  return above_leaves(nodes * ask.rails, ceil_div(nodes, down) * ask.rails, ask);
}

std::optional<Network> rail_only(const NetworkQuestion& ask) {
  NetworkQuestion plane = ask;
  plane.endpoints = ceil_div(ask.endpoints, ask.rails);
  auto one = fat_tree(plane);
  if (!one) return std::nullopt;
  one->leaves *= ask.rails;
  one->spines *= ask.rails;
  one->cables *= ask.rails;
  one->max_endpoints *= ask.rails;
  return one;
}

std::optional<Network> dragonfly(const NetworkQuestion& ask) {
  // k = p + a + h - 1 with a = 2p = 2h.
  const std::int64_t p = (ask.radix + 1) / 4;
  const Dragonfly whole = balanced_dragonfly(p);
  if (ask.endpoints > whole.endpoints) return std::nullopt;
  const std::int64_t per_group = 2 * p * p;
  if (ask.endpoints <= per_group) {
    // One group needs no more routers than its endpoints fill, each joined to every other.
    const std::int64_t routers = std::max<std::int64_t>(ceil_div(ask.endpoints, p), 1);
    return Network{.levels = 1,
                   .leaves = routers,
                   .groups = 1,
                   .cables = ask.endpoints + routers * (routers - 1) / 2,
                   .max_endpoints = whole.endpoints,
                   .hops = routers > 1 ? 2 : 1,
                   .failure_domain = std::min(p, ask.endpoints)};
  }
  const std::int64_t groups = std::max<std::int64_t>(ceil_div(ask.endpoints, per_group), 1);
  Network network;
  network.levels = 2;
  network.groups = groups;
  network.leaves = groups * 2 * p;
  network.cables = ask.endpoints + groups * p * (2 * p - 1) + groups * p * p;
  network.max_endpoints = whole.endpoints;
  network.hops = 4;
  network.failure_domain = p;
  return network;
}

}  // namespace

std::span<const TopologyRow> topologies() {
  return kTopologies;
}

std::optional<Network> count_network(const NetworkQuestion& ask) {
  switch (ask.topology) {
    case Topology::kFatTree:
      return fat_tree(ask);
    case Topology::kRailOptimised:
      return rail_optimised(ask);
    case Topology::kRailOnly:
      return rail_only(ask);
    case Topology::kDragonfly:
      return dragonfly(ask);
  }
  return std::nullopt;
}

Dragonfly balanced_dragonfly(std::int64_t endpoints_per_router) {
  const std::int64_t p = endpoints_per_router;
  const std::int64_t a = 2 * p;
  const std::int64_t h = p;
  Dragonfly whole;
  whole.groups = a * h + 1;
  whole.routers = a * whole.groups;
  whole.endpoints = p * whole.routers;
  whole.cables = whole.endpoints + whole.groups * (a * (a - 1) / 2) + whole.groups * a * h / 2;
  return whole;
}

Dollars network_price(const Network& network, const NetworkPrices& prices) {
  return prices.per_switch * static_cast<double>(network.switches()) +
         prices.per_link * static_cast<double>(network.cables);
}

Watts network_power(const Network& network, const NetworkPrices& prices) {
  return prices.switch_power * static_cast<double>(network.switches()) +
         prices.optic_power * (2.0 * static_cast<double>(network.cables));
}

ThinTier thin_tier(const NetworkQuestion& ask) {
  if (ask.topology == Topology::kDragonfly) {
    // Traffic between two groups takes a detour over a third, so that it passes two global links.
    constexpr double kDetour = 2;
    const std::int64_t p = (ask.radix + 1) / 4;
    return {2 * p * p, kDetour * std::max(1.0, ask.oversubscription)};
  }
  if (ask.oversubscription <= 1) return {};
  const std::int64_t down = down_ports(ask.radix, ask.oversubscription);
  // A leaf of a rail has one link to every node below it.
  const std::int64_t links = ask.topology == Topology::kFatTree ? 1 : std::max(1, ask.rails);
  return {down * links, ask.oversubscription};
}

}  // namespace loadfactor::facility
