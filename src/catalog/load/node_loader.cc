#include "catalog/load/node_loader.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Word;

constexpr std::array kCoolings{
    Word<std::string_view>{"air", "air"},
    Word<std::string_view>{"liquid", "liquid"},
};

std::optional<NodeHost> read_host(MapReader& reader) {
  auto block = reader.map("host", false);
  if (!block) return std::nullopt;
  NodeHost host;
  host.cpus = block->maybe_text("cpus").value_or("");
  host.cores = static_cast<int>(block->maybe_integer("cores", {1, 1e5}).value_or(0));
  host.memory = block->maybe_quantity<Bytes>("memory", {1e9, 1e15, true}).value_or(Bytes());
  host.nvme = block->maybe_quantity<Bytes>("nvme", {1e9, 1e16, true}).value_or(Bytes());
  host.bandwidth = block->maybe_quantity<BytesPerSecond>("bandwidth", {1e9, 1e15, true});
  host.uplink_gpus = static_cast<int>(block->maybe_integer("uplink_gpus", {1, 1024}).value_or(1));
  host.provenance = read_provenance(*block);
  block->finish();
  return host;
}

std::optional<NodeNetwork> read_network(MapReader& reader) {
  auto block = reader.map("network", false);
  if (!block) return std::nullopt;
  NodeNetwork network;
  network.nics = static_cast<int>(block->integer("nics", {1, 1024}));
  network.bandwidth = block->quantity<BytesPerSecond>("bandwidth", {1e8, 1e13, true});
  network.fabric = block->text("fabric");
  network.provenance = read_provenance(*block);
  block->finish();
  return network;
}

std::optional<NodeBus> read_bus(MapReader& reader) {
  auto block = reader.map("bus", false);
  if (!block) return std::nullopt;
  NodeBus bus = read_bus_facts(*block);
  block->finish();
  return bus;
}

std::optional<NodePower> read_node_power(MapReader& reader) {
  auto block = reader.map("power", false);
  if (!block) return std::nullopt;
  NodePower power;
  power.max = block->quantity<Watts>("max", {5.0, 2e6, true});
  power.typical = block->maybe_quantity<Watts>("typical", {1.0, 2e6, true});
  power.idle = block->maybe_quantity<Watts>("idle", {0.1, 2e6, true});
  power.cooling = block->maybe_word<std::string_view>("cooling", kCoolings).value_or("");
  power.rack_units = static_cast<int>(block->maybe_integer("units", {1, 100}).value_or(0));
  power.provenance = read_provenance(*block);
  block->finish();
  return power;
}

std::optional<NodePrice> read_price(MapReader& reader) {
  auto block = reader.map("price", false);
  if (!block) return std::nullopt;
  NodePrice price;
  price.capex = block->quantity<Dollars>("capex", {10, 1e8, true});
  price.low = block->maybe_quantity<Dollars>("low", {10, 1e8, true}).value_or(price.capex);
  price.high = block->maybe_quantity<Dollars>("high", {10, 1e8, true}).value_or(price.capex);
  price.provenance = read_provenance(*block);
  const bool is_known = price.capex > Dollars();
  if (is_known && (price.low > price.capex || price.capex > price.high)) {
    block->report("capex", lf::kInconsistentFigures, "the price lies outside its own bounds",
                  "low <= capex <= high must hold");
  }
  block->finish();
  return price;
}

}  // namespace

NodeBus read_bus_facts(MapReader& block) {
  NodeBus bus;
  bus.per_switch = static_cast<int>(block.integer("per_switch", {1, 1024}));
  bus.per_socket = static_cast<int>(block.integer("per_socket", {1, 1024}));
  bus.beyond_switch = block.count("beyond_switch", {0.001, 1});
  bus.beyond_socket = block.count("beyond_socket", {0.001, 1});
  bus.provenance = read_provenance(block);
  if (bus.per_socket < bus.per_switch) {
    block.report("per_socket", lf::kInconsistentFigures,
                 "a processor has fewer accelerators than one of its switches",
                 "per_switch <= per_socket must hold");
  }
  if (bus.beyond_socket > bus.beyond_switch) {
    block.report("beyond_socket", lf::kInconsistentFigures,
                 "more is left between processors than between switches",
                 "beyond_socket <= beyond_switch must hold");
  }
  return bus;
}

NodeSpec load_node(const DataFile& file, Diagnostics& diagnostics) {
  NodeSpec spec;
  spec.name = stem(file.path);
  const auto document = open_entry(file, diagnostics);
  if (!document) return spec;
  MapReader reader(*document, document->root, "node", diagnostics);
  spec.title = read_head(reader, "node/1", file).title;
  spec.accelerator = reader.text("accelerator");
  spec.gpus = static_cast<int>(reader.integer("gpus", {1, 1e5}));
  spec.host = read_host(reader);
  spec.network = read_network(reader);
  spec.bus = read_bus(reader);
  spec.power = read_node_power(reader);
  spec.price = read_price(reader);
  spec.note = reader.maybe_text("note").value_or("");
  reader.finish();
  spec.provenance = combine(
      {spec.host ? &spec.host->provenance : nullptr,
       spec.network ? &spec.network->provenance : nullptr,
       spec.bus ? &spec.bus->provenance : nullptr, spec.power ? &spec.power->provenance : nullptr},
      file.shown_as);
  return spec;
}

}  // namespace loadfactor::catalog
