// What a scenario says of the network between nodes, as a step feels it.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "collective/network.h"
#include "config/reader.h"
#include "facility/network.h"
#include "resolve/train/train_stack.h"

namespace loadfactor::engine {
namespace {

const catalog::TransportRow* find_transport(const catalog::CollectiveTable& table,
                                            std::string_view name) {
  const auto found =
      std::find_if(table.transports.begin(), table.transports.end(),
                   [&](const catalog::TransportRow& row) { return row.transport == name; });
  return found == table.transports.end() ? nullptr : &*found;
}

// The rate that staging in the host's memory and a transport's ceiling leave of a line.
BytesPerSecond left_of(BytesPerSecond line, const catalog::TransportRow& row,
                       const catalog::AcceleratorSpec& chip) {
  BytesPerSecond rate = line;
  if (row.host_share > 0 && chip.host) rate = std::min(rate, chip.host->bandwidth * row.host_share);
  if (row.ceiling > BytesPerSecond()) rate = std::min(rate, row.ceiling);
  return rate;
}

void set_transport(TrainSetup& setup, const config::Name& asked, Diagnostics& diagnostics) {
  const catalog::CollectiveTable& table = setup.data->collectives;
  const std::vector<std::string> names(collective::kTransports.begin(),
                                       collective::kTransports.end());
  const auto* row = find_transport(table, asked.value);
  const auto* direct = find_transport(table, names.front());
  if (row == nullptr || direct == nullptr) {
    const auto nearest = config::suggest(asked.value, names);
    diagnostics.add(
        setup.error(lf::kUnknownWord, asked.position, fmt::format("no transport '{}'", asked.value),
                    (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                        fmt::format("one of: {}", fmt::join(names, ", "))));
    return;
  }
  const auto& chip = *setup.job.chip;
  training::FabricOverride& fabric = setup.job.fabric;
  if (chip.scale_out) {
    const BytesPerSecond line = fabric.scale_out.value_or(chip.scale_out->bandwidth);
    fabric.transport_share = left_of(line, *row, chip) / line;
  }
  fabric.transport_share *= row->fraction / direct->fraction;
  fabric.transport_latency = std::max(Seconds(), row->latency - direct->latency);
}

void set_tiers(TrainSetup& setup, const config::NetworkSection& asked, Diagnostics& diagnostics) {
  facility::NetworkQuestion ask;
  if (asked.topology) {
    const auto rows = facility::topologies();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
      return row.name == asked.topology->value;
    });
    if (found == rows.end()) {
      diagnostics.add(setup.error(lf::kUnknownWord, asked.topology->position,
                                  fmt::format("no topology '{}'", asked.topology->value),
                                  "one of: fat-tree, rail-optimised, rail-only, dragonfly"));
      return;
    }
    ask.topology = found->topology;
  }
  if (asked.radix) ask.radix = static_cast<int>(asked.radix->value);
  if (asked.oversubscription) ask.oversubscription = asked.oversubscription->value;
  ask.rails = setup.job.fabric.gpus_per_node.value_or(8);
  const facility::ThinTier tier = facility::thin_tier(ask);
  constexpr std::int64_t kMaxEndpoints = 1'000'000'000;
  setup.job.fabric.leaf_gpus = static_cast<int>(std::min(tier.endpoints, kMaxEndpoints));
  setup.job.fabric.oversubscription = tier.oversubscription;
}

}  // namespace

void choose_network(TrainSetup& setup, Diagnostics& diagnostics) {
  if (setup.job.chip == nullptr || !setup.scenario.facility) return;
  const config::NetworkSection& asked = setup.scenario.facility->network;
  set_tiers(setup, asked, diagnostics);
  if (asked.transport) set_transport(setup, *asked.transport, diagnostics);
}

}  // namespace loadfactor::engine
