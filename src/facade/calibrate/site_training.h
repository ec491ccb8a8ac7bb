// Measured training steps and collectives beside the step model, and what they move in it.
#pragma once

#include <optional>
#include <string_view>

#include "facade/calibrate/overlay.h"
#include "facade/calibrate/site_inputs.h"
#include "facade/verbs.h"
#include "loadfactor/train.h"
#include "report/calibrate/site_report.h"

namespace loadfactor::facade {

// Whether a log contradicts the scenario that it is said to be of: LF209 with both figures, at
// the line of the log that states one. What the log does not say contradicts nothing.
Result<bool> check_log(const calibrate::TrainingLog& log, const TrainAnswer& answer);

// The question of a training scenario, without what this site measured before.
Result<TrainInputs> training_request(const ScenarioWithFiles& about);

// The step of that question; nothing, after an error that names what was `measured`, where its
// layout does not fit.
std::optional<TrainAnswer> answer_that_fits(const Desk& desk, const TrainInputs& request,
                                            std::string_view measured);

// Fits the terms of a training step and adds `site.yaml` to the overlay. False after errors.
bool fit_steps(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
               report::SiteAnswer& answer, Overlay& overlay);

}  // namespace loadfactor::facade
