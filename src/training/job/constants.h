// The constants of the step model: few, named, physical, shared by every job.
//
// Values, priors and sources are data (data/calibration/training.yaml); this file only names
// them. A constant belongs to a kernel class, a link tier or a software generation; none
// belongs to a model, a source, a GPU count or a published row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/dtype.h"

namespace loadfactor::training {

enum class Constant : std::uint8_t {
  kHbmEfficiency,       // Achieved over peak memory bandwidth of streaming kernels.
  kPointwiseEager,      // Pointwise traffic over the least possible, eager kernels.
  kPointwiseFused,      // The same for hand-fused kernels.
  kPointwiseCompiled,   // The same for compiler-fused kernels.
  kHostEager,           // Host time per layer and pass, eager launches, seconds.
  kHostFused,           // The same for hand-fused kernels.
  kHostCompiled,        // The same for compiled layers.
  kHostGraph,           // The same for captured graphs.
  kMoeHost,             // Unexplained time per expert layer and pass: counts go to the host.
  kMoeHostDevice,       // The same where counts stay on the device.
  kMoeHostGraph,        // The same where layers are captured in graphs too.
  kCloseHost,           // Share of that time where a coherent link attaches the host.
  kBiasedExpertPasses,  // Passes over (rows × width) where expert biases keep kernels unfused.
  kBiasedExpertPassesFused,  // The same with the activation fused and the biases apart.
  kRoutingImbalance,         // Tokens of the busiest rank over the mean under learned routing.
  kKernelGap,                // Ramp of a kernel: from the end of one to the work of the next.
  kEpHidden,                 // Share of the expert all-to-all hidden.
  kEpHiddenGraph,            // The same with two micro-batches interleaved.
  kGroupedGemm,              // Grouped GEMM over dense GEMM of the same tiles.
  kGroupedGemmCompiler,      // The same as a compiler emits it.
  kRowWiseFp8,               // Row-scaled fp8 GEMM over tensor-scaled.
  kBlockGemm,                // Block-scaled GEMM over tensor-scaled.
  kRematCompiler,            // Share of the forward recomputed by compiler remat policies.
  kRematOps,                 // Share recomputed by per-op selective checkpointing.
  kAttentionAmpere,          // Training attention over the serving table's rate, by kernel family.
  kAttentionHopper,
  kAttentionBlackwell,
  kAttentionSystolic,
  kAttentionFlash2,       // FlashAttention-2 on Hopper over kernels made for it.
  kAttentionFlash1Newer,  // FlashAttention-1 on Hopper over kernels made for it.
  kAttentionFlash1,       // FlashAttention-1 over FlashAttention-2, head dimension above 64.
  kAttentionHead64,       // Head dimension 64 over 128.
  kAttentionBackward,     // Backward rate over forward rate.
  kUnfusedPasses,         // Passes over the s × s matrix, forward, unfused attention.
  kUnfusedProducts,       // Rate of their batched products over that of large ones.
  kMisaligned,            // Rate of batched products whose inner size is not a multiple of 8.
  kScanPasses,            // Passes over its inputs of a state-space or linear-attention scan.
  kScanProducts,          // Rate of its products over that of large ones.
  kQuantise,              // fp8 cast traffic over the least possible.
  kQuantiseBlock,         // The same for block-scaled formats.
  kLossPasses,            // Passes over the fp32 logits in the loss.
  kOptimizerFused,        // Bytes per parameter of a fused Adam step.
  kOptimizerForeach,      // The same with separate kernels and master copies.
  kOptimizerHost,         // Seconds per parameter of Adam on the host.
  kTpHiddenBuffers,       // Share of tensor-parallel traffic hidden: chunked GEMMs.
  kTpHiddenAsync,         // The same under asynchronous tensor parallelism.
  kTpHiddenCompiler,      // The same under collective matmul.
  kTpSkew,                // What ranks wait for one another at a tensor-parallel collective, s.
  kTpGatherAgain,         // Share of the second gather of inputs that shows, sequence parallel.
  kCpHidden,              // Share of core attention behind which keys and values travel.
  kCpShown,               // Share of that traffic that shows whatever hides it.
  kDpHidden,              // Share of gradient traffic hidden when overlapped.
  kFsdpHidden,            // Share of the shorter of compute and traffic hidden by prefetch.
  kCompilerHidden,        // Share of either kind of traffic hidden by a compiler.
  kNicEfficiency,         // Achieved over line rate between nodes.
  kStartUp,               // Start of a collective inside the scale-up domain, seconds.
  kStartOut,              // Increment of ring latency per √node, seconds.
  kStraggler,             // Step inflation per doubling of the nodes.
  kP2p,                   // Multiplier on exposed pipeline sends.
  kP2pBehindChunks,       // Share of a send that shows where chunks interleave.
  kRingHop,               // What each rank adds to a ring that carries one tensor, seconds.
  kPermutePasses,         // Passes over (tokens × top-k × hidden) of permutation, forward.
  kPermutePassesFused,    // The same where the permutation is fused.
  kAllToAllUp,            // All-to-all efficiency inside the scale-up domain.
  kAllToAllOut,           // All-to-all efficiency over NICs.
  kStepFixed,             // Host work per step of a trainer: data, norms, logging, seconds.
  kFp4Share,              // Share of layer FLOPs in fp4 under an fp4 recipe.
  kCount,
};
inline constexpr std::size_t kNumConstants = static_cast<std::size_t>(Constant::kCount);

// The name of a constant as data files write it: `hbm_efficiency`.
std::string_view name(Constant constant);

// Matrix products come in three classes of width; every dtype is in one.
enum class Width : std::uint8_t { k16, k8, k4 };
inline constexpr std::size_t kNumWidths = 3;
Width width_of(catalog::Dtype dtype);

struct GemmTile {
  double rows = 0;
  double columns = 0;
  double share = 1;  // Its rate over that of the best tile.
};

// How a family of chips cuts matrix products into tiles.
struct KernelFamily {
  std::string name;
  std::array<GemmTile, 6> tiles{};
  std::size_t num_tiles = 0;
  double wave_share = 0;                  // How much of a partly empty last wave is paid.
  std::array<double, kNumWidths> fill{};  // K at which half of the rate is lost to fill.
  Constant attention = Constant::kAttentionAmpere;
  bool newer_attention = false;  // FlashAttention-2 is not its native kernel.
  bool systolic = false;
};

// What long runs on one chip sustain.
struct ChipConstants {
  std::string accelerator;                     // Catalogue name.
  std::string chip_family;                     // Catalogue family, for chips without constants.
  std::size_t family = 0;                      // Index into Calibration::families.
  std::array<double, kNumWidths> sustained{};  // Share of the dense peak of large GEMMs.
  double attention = 0;                        // Share of the 16-bit peak, long sequences.
  double attention_half = 0;                   // Sequence length at half of that, tokens.
  double scale_up = 0;                         // Achieved share of the scale-up link.
  bool has_tables = false;                     // Priors come from measured kernels.
};

// What runs of one code base have in common beyond all terms: their rate over the predicted one.
struct SoftwareLevel {
  std::string family;
  double value = 1;
};

struct Constants {
  std::array<double, kNumConstants> values{};
  std::vector<SoftwareLevel> levels;  // Families with published runs of two sources or more.

  double operator[](Constant c) const { return values[static_cast<std::size_t>(c)]; }
  double& operator[](Constant c) { return values[static_cast<std::size_t>(c)]; }
  // 1 for software that is not among them.
  double level(std::string_view family) const;
};

// Everything the step model takes as fitted.
struct Calibration {
  Constants shared;
  std::vector<KernelFamily> families;
  std::vector<ChipConstants> chips;

  // The chip's own constants, else those of the nearest chip of its family; nullptr if none.
  const ChipConstants* find(const catalog::AcceleratorSpec& chip) const;
};

}  // namespace loadfactor::training
