// The few numbers that turn a kernel's work into seconds on one chip, for one number format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "catalog/spec/dtype.h"
#include "cost/correction_grid.h"
#include "loadfactor/quantity.h"

namespace loadfactor::cost {

enum class KernelClass : std::uint8_t {
  kGemm,
  kGroupedGemm,        // The experts of a mixture: one product per expert in one launch.
  kAttention,          // Scores never leave the chip; forward.
  kAttentionBackward,  // The same, backward.
  kDecodeAttention,    // One query token per sequence against a cache.
  kMemory,             // Anything bound by traffic: norms, activations, optimizer steps.
};
inline constexpr std::array<std::string_view, 6> kKernelClasses{
    "gemm", "grouped-gemm", "attention", "attention-backward", "decode-attention", "memory"};

// Kernels of one class and format that differ in how they scale or move their numbers.
enum class KernelVariant : std::uint8_t {
  kPlain,        // One scale per tensor, found at run time; or no scale.
  kBlockScaled,  // One scale per block of elements.
  kStaticScaled,
  kWeightOnly8,  // 8-bit weights, 16-bit arithmetic.
  kWeightOnly4,
  kNarrowCache,  // Attention with keys and values stored narrower than the arithmetic.
  kStream,       // Memory kernels that copy and sum long vectors.
  kNorm,
  kSoftmax,
};
inline constexpr std::array<std::string_view, 9> kKernelVariants{
    "plain",        "block-scaled", "static-scaled", "weight-only-8", "weight-only-4",
    "narrow-cache", "stream",       "norm",          "softmax"};

inline constexpr std::size_t kNumKernelClasses = kKernelClasses.size();
inline constexpr std::size_t kNumKernelVariants = kKernelVariants.size();

struct KernelKey {
  KernelClass kernel = KernelClass::kGemm;
  catalog::Dtype dtype = catalog::Dtype::kBf16;
  KernelVariant variant = KernelVariant::kPlain;

  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

// Shares refer to the chip's dense peak rate or its peak bandwidth.
struct KernelParameters {
  double sustained = 0.75;  // Share of the peak rate at shapes where nothing else costs.
  double half = 0.0;        // Depth (GEMM: K, attention: length) whose start-up doubles the time.
  double tile_cost = 80.0;  // Rows of operand loading that cost as much as one of arithmetic.
  double wave_paid = 0.3;   // Share of an unfilled last wave that is paid.
  double split = 0.5;       // How far K is split when tiles are few: 0 not at all, 1 to fill.
  double memory = 0.8;      // Share of the peak bandwidth.
  Seconds fixed;            // Fixed time of every call inside a graph.

  friend bool operator==(const KernelParameters&, const KernelParameters&) = default;
};

// How far measurements lie from the model: |error| and the 5 and 95 % points of
// log(measured / predicted).
struct Spread {
  double median = 0.0;
  double p90 = 0.0;
  double low = 0.0;
  double high = 0.0;

  friend bool operator==(const Spread&, const Spread&) = default;
};

// What the parameters rest on, best first.
enum class FitBasis : std::uint8_t {
  kMeasured,  // A table of this chip.
  kVariant,   // A table of this chip for a neighbouring format or variant.
  kFamily,    // A table of another chip of the family.
  kGeneric,   // Tables of other families.
};

struct KernelFit {
  KernelKey key;
  KernelParameters parameters;
  CorrectionGrid correction;
  Spread spread;  // Out of sample where it was fitted; widened where it was borrowed.
  int points = 0;
  FitBasis basis = FitBasis::kGeneric;
};

}  // namespace loadfactor::cost
