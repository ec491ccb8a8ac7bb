#include "catalog/load/fabric_loader.h"

#include <array>
#include <optional>
#include <string>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr std::array kRoles{
    Word<FabricRole>{"scale-up", FabricRole::kScaleUp},
    Word<FabricRole>{"scale-out", FabricRole::kScaleOut},
    Word<FabricRole>{"host", FabricRole::kHost},
    Word<FabricRole>{"memory", FabricRole::kMemory},
};
constexpr Range kFabricRate{1e7, 1e15, true};

void read_bandwidth(MapReader& reader, FabricSpec& spec) {
  auto block = reader.map("bandwidth");
  if (!block) return;
  spec.bandwidth = block->quantity<BytesPerSecond>("per_direction", kFabricRate);
  spec.quoted = block->maybe_quantity<BytesPerSecond>("quoted", kFabricRate);
  spec.quoted_as = block->maybe_text("quoted_as").value_or("");
  spec.bandwidth_provenance = read_provenance(*block);
  block->finish();
}

void read_latency(MapReader& reader, FabricSpec& spec) {
  auto block = reader.map("latency", false);
  if (!block) return;
  spec.latency = block->quantity<Seconds>("one_way", {1e-9, 0.1, true});
  spec.latency_provenance = read_provenance(*block);
  block->finish();
}

void read_domain(MapReader& reader, FabricSpec& spec) {
  auto block = reader.map("domain", false);
  if (!block) return;
  spec.max_domain = static_cast<int>(block->maybe_integer("max", {1, 1e6}).value_or(0));
  block->allow("topology");
  if (block->has("topology")) spec.topology = read_topology(*block);
  spec.domain_provenance = read_provenance(*block);
  block->finish();
}

void read_achieved(MapReader& reader, FabricSpec& spec) {
  auto block = reader.map("achieved", false);
  if (!block) return;
  // In-network reduction moves less than the ring it is compared with, so 1 may be passed.
  spec.achieved_fraction = block->ratio("fraction", {0.01, 1.1});
  spec.achieved_what = block->text("what");
  spec.achieved_provenance = read_provenance(*block);
  block->finish();
}

void read_price(MapReader& reader, FabricSpec& spec) {
  auto block = reader.map("price", false);
  if (!block) return;
  spec.price_per_link = block->maybe_quantity<Dollars>("per_link", {0.01, 1e7, true});
  spec.price_per_switch = block->maybe_quantity<Dollars>("per_switch", {1, 1e8, true});
  spec.price_provenance = read_provenance(*block);
  block->finish();
}

void read_switch(MapReader& reader, FabricSpec& spec) {
  auto block = reader.map("switch", false);
  if (!block) return;
  spec.switch_ports = static_cast<int>(block->integer("ports", {1, 1e5}));
  spec.switch_provenance = read_provenance(*block);
  block->finish();
}

}  // namespace

FabricSpec load_fabric(const DataFile& file, Diagnostics& diagnostics) {
  FabricSpec spec;
  spec.name = stem(file.path);
  const auto document = open_entry(file, diagnostics);
  if (!document) return spec;
  MapReader reader(*document, document->root, "fabric", diagnostics);
  spec.title = read_head(reader, "fabric/1", file).title;
  spec.role = reader.word<FabricRole>("role", kRoles, FabricRole::kScaleOut);
  read_bandwidth(reader, spec);
  read_latency(reader, spec);
  read_domain(reader, spec);
  read_achieved(reader, spec);
  read_price(reader, spec);
  read_switch(reader, spec);
  spec.note = reader.maybe_text("note").value_or("");
  reader.finish();
  spec.provenance = combine({&spec.bandwidth_provenance}, file.shown_as);
  return spec;
}

}  // namespace loadfactor::catalog
