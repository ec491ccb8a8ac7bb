// How accurate the tool is, for people and for programs.
#pragma once

#include <optional>
#include <string>

#include "validation/measured_steps.h"
#include "validation/training_validation.h"

namespace loadfactor::report {

// Out-of-fold figures to print beside those of the rows themselves.
struct OutOfSample {
  validation::TrainingValidation by_fold;
  validation::TrainingValidation by_source;
};

std::string training_validation_text(const validation::TrainingValidation& answer,
                                     const std::optional<OutOfSample>& out_of_sample);
// `seconds` is left out when nothing.
std::string training_validation_json(const validation::TrainingValidation& answer,
                                     const std::string& file,
                                     const std::optional<OutOfSample>& out_of_sample,
                                     std::optional<double> seconds);
std::string training_validation_csv(const validation::TrainingValidation& answer);

std::string step_validation_text(const validation::StepValidation& answer);
std::string step_validation_json(const validation::StepValidation& answer, const std::string& file,
                                 std::optional<double> seconds);

}  // namespace loadfactor::report
