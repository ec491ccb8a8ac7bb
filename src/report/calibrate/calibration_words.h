// What refits, their files and the advice before them say.
#pragma once

#include <string>
#include <string_view>

#include "engine/calibrate/probe_plan.h"
#include "loadfactor/train.h"
#include "validation/inference/serving_recalibration.h"
#include "validation/training/cross_validation.h"

namespace loadfactor::report {

// Titles of the files that a site's measurements become.
inline constexpr const char* kProbedTitle = "kernels of this machine, measured by a probe";
inline constexpr const char* kStepsTitle = "measured steps of this site";
inline constexpr const char* kRunsTitle = "runs of load generators at this site";
// SOURCES.md with the one source that all of them name.
std::string site_sources(const std::string& today);

// A kind of observations by its key: "training steps" of `steps`. Other keys are their own words.
std::string measured_words(std::string_view kind);

// A measured step that no machine computes: it would take so many times the peak of its GPUs.
inline constexpr const char* kWholeStep =
    "the time of a whole step, of the scenario's model, batch, sequence, precision and GPUs";
std::string beyond_peak_words(const TrainAnswer& answer, Seconds took, double share);

// Fitted kernels that miss the shapes they have not seen by too much, and were left out.
struct PoorFit {
  std::string kernel;
  std::string chip;
  double median_error = 0;  // As a share.
};
std::string words_of(const PoorFit& fit);

// The figures of a refit, in sample and out of source: by metric and class, or all groups.
std::string refit_words(const validation::ServingRecalibration& result, bool all_groups);
std::string refit_words(const validation::Recalibration& result);

// What to measure, and with which program.
std::string_view words_of(engine::Measurement measurement);
std::string words_of(const engine::ProbeAdvice& advice);

}  // namespace loadfactor::report
