// What a training step is made of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loadfactor::training {

enum class Part : std::uint8_t {
  kGemm,
  kAttention,
  kPointwise,
  kHead,  // Embedding, logits and loss.
  kRecompute,
  kTp,  // This and the next five: the exposed parts of the collectives.
  kCp,
  kEp,
  kFsdp,
  kDp,
  kP2p,
  kBubble,
  kImbalance,  // Stages that wait for the slowest one.
  kOptimizer,
  kOffload,  // State and activations on their way to the host and back.
  kHost,
  kData,  // The step waits for its input.
  kStraggler,
  kCount,
};
inline constexpr std::size_t kNumParts = static_cast<std::size_t>(Part::kCount);
std::string_view name(Part part);

// What travels beyond a scale-up domain in a job that is larger than one.
inline constexpr std::array kOutside{Part::kEp, Part::kFsdp, Part::kDp, Part::kP2p};

// How long a machine's parts are over the model's: what a site measured.
class PartFactors {
 public:
  PartFactors() { values_.fill(1.0); }

  double operator[](Part part) const { return values_[static_cast<std::size_t>(part)]; }
  double& operator[](Part part) { return values_[static_cast<std::size_t>(part)]; }
  double least() const { return *std::min_element(values_.begin(), values_.end()); }

  // Chips that took part in the collectives alone that were measured; 0: whole steps were.
  int reach = 0;
  // Whether a job is larger than what was measured and than what `domain` chips share.
  bool falls_short(int gpus, int domain) const {
    return reach > 0 && gpus > std::max(reach, domain);
  }
  // The factors for a job: what leaves the domain is as the model says where nobody measured it.
  PartFactors of_job(int gpus, int domain) const {
    PartFactors result = *this;
    if (!falls_short(gpus, domain)) return result;
    for (const Part part : kOutside) result[part] = 1.0;
    return result;
  }

 private:
  std::array<double, kNumParts> values_{};
};

}  // namespace loadfactor::training
