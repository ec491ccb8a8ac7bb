// The words for what a memory plan counts: one table each for text, JSON and documentation.
#include <array>

#include "training/memory/memory_plan.h"

namespace loadfactor::training {
namespace {

constexpr std::array<std::string_view, kNumSavedTensors> kSavedNames{
    "layer input",    "norm",
    "projections",    "latent up-projections",
    "scores",         "mixer output",
    "statistics",     "residual",
    "MLP norm",       "MLP up",
    "MLP activation", "expert input",
    "expert up",      "expert activation",
    "expert output",  "dropout masks"};

constexpr std::array<std::string_view, kNumMemoryGroups> kGroupNames{"weights",
                                                                     "gradients",
                                                                     "optimizer state",
                                                                     "activations",
                                                                     "inputs",
                                                                     "recomputed",
                                                                     "backward transient",
                                                                     "logits and loss",
                                                                     "head gradient",
                                                                     "late gradients",
                                                                     "gathered parameters",
                                                                     "communication buckets",
                                                                     "dummy gradients",
                                                                     "allocator slack",
                                                                     "context"};

constexpr std::array<std::string_view, 4> kMomentNames{
    "loss", "backward of the last layer", "backward of the first layer", "optimizer step"};

constexpr std::array<std::string_view, 4> kVerdictNames{"not asked", "fits", "tight",
                                                        "does not fit"};

}  // namespace

std::string_view name(SavedTensor tensor) {
  return kSavedNames[static_cast<std::size_t>(tensor)];
}
std::string_view name(MemoryGroup group) {
  return kGroupNames[static_cast<std::size_t>(group)];
}
std::string_view name(Moment moment) {
  return kMomentNames[static_cast<std::size_t>(moment)];
}
std::string_view name(Verdict verdict) {
  return kVerdictNames[static_cast<std::size_t>(verdict)];
}

}  // namespace loadfactor::training
