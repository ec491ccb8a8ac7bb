#include "catalog/load/accelerator_loader.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr std::array kForms{
    Word<std::string_view>{"sxm", "sxm"},
    Word<std::string_view>{"pcie", "pcie"},
    Word<std::string_view>{"nvl", "nvl"},
    Word<std::string_view>{"oam", "oam"},
    Word<std::string_view>{"superchip", "superchip"},
    Word<std::string_view>{"tpu", "tpu"},
    Word<std::string_view>{"card", "card"},
    Word<std::string_view>{"module", "module"},
    Word<std::string_view>{"wafer", "wafer"},
    Word<std::string_view>{"system", "system"},
};
constexpr std::array kStatuses{
    Word<Status>{"announced", Status::kAnnounced},
    Word<Status>{"current", Status::kCurrent},
    Word<Status>{"legacy", Status::kLegacy},
};
// What is believed of one chip, from an edge module to a wafer; beyond is a slip of the prefix.
constexpr Range kMemorySize{50e6, 100e12, true};
constexpr Range kMemoryRate{1e9, 1e17, true};
constexpr Range kRate{1e10, 1e18, true};
constexpr Range kLinkRate{1e8, 1e15, true};
constexpr Range kPower{1.0, 100e3, true};

void read_lifecycle(MapReader& reader, AcceleratorSpec& spec) {
  auto block = reader.map("lifecycle");
  if (!block) return;
  spec.released = static_cast<int>(block->integer("released", {2000, 2100}));
  spec.status = block->word<Status>("status", kStatuses, Status::kCurrent);
  spec.lifecycle_provenance = read_provenance(*block);
  block->finish();
}

AcceleratorMemory read_memory(MapReader& reader) {
  AcceleratorMemory memory;
  auto block = reader.map("memory");
  if (!block) return memory;
  memory.nominal = block->quantity<Bytes>("nominal", kMemorySize);
  memory.usable = block->quantity<Bytes>("usable", kMemorySize);
  memory.bandwidth = block->quantity<BytesPerSecond>("bandwidth", kMemoryRate);
  memory.type = block->text("type");
  memory.provenance = read_provenance(*block);
  constexpr std::array kAssumed{Word<bool>{"assumed", true}};
  memory.usable_assumed = block->maybe_word<bool>("usable_kind", kAssumed).value_or(false);
  block->finish();
  return memory;
}

AcceleratorArithmetic read_arithmetic(MapReader& reader) {
  AcceleratorArithmetic arithmetic;
  auto block = reader.map("arithmetic");
  if (!block) return arithmetic;
  bool has_rate = false;
  for (const auto& dtype : kDtypes) {
    const auto rate = block->maybe_quantity<FlopsPerSecond>(dtype.name, kRate);
    if (!rate) continue;
    arithmetic.dense[static_cast<std::size_t>(dtype.dtype)] = *rate;
    has_rate = true;
  }
  if (!has_rate) {
    reader.report("arithmetic", lf::kMissingKey, "'arithmetic' states no rate",
                  "write at least one, such as 'bf16: 989 TFLOP/s'");
  }
  const std::string sparsity = block->text("sparsity");
  if (!sparsity.empty() && sparsity != "dense") {
    block->report("sparsity", lf::kSparsePeak, "rates are dense, not " + in_quotes(sparsity),
                  "halve a figure quoted 'with sparsity' and write 'sparsity: dense'");
  }
  arithmetic.provenance = read_provenance(*block);
  block->finish();
  return arithmetic;
}

void read_measured(MapReader& reader, AcceleratorSpec& spec) {
  auto block = reader.map("measured", false);
  if (!block) return;
  spec.measured_matmul = block->quantity<FlopsPerSecond>("bf16", kRate);
  spec.measured_provenance = read_provenance(*block);
  block->finish();
}

