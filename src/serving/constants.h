// The fitted constants of the serving model: few, named, physical, shared by every deployment.
//
// Values, priors and what each means are data (data/calibration/serving.yaml); this file only
// names them. A constant belongs to a kernel class, a link, an engine generation or a chip
// family; none belongs to a model, a source or a published row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::serving {

enum class Constant : std::uint8_t {
  kGemm16,                // Time of dense products in an engine over the isolated table, 16-bit,
  kGemm8,                 // 8-bit,
  kGemm4,                 // 4-bit,
  kGemmWeightOnly,        // and with narrow weights but 16-bit arithmetic.
  kKernelFixed,           // Share of isolated kernels' fixed time that shows inside a graph.
  kDecode16,              // Decode attention over its table, 16-bit cache,
  kDecode8,               // and 8-bit cache.
  kPrefillAttention,      // Prefill attention over its table.
  kLatentDecode,          // Decode over a compressed cache, over the table of ordinary heads.
  kExperts16,             // Reading experts over the time their table says: 16-bit,
  kExperts8,              // 8-bit,
  kExperts4,              // 4-bit,
  kExpertsWeightOnly,     // 4-bit weights with wider arithmetic.
  kExpertRate16,          // Rate of expert products over that of the table: 16-bit,
  kExpertRate8,           // 8-bit,
  kExpertRate4,           // 4-bit,
  kExpertRateWeightOnly,  // 4-bit weights with wider arithmetic.
  kImbalance,             // Rows of the busiest expert rank over the mean.
  kElementwise,           // Bandwidth of norms, rotations and activations over the peak of HBM,
  kElementwiseGddr,       // and over that of GDDR, which few cores saturate.
  kCommLatency,           // Small collectives in an engine over isolated ones,
  kCommRate,              // the part that grows with bytes,
  kCommPcie,              // the same where the link is a bus,
  kCommHost,              // and where peers are reached through host memory.
  kExchange,              // Expert dispatch and combine over an isolated all-to-all.
  kExpertLaunch,          // Seconds per mixture layer between its kernels.
  kLatentLaunch,          // Extra seconds per layer with latent or linear attention.
  kOldGrouped,            // Decode of grouped queries in engines without kernels for it.
  kOpening,               // Share of a closed loop's requests that start together, if not stated.
  kSloShare,              // Mean step over the p99 bound when the bound binds.
  kQueue,                 // Waiting over what the queueing formula says.
  kTail,                  // Longest over mean answer where lengths vary.
  kStall,        // Mean of 1/length times mean length: how much short answers weigh stalls.
  kTurnover,     // Steps with prompts in a mean over requests, over those in a mean over tokens.
  kSplitRate,    // Prefill rate of a split pool over the rate of its steps.
  kTransfer,     // Seconds per gigabyte of keys and values moved between pools.
  kReading,      // 16-bit products over their table where reading weights bounds them.
  kPieces,       // Launching a step with prompts whose pieces were captured, over one without.
  kOldHost,      // Host work beside chips on a bus before PCIe 5 over that beside later ones.
  kCold,         // Seconds that the requests which open a run wait for what is done once.
  kExpertApart,  // Seconds per mixture layer of small kernels around experts that are not fused.
  kCount,
};
inline constexpr std::size_t kNumConstants = static_cast<std::size_t>(Constant::kCount);

enum class EngineConstant : std::uint8_t {
  kKernel,         // Kernel time over that of the mean engine.
  kLaunch,         // Seconds per layer between kernels of a captured step.
  kHostStep,       // Seconds of host work per step,
  kHostSequence,   // per running sequence and step,
  kFront,          // per request before its first step (latency),
  kAdmit,          // and per request, one after the other (rate).
  kPrefillLaunch,  // Seconds per layer to launch a step with prompts in it.
  kStream,         // Tokens gathered before the first is sent.
  kPrompt,         // Device time of prompts over that of the mean engine.
  kCount,
};
inline constexpr std::size_t kNumEngineConstants = static_cast<std::size_t>(EngineConstant::kCount);

std::string_view name(Constant constant);
std::string_view name(EngineConstant constant);

// Chip families with a factor of their own on kernel time.
inline constexpr std::array<std::string_view, 12> kChipFamilies{
    "ampere",        "ada",   "geforce", "hopper", "hopper-pcie", "blackwell",
    "blackwell-rtx", "cdna3", "cdna4",   "tpu",    "neuron",      "other"};

// Their values. Engines are data, so that what belongs to a generation stands behind the rest, by
// its index.
class Constants {
 public:
  static constexpr std::size_t place(Constant constant) {
    return static_cast<std::size_t>(constant);
  }
  static constexpr std::size_t place_of_family(std::size_t family) {
    return kNumConstants + family;
  }
  static constexpr std::size_t place(std::size_t generation, EngineConstant constant) {
    return kNumShared + generation * kNumEngineConstants + static_cast<std::size_t>(constant);
  }
  static constexpr std::size_t kNumShared = kNumConstants + kChipFamilies.size();
  static constexpr std::size_t size_for(std::size_t generations) {
    return kNumShared + generations * kNumEngineConstants;
  }

  Constants() = default;
  explicit Constants(std::size_t generations, double value = 0)
      : values(size_for(generations), value) {}

  double operator[](Constant constant) const { return values[place(constant)]; }
  double of(std::size_t generation, EngineConstant constant) const {
    return values[place(generation, constant)];
  }
  double family(std::size_t index) const { return values[place_of_family(index)]; }

  std::vector<double> values;
};

// `gemm_16` or `family.cdna3`: those that belong to no engine.
std::string shared_constant_name(std::size_t place);

}  // namespace loadfactor::serving
