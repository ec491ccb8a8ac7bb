// Where the time of a step goes, as a profiler can see it and the models predict it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor::calibrate {

// The order decides what counts where work overlaps: the first that runs. Communication and copies
// count only where no computation hides them, as in the predictions.
enum class WorkClass : std::uint8_t {
  kProducts,
  kAttention,
  kPointwise,
  kOptimizer,
  kUnclassed,
  kCommunication,
  kCopies,
  kHost,  // The device has nothing to do because the host has not yet asked for it.
  kIdle,  // The device has nothing to do though it was asked.
  kCount,
};
inline constexpr std::size_t kNumWorkClasses = static_cast<std::size_t>(WorkClass::kCount);
inline constexpr std::array<std::string_view, kNumWorkClasses> kWorkClassNames{
    "products",      "attention", "pointwise", "optimizer", "unclassed",
    "communication", "copies",    "host",      "idle"};

constexpr std::string_view name(WorkClass work) {
  return kWorkClassNames[static_cast<std::size_t>(work)];
}
constexpr bool is_on_device(WorkClass work) {
  return work < WorkClass::kHost;
}

// Seconds of each class.
struct WorkTimes {
  std::array<Seconds, kNumWorkClasses> seconds{};

  Seconds& operator[](WorkClass work) { return seconds[static_cast<std::size_t>(work)]; }
  Seconds operator[](WorkClass work) const { return seconds[static_cast<std::size_t>(work)]; }
  Seconds total() const {
    Seconds sum;
    for (const Seconds part : seconds) sum += part;
    return sum;
  }
};

}  // namespace loadfactor::calibrate
