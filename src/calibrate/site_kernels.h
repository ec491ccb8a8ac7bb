// Refits the kernels of a chip to what a probe measured on one machine.
//
// What is shipped is the prior. A few shapes cannot say how every shape behaves, so the smooth
// correction stays, and three named parameters of a kernel class move: the rate it sustains, the
// bandwidth it reaches and the fixed time of a call, each drawn to its shipped value.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "calibrate/site_terms.h"
#include "catalog/accelerator_spec.h"
#include "catalog/calibration_table.h"
#include "cost/chip_model.h"

namespace loadfactor::calibrate {

struct KernelRefit {
  cost::KernelKey key;
  cost::KernelParameters shipped;
  cost::KernelParameters fitted;
  cost::Spread held_out;  // Of log(measured / predicted), each shape left out in turn.
  SiteErrors before;
  SiteErrors after;
  SiteErrors left_out;
  int points = 0;

  // Whether shapes left out of the fit are predicted better than the shipped table does.
  bool helps() const { return left_out.median < before.median; }
};

struct SiteKernels {
  std::string chip;
  std::vector<KernelRefit> groups;
};

// Attention, norms and activations of the probe's own kernels are left out: programs run other
// ones. So are its launches: nothing in them but the launch, which no kernel of a model is.
SiteKernels refit_kernels(const ProbeFile& probe, const catalog::AcceleratorSpec& chip,
                          const cost::ChipModel& shipped, Diagnostics& diagnostics);

// The chip's table with every refit that helps in place of what was shipped.
catalog::CalibrationTable updated_table(const catalog::CalibrationTable& shipped,
                                        const SiteKernels& site, const std::string& source,
                                        const std::string& date);

// The text of calibration/<chip>/fit.yaml.
std::string calibration_yaml(const catalog::CalibrationTable& table);

}  // namespace loadfactor::calibrate
