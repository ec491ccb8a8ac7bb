// What sensors of a GPU show in a slot, and whether that is work.
#pragma once

#include <vector>

#include "observe/cluster.h"

namespace loadfactor::observe {

// A sensor's share in a slot; 0 where it told none.
double share_at(const std::vector<Share16>& track, int slot);
bool has_share(const std::vector<Share16>& track, int slot);

// Whether a GPU computes in a slot; nothing is known where `is_known` says no.
bool is_active(const GpuTrack& gpu, int slot);
// Whether kernels run in most of a slot, be it to wait.
bool is_busy(const GpuTrack& gpu, int slot);

}  // namespace loadfactor::observe
