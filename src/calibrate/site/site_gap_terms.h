// The terms of a site's calibration as `attribute_gap` asks of them.
#pragma once

#include <vector>

#include "calibrate/site/site_file.h"
#include "calibrate/site/site_gap.h"
#include "calibrate/site/site_serving.h"

namespace loadfactor::calibrate {

// Terms of a training step. The groups are kernels, communication, bubble, host and stragglers, by
// the parts that a term covers.
std::vector<GapTerm> gap_terms(const SiteCalibration& site);

// Terms of serving, each a group of its own; what no term decides comes last and holds still.
std::vector<GapTerm> gap_terms(const ServingSite& site);

}  // namespace loadfactor::calibrate
