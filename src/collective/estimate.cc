#include "collective/estimate.h"

#include <algorithm>
#include <cmath>

#include "collective/torus.h"

namespace loadfactor::collective {
namespace {

using catalog::Topology;

CollectiveTime faster(const CollectiveTime& a, const CollectiveTime& b) {
  return b.duration < a.duration ? b : a;
}

// What a group of some of the domain's ranks can use of each rank's links.
BytesPerSecond reachable(const Domain& domain, int ranks, Operation operation) {
  const bool pair = operation == Operation::kSendReceive;
  switch (domain.topology) {
    case Topology::kMesh:  // One link per peer: absent peers' links idle.
      return domain.link * ((pair ? 1.0 : ranks - 1.0) / std::max(1, domain.joined - 1));
    case Topology::kCubeMesh:  // Two of the links lead out of any quad.
      return ranks <= 2 || pair ? domain.link / 3.0 : domain.link;
    case Topology::kBridge:
    case Topology::kNone:
    case Topology::kSwitch:
    case Topology::kTorus2d:
    case Topology::kTorus3d:
    case Topology::kRing:
      break;
  }
  return domain.link;
}

double ring_steps(Operation operation, int ranks) {
  switch (operation) {
    case Operation::kAllToAll:
    case Operation::kSendReceive:
      return 1.0;
    case Operation::kAllReduce:
    case Operation::kReduceScatter:
    case Operation::kAllGather:
    case Operation::kBroadcast:
      break;
  }
  return ranks;
}

// How the ranks of the group lie in domains.
struct Spread {
  int inside = 1;   // Ranks per domain.
  int domains = 1;  // Domains the group spans.
};

Spread spread_of(const Group& group, const Network& network) {
  const int most = network.fabric ? network.domain.size : group.ranks;
  int inside = group.per_domain > 0 ? group.per_domain : std::min(group.ranks, most);
  inside = std::clamp(inside, 1, std::max(1, group.ranks));
  return {inside, (group.ranks + inside - 1) / inside};
}

bool leaves_leaf(const Fabric& fabric, const Spread& spread) {
  return fabric.leaf_nodes > 0 && spread.domains > fabric.leaf_nodes;
}

// The factor by which the tiers above the leaves slow an operation. A ring in the order of the
// nodes leaves each leaf from one node only, so the uplinks carry one node's bytes; pairs may all
// cross them. An all-to-all is not slowed here: it counts the bytes that cross by itself.
double crowding(Operation operation, const Fabric& fabric, const Spread& spread) {
  if (!leaves_leaf(fabric, spread) || operation == Operation::kAllToAll) return 1.0;
  if (operation == Operation::kSendReceive) return fabric.oversubscription;
  return std::max(1.0, fabric.oversubscription / fabric.leaf_nodes);
}

// The rate at which one rank sends to other nodes while its neighbours do too.
BytesPerSecond nic_share(Operation operation, const Fabric& fabric, const Group& group,
                         const Spread& spread) {
  const int senders = group.senders > 0 ? group.senders : fabric.node_ranks;
  const double sharing = std::clamp(senders, 1, fabric.node_ranks);
  return fabric.node_rate * (fabric.fraction / sharing / crowding(operation, fabric, spread));
}

Seconds step_latency(const Fabric& fabric) {
  return fabric.latency + fabric.switch_latency * fabric.extra_hops;
}

// One rank per domain: ring, tree, or a sum in the network.
CollectiveTime between(Operation operation, Bytes bytes, int domains, const Fabric& fabric,
                       BytesPerSecond rate) {
  if (domains <= 1) return {};
  const Seconds step = step_latency(fabric);
  const double levels = std::ceil(std::log2(static_cast<double>(domains)));
  const Bytes wire = bytes * wire_share(operation, domains);
  const double rounds = operation == Operation::kAllReduce ? 2.0 : 1.0;
  if (operation == Operation::kAllToAll || operation == Operation::kSendReceive) {
    return {fabric.start + step + wire / rate, Algorithm::kDirect};
  }
  const bool is_broadcast = operation == Operation::kBroadcast;
  CollectiveTime best{fabric.start + step * (rounds * (domains - 1.0)) + wire / rate,
                      Algorithm::kRing};
  // Two trees, each with half of the bytes, each rank inner in one of them; or halving.
  const bool tree = operation == Operation::kAllReduce || is_broadcast;
  const double share = tree ? fabric.tree_share : fabric.halving_share;
  best = faster(best, {fabric.start + step * (rounds * levels) + bytes * rounds / (rate * share),
                       Algorithm::kTree});
  if (operation == Operation::kAllReduce && fabric.in_network) {
    best = faster(best, {fabric.start + step * 2.0 + bytes / rate, Algorithm::kInSwitch});
  }
  return best;
}

// Reduces inside each domain first, so that every rank carries its share between domains.
CollectiveTime hierarchical(Operation operation, Bytes bytes, const Spread& spread,
                            const Network& network, BytesPerSecond rate) {
  const Domain& domain = network.domain;
  const Bytes share = bytes / spread.inside;
  const auto inside = [&](Operation part) {
    return estimate_inside(part, bytes, spread.inside, domain).duration;
  };
  const Seconds outside = between(operation, share, spread.domains, *network.fabric, rate).duration;
  switch (operation) {
    case Operation::kAllReduce:
      return {inside(Operation::kReduceScatter) + outside + inside(Operation::kAllGather),
              Algorithm::kHierarchical};
    case Operation::kReduceScatter:
    case Operation::kAllGather:
      return {inside(operation) + outside, Algorithm::kHierarchical};
    case Operation::kBroadcast:
      return {outside + inside(Operation::kAllGather), Algorithm::kHierarchical};
    case Operation::kAllToAll:
    case Operation::kSendReceive:
      break;
  }
  return {outside, Algorithm::kHierarchical};
}

// One ring through all ranks, a copy of it on every rail, so that all NICs carry it.
CollectiveTime flat_ring(Operation operation, Bytes bytes, const Spread& spread,
                         const Network& network, BytesPerSecond rate) {
  const Fabric& fabric = *network.fabric;
  const int ranks = spread.inside * spread.domains;
  const Domain& domain = network.domain;
  const bool bus = domain.on_bus(spread.inside);
  const Protocol& local =
      bus ? domain.bus->ring[static_cast<std::size_t>(operation)] : domain.of(operation);
  const BytesPerSecond inner = local.fraction * (bus ? domain.bus->rate(spread.inside)
                                                     : reachable(domain, spread.inside, operation));
  const BytesPerSecond slowest = spread.inside > 1 ? std::min(inner, rate * spread.inside) : rate;
  const double rounds = operation == Operation::kAllReduce ? 2.0 : 1.0;
  const Seconds steps = local.per_rank * (rounds * (ranks - spread.domains)) +
                        step_latency(fabric) * (rounds * (spread.domains - 1.0));
  return {fabric.start + steps + bytes * wire_share(operation, ranks) / slowest, Algorithm::kRing};
}

// Bytes for neighbours and bytes for other domains travel at the same time.
CollectiveTime all_to_all(Bytes bytes, const Spread& spread, const Network& network,
                          BytesPerSecond rate) {
  const double ranks = spread.inside * spread.domains;
  const Bytes near = bytes * (spread.inside / ranks);
  const Bytes far = bytes * ((ranks - spread.inside) / ranks);
  const Seconds local =
      estimate_inside(Operation::kAllToAll, near, spread.inside, network.domain).duration;
  const Fabric& fabric = *network.fabric;
  // Beyond the leaf only those bytes are slowed that leave it.
  const double reach = spread.inside * double(fabric.leaf_nodes);
  const Bytes beyond = leaves_leaf(fabric, spread)
                           ? bytes * ((ranks - reach) / ranks * fabric.oversubscription)
                           : Bytes{};
  const Seconds remote = fabric.start + step_latency(fabric) + std::max(far, beyond) / rate;
  return {std::max(local, remote), Algorithm::kDirect};
}

// Engines leave the sums of such groups to the library.
CollectiveTime over_bus(Operation operation, Bytes bytes, int ranks, const Bus& bus) {
  const bool direct = operation == Operation::kAllToAll || operation == Operation::kSendReceive;
  const Protocol& protocol = bus.ring[static_cast<std::size_t>(operation)];
  return {protocol.time(bytes * wire_share(operation, ranks), ring_steps(operation, ranks), ranks,
                        bus.rate(ranks)),
          direct ? Algorithm::kDirect : Algorithm::kRing};
}

}  // namespace

CollectiveTime estimate_inside(Operation operation, Bytes bytes, int ranks, const Domain& domain) {
  if (ranks <= 1 || bytes <= Bytes{}) return {};
  if (domain.topology == Topology::kTorus2d || domain.topology == Topology::kTorus3d ||
      domain.topology == Topology::kRing) {
    return torus_time(operation, bytes, ranks, domain);
  }
  if (domain.on_bus(ranks)) return over_bus(operation, bytes, ranks, *domain.bus);
  const Protocol& protocol = domain.of(operation);
  const BytesPerSecond link = reachable(domain, ranks, operation);
  const bool direct = operation == Operation::kAllToAll || operation == Operation::kSendReceive;
  CollectiveTime best{protocol.time(bytes * wire_share(operation, ranks),
                                    ring_steps(operation, ranks), ranks, link),
                      direct ? Algorithm::kDirect : Algorithm::kRing};
  if (operation != Operation::kAllReduce) return best;
  if (domain.in_switch) {
    // Every rank sends its buffer once and receives the sum once, both ways at the same time.
    best = faster(best, {domain.in_switch->time(bytes, 1.0, ranks, link), Algorithm::kInSwitch});
  }
  if (domain.one_shot) {
    best = faster(best, {domain.one_shot->time(bytes * one_shot_share(ranks), ranks, ranks, link),
                         Algorithm::kOneShot});
  }
  if (domain.two_shot) {
    best = faster(best,
                  {domain.two_shot->time(bytes * wire_share(operation, ranks), ranks, ranks, link),
                   Algorithm::kTwoShot});
  }
  return best;
}

CollectiveTime estimate(Operation operation, Bytes bytes, const Group& group,
                        const Network& network) {
  if (group.ranks <= 1 || bytes <= Bytes{}) return {};
  const Spread spread = spread_of(group, network);
  if (spread.domains <= 1 || !network.fabric) {
    return estimate_inside(operation, bytes, group.ranks, network.domain);
  }
  const BytesPerSecond rate = nic_share(operation, *network.fabric, group, spread);
  if (operation == Operation::kAllToAll) return all_to_all(bytes, spread, network, rate);
  if (spread.inside == 1 || operation == Operation::kSendReceive) {
    return between(operation, bytes, spread.domains, *network.fabric, rate);
  }
  return faster(hierarchical(operation, bytes, spread, network, rate),
                flat_ring(operation, bytes, spread, network, rate));
}

}  // namespace loadfactor::collective
