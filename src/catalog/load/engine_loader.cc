#include "catalog/load/engine_loader.h"

#include <array>
#include <string>

#include "catalog/load/entry_reader.h"
#include "catalog/load/generation_loader.h"
#include "config/reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr std::array kFractionWords{
    Word<FractionOf>{"total", FractionOf::kTotal},
    Word<FractionOf>{"static", FractionOf::kStatic},
    Word<FractionOf>{"free", FractionOf::kFree},
};
constexpr Range kFraction{0.05, 1.0};
constexpr Range kBlockTokens{1, 4096};
constexpr Range kTokens{1, 1e8};
constexpr Range kProcessBytes{0, 64e9};

void read_memory(MapReader& reader, EngineMemory& memory) {
  auto block = reader.map("memory");
  if (!block) return;
  memory.fraction = block->ratio("fraction", kFraction);
  memory.fraction_of = block->word<FractionOf>("of", kFractionWords, FractionOf::kTotal);
  memory.block = static_cast<int>(block->integer("block", kBlockTokens));
  memory.provenance = read_provenance(*block);
  block->finish();
}

void read_batching(MapReader& reader, EngineBatching& batching) {
  auto block = reader.map("batching");
  if (!block) return;
  batching.batched_tokens = block->integer("batched_tokens", kTokens);
  batching.max_sequences = block->integer("max_sequences", kTokens);
  batching.provenance = read_provenance(*block);
  block->finish();
}

void read_overhead(MapReader& reader, EngineOverhead& overhead) {
  auto block = reader.map("overhead");
  if (!block) return;
  overhead.driver = block->quantity<Bytes>("driver", kProcessBytes);
  overhead.context = block->quantity<Bytes>("context", kProcessBytes);
  overhead.communicator = block->quantity<Bytes>("communicator", kProcessBytes);
  overhead.link_communicator = block->maybe_quantity<Bytes>("link_communicator", kProcessBytes)
                                   .value_or(overhead.communicator);
  overhead.graphs = block->quantity<Bytes>("graphs", kProcessBytes);
  overhead.graphs_in_fraction = block->boolean("graphs_in_fraction");
  overhead.context_in_fraction = block->maybe_boolean("context_in_fraction").value_or(true);
  overhead.activation_copies = block->count("activation_copies", {0, 100});
  overhead.logit_bytes = block->count("logit_bytes", {0, 100});
  overhead.provenance = read_provenance(*block);
  block->finish();
}

}  // namespace

EngineSpec load_engine(const DataFile& file, Diagnostics& diagnostics) {
  EngineSpec spec;
  spec.name = stem(file.path);
  const auto document = open_entry(file, diagnostics);
  if (!document) return spec;
  MapReader reader(*document, document->root, "engine", diagnostics);
  spec.title = read_head(reader, "engine/1", file).title;
  spec.aliases = reader.texts("aliases");
  spec.newest_release = reader.maybe_text("newest_release").value_or("");
  spec.stacks = reader.texts("stacks");
  read_memory(reader, spec.memory);
  read_batching(reader, spec.batching);
  read_overhead(reader, spec.overhead);
  read_generations(reader, spec);
  spec.note = reader.maybe_text("note").value_or("");
  reader.finish();
  spec.provenance =
      combine({&spec.memory.provenance, &spec.batching.provenance, &spec.overhead.provenance},
              file.shown_as);
  return spec;
}

}  // namespace loadfactor::catalog
