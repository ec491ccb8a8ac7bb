// What one accelerator holds at the worst moment of a training step, tensor by tensor.
//
// The peak is sought over named moments (loss, backward of the last layer, backward of the
// first layer, optimizer step) and over the pipeline stages that can differ. Every number is a
// tensor with a shape and a width; nothing is fitted. A plan takes microseconds, so that
// a search can prune with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "training/job/job.h"
#include "training/job/layout.h"
#include "training/job/memory_traits.h"

namespace loadfactor::training {

inline constexpr double kBytesOf16Bits = 2.0;

// What the layers keep for the backward pass.
enum class SavedTensor : std::uint8_t {
  kLayerInput,
  kNorm,         // Output of the norm before the mixer.
  kProjections,  // Query, key and value; the down-projections of latent attention.
  kLatentUp,     // Query, key and value of latent attention after the up-projections.
  kScores,       // The s × s matrices of unfused attention.
  kMixerOutput,
  kStatistics,  // Log-sum-exp of attention, logits and probabilities of the router.
  kResidual,    // Input of the second half of the layer.
  kMlpNorm,
  kMlpUp,
  kMlpActivation,
  kExpertInput,
  kExpertUp,
  kExpertActivation,
  kExpertOutput,
  kDropoutMasks,
};
inline constexpr std::size_t kNumSavedTensors = 16;

enum class MemoryGroup : std::uint8_t {
  kWeights,
  kGradients,
  kOptimizer,
  kActivations,     // All micro-batches in flight; `saved` splits it by tensor.
  kInputs,          // Token ids, labels, positions, embedding dropout, stage outputs.
  kRecomputed,      // What the layer in backward computed again.
  kBackward,        // Transient of the layer in backward.
  kLogits,          // Logits, loss, its gradient and the last norm.
  kHeadGradient,    // Gradient of the output projection, live at the loss.
  kLateGradients,   // Gradients that appear during the backward pass only.
  kGathered,        // Sharded parameters and gradients while they are whole.
  kBuckets,         // Communication buckets.
  kDummyGradients,  // One buffer per shape of weight.
  kSlack,           // Reserved by the allocator, used by nobody.
  kContext,         // Device context, libraries, communicators.
};
inline constexpr std::size_t kNumMemoryGroups = 15;

enum class Moment : std::uint8_t { kLoss, kBackwardLast, kBackwardFirst, kOptimizerStep };

struct MemoryQuestion {
  const catalog::ModelSpec* model = nullptr;
  const StackTraits* stack = nullptr;
  Layout layout;
  std::int64_t sequence = 0;
  double micro_batches = 1;  // Per step and data-parallel rank.
  Precision precision;
  double trainable_share = 1.0;
  bool adapts_mlp = false;  // Adapters stand beside the products of the MLP, too.
  double expert_imbalance = 1.0;
  Bytes capacity;       // What a program sees of the device; 0: no verdict is wanted.
  Bytes host_capacity;  // What each rank has of its host's memory; 0: not known.
};

MemoryQuestion memory_question(const TrainingJob& job);

// Whether so much on each rank's host has room there.
bool has_host_room(const MemoryQuestion& question, Bytes host);

struct StageMemory {
  int rank = 0;
  int layers = 0;
  double in_flight = 0;  // Micro-batches whose activations are held; broken when interleaved.
  Moment peak = Moment::kLoss;
  std::array<Bytes, kNumMemoryGroups> groups{};  // Live at the peak; their sum is used().
  std::array<Bytes, kNumSavedTensors> saved{};   // Their sum is the group kActivations.
  Bytes host;                                    // What this rank keeps on the host.

  Bytes of(MemoryGroup group) const { return groups[static_cast<std::size_t>(group)]; }
  Bytes of(SavedTensor tensor) const { return saved[static_cast<std::size_t>(tensor)]; }
  Bytes allocated() const;  // All tensors.
  Bytes reserved() const;   // Tensors and the allocator's slack.
  Bytes used() const;       // What the device reports as used.
};

enum class Verdict : std::uint8_t { kNotAsked, kFits, kTight, kDoesNotFit };

// The lines between the verdicts, as shares of the capacity. Of published runs whose
// recomputation is known, 4 % lie above the first and under 1 % above the second.
inline constexpr double kTightLine = 0.93;
inline constexpr double kFullLine = 1.00;
// An allocator under pressure gives cached blocks back: only this share of the slack is needed.
inline constexpr double kNeededSlack = 0.25;

struct MemoryPlan {
  static constexpr std::size_t kMostStages = 6;  // First, last, and middle ones that differ.
  std::array<StageMemory, kMostStages> stages{};
  std::size_t num_stages = 0;
  std::size_t peak_stage = 0;  // Index into `stages`.
  Bytes needed;                // The least a device must have.
  Bytes capacity;
  Bytes host;           // The most that any rank keeps on its host,
  Bytes host_capacity;  // and what it has there; 0: not known.
  Verdict verdict = Verdict::kNotAsked;

  const StageMemory& peak() const { return stages[peak_stage]; }
  double fill() const { return capacity > Bytes() ? needed / capacity : 0.0; }
  double host_fill() const { return host_capacity > Bytes() ? host / host_capacity : 0.0; }
  std::span<const StageMemory> all() const { return {stages.data(), num_stages}; }
};

// The layout must be legal for the model; kUnknown recomputation counts as none.
MemoryPlan plan_memory(const MemoryQuestion& question);

}  // namespace loadfactor::training
