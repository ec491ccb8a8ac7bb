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
const CollectiveRow* nearest_row(const CollectiveTable& table, const catalog::AcceleratorSpec& chip,
                                 std::string_view algorithm, std::string_view operation) {
  for (const std::string_view link :
       {std::string_view(chip.scale_up.link), catalog::name(chip.scale_up.topology),
        std::string_view("switch")}) {
    if (const auto* row = find_row(table, link, algorithm, operation)) return row;
  }
  return nullptr;
}

Result<Domain> make_domain(const Machine& machine, const CollectiveTable& table,
                           const NetworkOptions& options) {
  const catalog::AcceleratorSpec& chip = *machine.chip;
  const catalog::NodeSpec* node = machine.node;
  Domain domain;
  domain.topology = chip.scale_up.topology;
  domain.size = std::max(1, options.domain_size.value_or(chip.scale_up.domain));
  domain.link = chip.scale_up.bandwidth;
  domain.host_link = chip.host ? chip.host->bandwidth : chip.scale_up.bandwidth;
  if (domain.topology == catalog::Topology::kNone) {
    // Neighbours in the box are reached over its bus.
    domain.link = domain.host_link;
    if (!options.domain_size && node != nullptr && node->gpus > 0) domain.size = node->gpus;
  }
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    const auto* row = nearest_row(table, chip, "ring", kOperations[i]);
    if (row == nullptr) {
      return Error{
          .code = lf::kUnknownQuantity,
          .message = "no calibration of '" + std::string(kOperations[i]) + "' over '" +
                     chip.scale_up.link + "'",
          .hint = "data/calibration/collectives.yaml needs a row for the link or 'switch'"};
    }
    domain.ring[i] = protocol_of(*row);
    domain.hop = std::max(domain.hop, row->per_rank);
  }
  // Only the link's own row counts here: not every switch can add up.
  if (options.in_switch) {
    if (const auto* row = find_row(table, chip.scale_up.link, "in-switch", kOperations[0])) {
      domain.in_switch = protocol_of(*row);
    }
  }
  if (options.one_shot) {
    if (const auto* row = nearest_row(table, chip, "one-shot", kOperations[0])) {
      domain.one_shot = protocol_of(*row);
    }
    if (const auto* row = nearest_row(table, chip, "two-shot", kOperations[0])) {
      domain.two_shot = protocol_of(*row);
    }
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
