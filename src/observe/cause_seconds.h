// Seconds of GPUs by what became of them, and what sensors showed meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace loadfactor::observe {

enum class Loss : std::uint8_t { kLoad, kUnallocated, kIdle, kWaiting, kUnsaturated, kFailed };
inline constexpr std::size_t kLosses = 6;

// The leaves of the tree of losses.
enum class Cause : std::uint8_t {
  kLoad,
  kHeldUnseen,  // Held, and nothing tells what it does: taken to be load.
  kUnallocated,
  kIdle,         // Held, and nothing runs for longer than a pause.
  kStartUp,      // Before a workload first computes.
  kPause,        // Short stops between work: checkpoints, data.
  kSpinning,     // Kernels run and move nothing: a collective that waits.
  kFewRequests,  // A service that is asked for less than it could do.
  kCacheFull,    // Requests wait and the cache is full.
  kBatchLimit,   // Requests wait and the cache is not.
  kBelowBest,    // Work, below what the same workload reaches in its full hours.
  kFailed,
};
inline constexpr std::size_t kCauses = 12;
Loss loss_of(Cause cause);

// Seconds of GPUs by cause.
struct CauseSeconds {
  std::array<double, kCauses> seconds{};

  double& operator[](Cause cause) { return seconds[static_cast<std::size_t>(cause)]; }
  double operator[](Cause cause) const { return seconds[static_cast<std::size_t>(cause)]; }
  double total() const;
  double of(Loss loss) const;
  CauseSeconds& operator+=(const CauseSeconds& other);
  CauseSeconds scaled(double factor) const;
};

// How much of a time is paid, and how much of that samples tell of.
struct SeenSeconds {
  double paid = 0, known = 0;

  // What the known part is multiplied with to stand for all of it.
  double scale() const { return known > 0 ? paid / known : 0; }
  // The part that is known; all of nothing is.
  double share() const { return paid > 0 ? std::min(1.0, known / paid) : 1; }
};

// What one sensor showed of GPUs, as shares times seconds over seconds.
struct SensorMean {
  double sum = 0, seconds = 0;            // While they worked.
  double rest_sum = 0, rest_seconds = 0;  // In all other time that it told of.

  // Nothing where it told of no time with work.
  std::optional<double> at_work() const;
  // Its mean over all the time that it told of; nothing where it told nothing.
  std::optional<double> overall() const;
  void add(double share, double of_seconds);
  void add_rest(double share, double of_seconds);
  SensorMean& operator+=(const SensorMean& other);
  SensorMean scaled(double factor) const;
};

}  // namespace loadfactor::observe
