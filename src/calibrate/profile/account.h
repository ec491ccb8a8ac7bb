// The time of a profile, class by class, each moment of a device counted once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/profile/kernel_rules.h"
#include "calibrate/profile/timeline.h"
#include "calibrate/profile/work_class.h"

namespace loadfactor::calibrate {

// All kernels of one name. Seconds are those of the kernels, hidden or not.
struct KernelSum {
  std::string name;
  Seconds seconds;
  std::int64_t calls = 0;
};

// One step of one device: means over the steps and devices of the profile.
struct ProfileAccount {
  int steps = 1;
  int devices = 1;
  bool steps_marked = false;  // The profile says where steps begin; otherwise it is taken as one.
  WorkTimes times;            // Sum to the step.
  Seconds hidden;             // Communication and copies behind computation.
  std::int64_t waits = 0;     // How often a device waited for its host, in a step.
  std::int64_t calls = 0;     // Kernels, copies and fills of a step.
  std::array<std::vector<KernelSum>, kNumWorkClasses> largest;  // The three largest of each class.

  Seconds busy() const;    // How long the device works.
  double classed() const;  // The share of it whose class is known, from 0 to 1.
};

ProfileAccount account_for(const Timeline& timeline, const KernelRules& rules);

}  // namespace loadfactor::calibrate