ComputeUnits read_compute(MapReader& reader) {
  ComputeUnits compute;
  auto block = reader.map("compute", false);
  if (!block) return compute;
  compute.units = static_cast<int>(block->maybe_integer("units", {1, 2e6}).value_or(0));
  compute.l2 = block->maybe_quantity<Bytes>("l2", {1e3, 1e12, true}).value_or(Bytes());
  compute.clock = block->maybe_quantity<Hertz>("clock", {1e8, 1e10, true}).value_or(Hertz());
  compute.provenance = read_provenance(*block);
  block->finish();
  return compute;
}

ScaleUp read_scale_up(MapReader& reader) {
  ScaleUp scale_up;
  auto block = reader.map("scale_up");
  if (!block) return scale_up;
  scale_up.link = block->text("link");
  scale_up.bandwidth = block->quantity<BytesPerSecond>("bandwidth", kLinkRate);
  scale_up.domain = static_cast<int>(block->integer("domain", {1, 1e5}));
  const auto topology = read_topology(*block);
  scale_up.topology = topology.value_or(Topology::kNone);
  scale_up.provenance = read_provenance(*block);
  if (topology == Topology::kNone && scale_up.domain > 1) {
    block->report("domain", lf::kInconsistentFigures,
                  "topology 'none' has a domain of 1, not " + std::to_string(scale_up.domain),
                  "write 'domain: 1', or the topology of the links");
  }
  block->finish();
  return scale_up;
}

std::optional<Link> read_link(MapReader& reader, std::string_view key, std::string_view name_key) {
  auto block = reader.map(key, false);
  if (!block) return std::nullopt;
  Link link;
  link.fabric = block->text(name_key);
  link.bandwidth = block->quantity<BytesPerSecond>("bandwidth", kLinkRate);
  link.provenance = read_provenance(*block);
  block->finish();
  return link;
}

AcceleratorPower read_accelerator_power(MapReader& reader) {
  AcceleratorPower power;
  auto block = reader.map("power");
  if (!block) return power;
  power.rated = block->quantity<Watts>("rated", kPower);
  power.idle = block->maybe_quantity<Watts>("idle", {0.01, 50e3, true});
  power.provenance = read_provenance(*block);
  block->finish();
  return power;
}

void read_words(MapReader& reader, AcceleratorSpec& spec) {
  spec.vendor = reader.text("vendor");
  spec.family = reader.text("family");
  spec.aliases = reader.texts("aliases");
  spec.form = std::string(reader.word<std::string_view>("form", kForms, "card"));
  spec.stack = reader.texts("stack");
  if (spec.stack.empty()) {
    reader.report("stack", lf::kMissingKey, "accelerator needs 'stack'",
                  "write the software it runs, such as 'stack: [cuda]'");
  }
  spec.node = reader.maybe_text("node").value_or("");
  spec.note = reader.maybe_text("note").value_or("");
}

}  // namespace

AcceleratorSpec load_accelerator(const DataFile& file, Diagnostics& diagnostics) {
  AcceleratorSpec spec;
  spec.name = stem(file.path);
  const auto document = open_entry(file, diagnostics);
  if (!document) return spec;
  MapReader reader(*document, document->root, "accelerator", diagnostics);
  spec.title = read_head(reader, "accelerator/1", file).title;
  read_words(reader, spec);
  read_lifecycle(reader, spec);
  spec.memory = read_memory(reader);
  spec.arithmetic = read_arithmetic(reader);
  read_measured(reader, spec);
  spec.compute = read_compute(reader);
  spec.scale_up = read_scale_up(reader);
  spec.scale_out = read_link(reader, "scale_out", "fabric");
  spec.host = read_link(reader, "host", "link");
  spec.staged = read_link(reader, "staged", "link");
  spec.power = read_accelerator_power(reader);
  reader.finish();
  spec.provenance = combine({&spec.memory.provenance, &spec.arithmetic.provenance,
                             &spec.scale_up.provenance, &spec.power.provenance},
                            file.shown_as);
  return spec;
}

}  // namespace loadfactor::catalog
