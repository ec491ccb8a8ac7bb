// What sensors show while a workload is full: by that its other hours are measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "observe/cluster.h"
#include "observe/time_blocks.h"

namespace loadfactor::observe {

enum class Axis : std::uint8_t { kTensor, kDram, kBusy };

// What the sensors of a workload show in its full hours, and the one that it is measured by. A
// sensor that no GPU has leaves its level at 0.
struct FullLevel {
  Axis axis = Axis::kBusy;
  double tensor = 0, dram = 0;
  // Whether it is the best of few hours, none of which may have been full.
  bool is_guessed = false;

  double level() const {
    if (axis == Axis::kBusy) return 1;
    return axis == Axis::kTensor ? tensor : dram;
  }
};

class FullLevels {
 public:
  FullLevels(const Cluster& cluster, const TimeBlocks& blocks);

  const FullLevel& of_workload(int workload) const;
  // How full a GPU is in a slot, by the sensor that its owner is measured by, else by the other one
  // that it has; nothing where it has neither.
  std::optional<double> fullness(const GpuTrack& gpu, int slot, OwnerIndex owner) const;

 private:
  int workload_of(OwnerIndex owner) const { return cluster_.owners()[owner].workload; }

  const Cluster& cluster_;
  std::vector<FullLevel> levels_;  // By workload, nobody's last.
};

}  // namespace loadfactor::observe
