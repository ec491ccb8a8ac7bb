// What one generation of an engine does, as far as time and memory depend on it. Data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/spec/accelerator_spec.h"
#include "serving/constants.h"

namespace loadfactor::serving {

struct EngineTraits {
  EngineEra era = EngineEra::kVllmV1;
  std::string engine;              // Catalogue name of the engine it is a generation of.
  std::int64_t chunk = 0;          // Prompt tokens per step,
  std::int64_t chunk_large = 0;    // on cards of 70 GiB and more made after Ampere,
  std::int64_t max_sequences = 0;  // running sequences,
  std::int64_t max_sequences_large = 0;
  double memory_fraction = 0.9;
  double reserve = 0.5;           // Share of an answer for which room must be free at its start.
  double overlap = 0.0;           // Of host work with the device: 0 serial, 1 hidden where shorter.
  bool one_shot = true;           // Has its own small all-reduce.
  bool fused = true;              // Norms, rotations and activations are fused.
  bool grouped_native = true;     // Has decode kernels for grouped queries.
  bool prompts_alone = false;     // Prompts run in steps of their own, before decodes.
  bool whole_batches = false;     // A batch runs to its last token before the next one starts.
  std::int64_t graph_tokens = 0;  // Steps with prompts are captured in pieces up to so many tokens.
  std::string source;

  std::int64_t chunk_on(const catalog::AcceleratorSpec& chip) const;
  std::int64_t max_sequences_on(const catalog::AcceleratorSpec& chip) const;
};

using EngineTable = std::array<EngineTraits, kNumEras>;

// 0.19 of `0.19.0rc1` or `v0.19`; nothing of `25.02-py3`, which is no release of an engine.
struct ReleaseNumber {
  int major = 0;
  int minor = 0;

  bool is_before(const ReleaseNumber& other) const {
    return major < other.major || (major == other.major && minor < other.minor);
  }
};
std::optional<ReleaseNumber> parse_release(std::string_view text);

// The generation of a release. `engine` is a word such as `vLLM` or `TensorRT-LLM`; a version
// that is empty or not a number leaves it to the year (0: the latest).
EngineEra find_era(std::string_view engine, std::string_view version, int year);
bool is_known_engine(std::string_view engine);  // Others are taken for SGLang.

}  // namespace loadfactor::serving
