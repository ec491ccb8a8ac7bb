// The time of one training step, and where it goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loadfactor/quantity.h"
#include "training/constants.h"
#include "training/job.h"

namespace loadfactor::training {

enum class Part : std::uint8_t {
  kGemm,
  kAttention,
  kPointwise,
  kHead,  // Embedding, logits and loss.
  kRecompute,
  kTp,  // Exposed parts of the collectives.
  kCp,
  kEp,
  kFsdp,
  kDp,
  kP2p,
  kBubble,
  kImbalance,  // Stages that wait for the slowest one.
  kOptimizer,
  kHost,
  kStraggler,
  kCount,
};
inline constexpr std::size_t kNumParts = static_cast<std::size_t>(Part::kCount);
std::string_view name(Part part);

// The parts sum to the step exactly: total() is their sum.
struct StepTime {
  std::array<Seconds, kNumParts> parts{};
  Flops model_work;     // Of one step on all chips, as MFU counts it: no recomputation.
  Flops hardware_work;  // With it.

  Seconds& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  Seconds operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
  Seconds total() const;
};

// The job must be legal (see check_layout). No allocation.
StepTime step_time(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                   const KernelFamily& family);

// Parameters that one rank of the first or last stage holds before any data-parallel sharding.
struct RankParameters {
  double dense = 0;    // Shared by all data-parallel ranks.
  double experts = 0;  // Shared by the expert-data-parallel ranks.
  double embedding = 0;
};
RankParameters rank_parameters(const TrainingJob& job);

}  // namespace loadfactor::training
