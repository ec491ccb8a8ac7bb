// Profiles of steps beside their predictions.
#pragma once

#include "facade/calibrate/site_inputs.h"
#include "facade/verbs.h"
#include "report/calibrate/site_report.h"

namespace loadfactor::facade {

// Sorts the time of each profile into classes, beside the prediction where a scenario says what
// ran: one for all of them, or one for each. False after errors.
bool compare_profiles(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
                      report::SiteAnswer& answer);

}  // namespace loadfactor::facade
