#include "collective/network.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/error_codes.h"

namespace loadfactor::collective {
namespace {

using catalog::CollectiveRow;
using catalog::CollectiveTable;

const CollectiveRow* find_row(const CollectiveTable& table, std::string_view link,
                              std::string_view algorithm, std::string_view operation) {
  for (const CollectiveRow& row : table.rows) {
    if (row.link == link && row.algorithm == algorithm && row.operation == operation) return &row;
  }
  return nullptr;
}

Protocol protocol_of(const CollectiveRow& row) {
  return {row.start, row.per_rank, row.extra, row.low, row.fraction, row.loss, row.points > 0};
}

// The row of the link itself, of its wiring, or of a switch.
const CollectiveRow* nearest_row(const CollectiveTable& table, std::string_view own,
                                 catalog::Topology wiring, std::string_view algorithm,
                                 std::string_view operation) {
  for (const std::string_view link : {own, catalog::name(wiring), std::string_view("switch")}) {
    if (const auto* row = find_row(table, link, algorithm, operation)) return row;
  }
  return nullptr;
}

using Rings = std::array<Protocol, kOperations.size()>;

Result<Rings> rings_of(const CollectiveTable& table, const std::string& link,
                       catalog::Topology wiring) {
  Rings rings;
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    const auto* row = nearest_row(table, link, wiring, "ring", kOperations[i]);
    if (row == nullptr) {
      return Error{
          .code = lf::kUnknownQuantity,
          .message = "no calibration of '" + std::string(kOperations[i]) + "' over '" + link + "'",
          .hint = "data/calibration/collectives.yaml needs a row for the link or 'switch'"};
    }
    rings[i] = protocol_of(*row);
  }
  return rings;
}

// The bus behind accelerators that no link joins, or not all of those of a node.
Result<std::optional<Bus>> make_bus(const Machine& machine, const CollectiveTable& table) {
  const catalog::AcceleratorSpec& chip = *machine.chip;
  const bool alone = chip.scale_up.topology == catalog::Topology::kNone;
  const bool groups = chip.host && machine.node != nullptr &&
                      machine.node->gpus > std::max(1, chip.scale_up.domain);
  if (!alone && !groups) return std::optional<Bus>{};
  Bus bus;
  bus.link = chip.host ? chip.host->bandwidth : chip.scale_up.bandwidth;
  const std::string& link = alone || !chip.host ? chip.scale_up.link : chip.host->fabric;
  TRY(bus.ring, rings_of(table, link, catalog::Topology::kNone));
  if (machine.node != nullptr && machine.node->bus) {
    const catalog::NodeBus& known = *machine.node->bus;
    bus.per_switch = known.per_switch;
    bus.per_socket = known.per_socket;
    bus.beyond_switch = known.beyond_switch;
    bus.beyond_socket = known.beyond_socket;
  }
  return std::optional<Bus>{bus};
}

Result<Domain> make_domain(const Machine& machine, const CollectiveTable& table,
                           const NetworkOptions& options) {
  const catalog::AcceleratorSpec& chip = *machine.chip;
  Domain domain;
  domain.topology = chip.scale_up.topology;
  domain.size = std::max(1, options.domain_size.value_or(chip.scale_up.domain));
  domain.link = chip.scale_up.bandwidth;
  TRY(domain.bus, make_bus(machine, table));
  const bool alone = domain.topology == catalog::Topology::kNone;
  // A bridge is bought apart, and machines that are rented seldom have it: where others stand in
  // the box and nobody says that it is there, a pair meets on the bus too.
  const bool may_be_bridged = domain.topology == catalog::Topology::kBridge && domain.bus;
  domain.joined = alone || (may_be_bridged && !options.domain_size) ? 1 : domain.size;
  // Neighbours in the box are reached over its bus.
  if (domain.bus && !options.domain_size && machine.node != nullptr)
    domain.size = std::max(domain.size, machine.node->gpus);
  TRY(domain.ring, rings_of(table, chip.scale_up.link, domain.topology));
  for (const Protocol& ring : domain.ring) domain.hop = std::max(domain.hop, ring.per_rank);
  if (alone) return domain;
  // Only the link's own row counts here: not every switch can add up.
  if (options.in_switch) {
    if (const auto* row = find_row(table, chip.scale_up.link, "in-switch", kOperations[0])) {
      domain.in_switch = protocol_of(*row);
    }
  }
  if (options.one_shot) {
    const auto own = [&](std::string_view algorithm) {
      const auto* row =
          nearest_row(table, chip.scale_up.link, domain.topology, algorithm, kOperations[0]);
      return row == nullptr ? std::optional<Protocol>{} : protocol_of(*row);
    };
    domain.one_shot = own("one-shot");
    domain.two_shot = own("two-shot");
  }
  return domain;
}

const catalog::TransportRow* find_transport(const CollectiveTable& table, Transport transport) {
  const std::string_view wanted = kTransports[static_cast<std::size_t>(transport)];
  for (const auto& row : table.transports) {
    if (row.transport == wanted) return &row;
  }
  return nullptr;
}

BytesPerSecond node_rate(const Machine& machine, const NetworkOptions& options, int ranks) {
  if (options.per_rank) return *options.per_rank * ranks;
  if (machine.node != nullptr && machine.node->network) {
    return machine.node->network->bandwidth * machine.node->network->nics;
  }
  if (machine.chip->scale_out) return machine.chip->scale_out->bandwidth * ranks;
  return BytesPerSecond{};
}

// What staging and the transport leave of a node's line rate.
BytesPerSecond usable_rate(BytesPerSecond line, const catalog::TransportRow& row,
                           const catalog::AcceleratorSpec& chip, int ranks) {
  BytesPerSecond rate = line;
  if (row.host_share > 0.0 && chip.host) {
    rate = std::min(rate, chip.host->bandwidth * row.host_share * ranks);
  }
  if (row.ceiling > BytesPerSecond{}) rate = std::min(rate, row.ceiling * ranks);
  return rate;
}

}  // namespace

Result<Network> make_network(const Machine& machine, const CollectiveTable& table,
                             const NetworkOptions& options) {
  Network network;
  const catalog::AcceleratorSpec& chip = *machine.chip;
  TRY(network.domain, make_domain(machine, table, options));
  const int ranks = machine.node != nullptr && machine.node->gpus > 0
                        ? machine.node->gpus
                        : std::min(network.domain.size, 8);
  const BytesPerSecond line = node_rate(machine, options, std::max(1, ranks));
  const auto* transport = find_transport(table, options.transport);
  if (line <= BytesPerSecond{} || transport == nullptr) return network;
  Fabric fabric;
  fabric.node_ranks = std::max(1, ranks);
  fabric.node_rate = usable_rate(line, *transport, chip, fabric.node_ranks);
  fabric.oversubscription = std::max(1.0, options.oversubscription);
  fabric.leaf_nodes = options.leaf_nodes;
  fabric.start = transport->start;
  fabric.latency = transport->latency;
  fabric.fraction = transport->fraction;
  fabric.in_network = options.in_network;
  network.fabric = fabric;
  return network;
}

}  // namespace loadfactor::collective
