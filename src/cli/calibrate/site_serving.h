// Results of load generators beside the serving model, and what they move in it.
#pragma once

#include "cli/calibrate/site_inputs.h"
#include "cli/calibrate/site_overlay.h"
#include "cli/session/session.h"
#include "report/calibrate/site_report.h"

namespace loadfactor::cli {

// Fits the terms of the serving model and adds `site-serving.yaml` to the overlay.
// What was served comes from the serving scenarios of `--for`, or from the files and flags.
// False after it has told the session why not.
bool fit_serving(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
                 report::SiteAnswer& answer, Overlay& overlay);

}  // namespace loadfactor::cli
