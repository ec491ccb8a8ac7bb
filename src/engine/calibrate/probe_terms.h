// What a probe's loads say of the terms of a training step.
//
// A training run holds its load for days, so its products and attention run at the clock that a
// held load settles at, not at that of a burst. Each load is set against what the training model
// says of the same work; nothing is said of a term that the probe does not measure.
#pragma once

#include <vector>

#include "calibrate/measurement/measurement.h"
#include "calibrate/site/site_file.h"
#include "catalog/catalog.h"
#include "catalog/spec/accelerator_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::engine {

// In the order of the site's terms; none for a chip of which no training run was studied.
std::vector<calibrate::SiteObservation> observe_probe(const calibrate::ProbeFile& probe,
                                                      const catalog::Catalog& catalog,
                                                      const catalog::AcceleratorSpec& chip,
                                                      const calibrate::SiteCalibration& site,
                                                      Diagnostics& diagnostics);

}  // namespace loadfactor::engine
