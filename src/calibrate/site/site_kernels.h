// Refits the kernels of a chip to what a probe measured on one machine.
//
// What is shipped is the prior. For streams and attention three named parameters move: the rate,
// the bandwidth and the fixed time of a call, each drawn to its shipped value. For products the
// rate moves and its smooth correction with it, and each shape counts as far as arithmetic decides
// its time: in a train of one product, start and end of each call hide behind its neighbours, as in
// no step.
//
// The probe lets the chip rest between products, so that it meets them at the clock of a burst.
// Loads that it holds for long say at which clock steps settle; the table then states both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement/measurement.h"
#include "calibrate/site/site_terms.h"
#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/calibration_table.h"
#include "cost/chip_model.h"

namespace loadfactor::calibrate {

// As the probe writes it: attention at the rate of the libraries.
inline constexpr std::string_view kWarpGroups = "wgmma";

struct KernelRefit {
  cost::KernelKey key;
  cost::KernelParameters shipped;
  cost::KernelParameters fitted;
  cost::CorrectionGrid correction;
  cost::Spread held_out;  // Spread of log(measured / predicted), each shape left out in turn.
  SiteErrors before;
  SiteErrors after;
  SiteErrors left_out;
  int points = 0;

  // Whether shapes left out of the fit are predicted better than the shipped table does.
  bool helps() const { return left_out.median < before.median; }
};

// A load that the probe held until its clock settled.
struct HeldClock {
  cost::KernelClass kernel = cost::KernelClass::kGemm;
  catalog::Dtype dtype = catalog::Dtype::kBf16;
  double rate = 0;     // TFLOP/s of products, TB/s of streams.
  double settled = 1;  // Share of the full clock.
  double burst = 1;    // Share of the full clock in products timed one by one.
  Watts drawn;
};

struct SiteKernels {
  std::string chip;
  std::vector<KernelRefit> groups;
  std::vector<HeldClock> clocks;  // Empty where nothing was held.
  std::vector<Notice> notices;    // What was left out.
  Watts idle;
  Watts limit;  // 0 where the probe does not say.
  // What memory takes by itself to move a bit; 0: all of a stream's draw follows the clock.
  Joules energy_of_bit;
};

// Norms and activations of the probe's own kernels are left out: programs run other ones. So is
// its attention, but on machines whose instructions take it to the rate of the libraries. So are
// its launches: nothing in them but the launch, which no kernel of a model is.
SiteKernels refit_kernels(const ProbeFile& probe, const catalog::AcceleratorSpec& chip,
                          const cost::ChipModel& shipped, Diagnostics& diagnostics);

// The chip's table with every refit that helps in place of what was shipped.
catalog::CalibrationTable updated_table(const catalog::CalibrationTable& shipped,
                                        const SiteKernels& site, const std::string& source,
                                        const std::string& date);

// The text of calibration/<chip>/fit.yaml.
std::string calibration_yaml(const catalog::CalibrationTable& table);

}  // namespace loadfactor::calibrate
