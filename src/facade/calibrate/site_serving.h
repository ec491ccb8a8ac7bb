// Results of load generators beside the serving model, and what they move in it.
#pragma once

#include "facade/calibrate/overlay.h"
#include "facade/calibrate/site_inputs.h"
#include "facade/verbs.h"
#include "report/calibrate/site_report.h"

namespace loadfactor::facade {

// Fits the terms of the serving model and adds `site-serving.yaml` to the overlay.
// What was served comes from the serving scenarios, or from the files and what is given.
// False after errors.
bool fit_serving(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
                 report::SiteAnswer& answer, Overlay& overlay);

}  // namespace loadfactor::facade
