// A serving engine: what it does with the memory of a GPU, and its generations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/spec/engine_generation.h"
#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

// What the engine's memory fraction is a fraction of.
enum class FractionOf : std::uint8_t {
  kTotal,   // Weights, KV cache and activations together stay below fraction × all memory.
  kStatic,  // Weights and KV cache together get fraction × all memory; activations the rest.
  kFree,    // The KV cache gets fraction × what weights and activations leave free.
};

struct EngineMemory {
  double fraction = 0.9;
  FractionOf fraction_of = FractionOf::kTotal;
  int block = 16;  // Tokens of one KV block.
  Provenance provenance;
};

// Defaults of the scheduler that decide the largest step.
struct EngineBatching {
  std::int64_t batched_tokens = 0;
  std::int64_t max_sequences = 0;
  Provenance provenance;
};

// Memory the process needs besides weights, KV cache and activations.
struct EngineOverhead {
  Bytes driver;                     // What the driver counts but a program never sees.
  Bytes context;                    // Process context, libraries, kernels.
  Bytes communicator;               // Buffers for each peer that is reached over the host's bus.
  Bytes link_communicator;          // Buffers for each peer over links between GPUs: more channels.
  Bytes graphs;                     // Captured graphs.
  bool graphs_in_fraction = false;  // Whether the memory fraction has to cover the graphs.
  bool context_in_fraction = true;  // Whether the memory fraction has to cover the context.
  double activation_copies = 0;     // Live copies of the hidden state at the widest moment.
  double logit_bytes = 0;           // Bytes per logit of the sampled positions, all copies.
  Provenance provenance;
};

struct EngineSpec {
  std::string name;
  std::string title;
  std::vector<std::string> aliases;
  std::string generation;      // Generation assumed where no release is named; empty: the latest.
  std::string generations_of;  // The engine whose releases and variants it shares, or empty.
  std::vector<GenerationEntry> generations;
  std::vector<ReleaseRange> releases;  // From the oldest to the latest.
  std::vector<ChipVariant> chips;
  std::vector<PublishedName> published;
  std::string newest_release;       // Newest release with known results; empty: not said.
  std::vector<std::string> stacks;  // Software stacks it runs on: cuda, rocm, xla …
  EngineMemory memory;
  EngineBatching batching;
  EngineOverhead overhead;
  std::string note;
  Provenance provenance;
};

}  // namespace loadfactor::catalog
