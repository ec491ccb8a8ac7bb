#include "observe/activity.h"

namespace loadfactor::observe {
namespace {

constexpr double kActiveTensor = 0.01;
constexpr double kActiveDram = 0.02;
constexpr double kActiveBusy = 0.05;
constexpr double kMostlyBusy = 0.5;

}  // namespace

double share_at(const std::vector<Share16>& track, int slot) {
  return has_share(track, slot) ? track[static_cast<std::size_t>(slot)] * kShareStep : 0;
}

bool has_share(const std::vector<Share16>& track, int slot) {
  return !track.empty() && track[static_cast<std::size_t>(slot)] != kNoShare;
}

bool is_active(const GpuTrack& gpu, int slot) {
  if (gpu.has_activity(slot))
    return share_at(gpu.tensor, slot) >= kActiveTensor || share_at(gpu.dram, slot) >= kActiveDram;
  return share_at(gpu.busy, slot) >= kActiveBusy;
}

bool is_busy(const GpuTrack& gpu, int slot) {
  return share_at(gpu.busy, slot) >= kMostlyBusy;
}

}  // namespace loadfactor::observe
