// What a collective runs over: one scale-up domain, and the network between domains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/collective_table.h"
#include "catalog/spec/fabric_spec.h"
#include "catalog/spec/node_spec.h"
#include "catalog/spec/topology.h"
#include "collective/protocol.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::collective {

// The bus of a host: what is left to groups that no link of their own joins.
struct Bus {
  BytesPerSecond link;  // Per accelerator, one direction, to a neighbour behind the same switch.
  std::array<Protocol, kOperations.size()> ring;
  int per_switch = 0;  // Accelerators behind one switch, and of one processor; 0: not known, and
  int per_socket = 0;  // every group is as fast as neighbours are.
  double beyond_switch = 1.0;  // Share of the rate that a group keeps which leaves a switch,
  double beyond_socket = 1.0;  // and one which leaves a processor.

  BytesPerSecond rate(int ranks) const {
    if (per_socket > 0 && ranks > per_socket) return link * beyond_socket;
    return per_switch > 0 && ranks > per_switch ? link * beyond_switch : link;
  }
};

// The accelerators that reach one another without a network.
struct Domain {
  catalog::Topology topology = catalog::Topology::kSwitch;
  int size = 8;         // Accelerators in it.
  int joined = 8;       // Those that links of their own join; the others meet on the bus.
  BytesPerSecond link;  // Per accelerator, one direction, all its links together.
  std::optional<Bus> bus;
  Seconds hop;  // Latency of one hop of a torus.
  std::array<Protocol, kOperations.size()> ring;
  std::optional<Protocol> in_switch;  // All-reduce only.
  std::optional<Protocol> one_shot;   // All-reduce only; so is the next.
  std::optional<Protocol> two_shot;

  const Protocol& of(Operation operation) const {
    return ring[static_cast<std::size_t>(operation)];
  }
  bool on_bus(int ranks) const { return bus.has_value() && ranks > joined; }
  // Whether nobody says how a group of so many lies on its bus. Two are taken for neighbours.
  bool is_guessed(int ranks) const { return on_bus(ranks) && ranks > 2 && bus->per_switch == 0; }
};

enum class Transport : std::uint8_t {
  kGpuDirect,   // The NIC reads accelerator memory.
  kHostStaged,  // Through a copy in host memory.
  kMpi,
  kGloo,  // Sums on the host, over sockets.
};
inline constexpr std::array<std::string_view, 4> kTransports{"direct", "staged", "mpi", "gloo"};

// The network between domains. Rails and full fat trees carry every NIC at its rate; above an
// oversubscribed tier, or between the groups of a dragonfly, ranks share what is left.
struct Fabric {
  BytesPerSecond node_rate;       // All NICs of a node together, one direction.
  int node_ranks = 8;             // Accelerators that share these NICs.
  double oversubscription = 1.0;  // Downlink over uplink rate of the tiers above the leaves.
  int leaf_nodes = 0;             // Nodes below one leaf (or in one dragonfly group); 0: all.
  int extra_hops = 0;             // Switches passed beyond the first.
  Seconds switch_latency;
  Seconds start;
  Seconds latency;             // Time that each step adds.
  double fraction = 0.8;       // Share of the line rate that is reached.
  double tree_share = 0.85;    // Share of the rate for trees, whose inner ranks receive and send.
  double halving_share = 0.5;  // Share of the rate for gathers and scatters in log₂ n steps.
  bool in_network = false;     // Switches of the network sum what passes through them.
};

struct Network {
  Domain domain;
  std::optional<Fabric> fabric;  // Nothing: one domain is all there is.
};

// What a job may change about the catalogue's machine.
struct NetworkOptions {
  Transport transport = Transport::kGpuDirect;
  std::optional<int> domain_size;
  std::optional<BytesPerSecond> per_rank;  // Scale-out rate of one accelerator.
  double oversubscription = 1.0;
  int leaf_nodes = 0;
  bool one_shot = false;  // The stack has its own small all-reduces, in one shot and in two.
  bool in_switch = true;
  bool in_network = false;
};

// What the catalogue knows of the machine; only `chip` is needed.
struct Machine {
  const catalog::AcceleratorSpec* chip = nullptr;
  const catalog::NodeSpec* node = nullptr;
  const catalog::FabricSpec* fabric = nullptr;  // The scale-out network.
};

// Builds a network from the catalogue and the fitted table. Links without a row take that of
// their wiring, then that of a switch; LF409 where the table has neither.
Result<Network> make_network(const Machine& machine, const catalog::CollectiveTable& table,
                             const NetworkOptions& options = {});

}  // namespace loadfactor::collective
