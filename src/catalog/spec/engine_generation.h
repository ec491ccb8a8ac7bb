// Releases of an engine that behave alike: how they schedule, and what their steps are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

// For how much of a request room in the KV cache must be free before it starts.
enum class Admission : std::uint8_t {
  kPrompt,  // Its prompt alone; when the cache is full, one that runs is sent back.
  kShare,   // Its prompt, and a share of the answers still to come.
  kWhole,   // Its prompt and its whole answer: none is ever sent back.
};

// Which of the running requests is sent back when the cache is full.
enum class Victim : std::uint8_t { kLastAdmitted, kFewestGenerated };

// What the engine does when more sequences may run than a step has tokens.
enum class AboveChunk : std::uint8_t {
  kAllow,   // The chunk bounds prompts alone.
  kLower,   // Fewer run.
  kRefuse,  // A written bound is refused, a default is lowered.
};

struct StepSizes {
  std::int64_t chunk = 0;  // Prompt tokens per step.
  std::int64_t max_sequences = 0;
};

// Cards that get larger steps.
struct LargeCards {
  Bytes memory;                        // That a driver reports, at least.
  std::vector<std::string> except_of;  // Families of chips that never count as large.
  StepSizes sizes;
};

struct GenerationBatching {
  StepSizes sizes;
  std::optional<LargeCards> large;

  const StepSizes& on(const AcceleratorSpec& chip) const {
    if (!large || chip.memory.usable < large->memory) return sizes;
    const auto& except = large->except_of;
    const bool is_excepted = std::find(except.begin(), except.end(), chip.family) != except.end();
    return is_excepted ? sizes : large->sizes;
  }
};

struct EngineGeneration {
  std::string name;
  std::string engine;     // Catalogue name of the engine whose file describes it.
  std::string like;       // The generation whose constants it has until it has its own.
  std::size_t index = 0;  // Its place in Catalog::generations().
  GenerationBatching batching;
  double memory_fraction = 0.9;  // What published results that do not say are taken to use.

  bool prompts_alone = false;  // Prompts run in steps of their own, before decodes.
  bool whole_batches = false;  // A batch runs to its last token before the next one starts.
  Admission admission = Admission::kPrompt;
  double reserve = 0.5;         // Share of an answer for which room is counted at its start.
  double watermark = 0;         // Share of the cache that admissions leave free.
  bool computes_again = false;  // A full cache sends back requests whose tokens are lost.
  Victim victim = Victim::kLastAdmitted;
  AboveChunk above_chunk = AboveChunk::kLower;

  double overlap =
      0.0;  // How far host work hides behind the device's: 0 not at all, 1 wholly if shorter.
  bool graphs = true;             // Decode steps are captured; else launched kernel by kernel.
  std::int64_t graph_tokens = 0;  // Steps with prompts are captured in pieces up to so many tokens.
  bool one_shot = true;           // Has its own small all-reduce.
  bool fused = true;              // Norms, rotations and activations are fused.
  bool grouped_native = true;     // Has decode kernels for grouped queries.
  bool bare_kernels = false;      // Kernels take what their tables say, with no engine around them.
  bool sent_once_per_node = false;  // A token for several experts of a node crosses to it once.
  double exchange_overlap =
      0.0;  // Share of the expert exchange between nodes that the rest of a step hides.
  bool experts_apart = false;    // 16-bit experts have small kernels around them, each of its own.
  bool narrow_dispatch = false;  // Tokens travel to narrow experts in 8 bits, back in 16.
  bool rows_by_expert = false;   // 8-bit experts of exchanged tokens run as products of their rows.
  bool schedules_ahead = false;  // The next step is settled while one runs: who comes waits for it.
  Seconds dispatch_wait;  // Per mixture layer whose kernels are launched one by one: the host reads
                          // how many tokens came before it launches what multiplies them.
  Provenance provenance;

  std::int64_t chunk_on(const AcceleratorSpec& chip) const { return batching.on(chip).chunk; }
  std::int64_t max_sequences_on(const AcceleratorSpec& chip) const {
    return batching.on(chip).max_sequences;
  }
};

// What an engine's file says of a generation; what it leaves out is as in the one it is like.
struct GenerationEntry {
  std::string name;
  std::string like;
  std::optional<GenerationBatching> batching;
  std::optional<double> memory_fraction;
  std::optional<bool> prompts_alone;
  std::optional<bool> whole_batches;
  std::optional<Admission> admission;
  std::optional<double> reserve;
  std::optional<double> watermark;
  std::optional<bool> computes_again;
  std::optional<Victim> victim;
  std::optional<AboveChunk> above_chunk;
  std::optional<double> overlap;
  std::optional<bool> graphs;
  std::optional<std::int64_t> graph_tokens;
  std::optional<bool> one_shot;
  std::optional<bool> fused;
  std::optional<bool> grouped_native;
  std::optional<bool> bare_kernels;
  std::optional<bool> sent_once_per_node;
  std::optional<double> exchange_overlap;
  std::optional<bool> narrow_dispatch;
  std::optional<bool> schedules_ahead;
  std::optional<bool> rows_by_expert;
  std::optional<Seconds> dispatch_wait;
  std::optional<bool> experts_apart;
  Provenance provenance;
};

// 0.19 of `0.19.0rc1` or `v0.19`.
struct ReleaseNumber {
  int major = 0;
  int minor = 0;

  bool is_before(const ReleaseNumber& other) const {
    return major < other.major || (major == other.major && minor < other.minor);
  }
};

// A range of releases, from the end of the range above it on.
struct ReleaseRange {
  std::string generation;
  std::optional<ReleaseNumber> before;  // Empty: all later ones.
  int until_year = 0;  // The last year in which a result without a release is of it; 0: any year.
  int gone_after =
      0;  // Later results never are of it, whatever release they name; 0: no such year.
};

// A generation that takes the place of others on chips of some software stacks.
struct ChipVariant {
  std::string generation;
  std::vector<std::string> stacks;
  std::vector<std::string> instead_of;
};

// Where results with narrow weights that do not say are taken to have an 8-bit KV cache.
enum class NarrowCache : std::uint8_t { kNever, kDense, kAlways };

// How tables of published results write the engine: all of these words occur.
struct PublishedName {
  std::vector<std::string> engine;   // In the name of the engine, in lower case,
  std::vector<std::string> version;  // in its version,
  std::vector<std::string> notes;    // and in the remarks of the row.
  std::string generation;            // Empty: as release and year say.
  NarrowCache narrow_cache = NarrowCache::kNever;
};

}  // namespace loadfactor::catalog
