// The terms of a site's calibration as `attribute_gap` asks of them.
#pragma once

#include <vector>

#include "calibrate/site/site_file.h"
#include "calibrate/site/site_gap.h"
#include "calibrate/site/site_serving.h"

namespace loadfactor::calibrate {

// Of a training step: kernels, communication, bubble, host and stragglers are the groups, by the
// parts that a term covers.
std::vector<GapTerm> gap_terms(const SiteCalibration& site);

// Of serving each term is its own group; what no term decides comes last and holds still.
std::vector<GapTerm> gap_terms(const ServingSite& site);

}  // namespace loadfactor::calibrate
