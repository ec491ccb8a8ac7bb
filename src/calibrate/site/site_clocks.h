// The clocks of a probe's held loads, and the power of a chip's table that follows from them.
#pragma once

#include <string>

#include "calibrate/site/site_kernels.h"

namespace loadfactor::calibrate {

// Adds the loads that the probe held and that say something of kernels programs run.
void add_clocks(const ProbeFile& probe, const cost::ChipModel& shipped, SiteKernels& site);

// The power of the table with the loads of the site in place of its own.
catalog::CalibratedPower updated_power(const catalog::CalibrationTable& table,
                                       const SiteKernels& site, const std::string& source,
                                       const std::string& date);

}  // namespace loadfactor::calibrate
