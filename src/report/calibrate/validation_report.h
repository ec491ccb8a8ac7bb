// How accurate the tool is, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "report/describe/envelope.h"
#include "validation/training/baseline_duel.h"
#include "validation/training/measured_steps.h"
#include "validation/training/row_weights.h"
#include "validation/training/training_validation.h"

namespace loadfactor::report {

// Out-of-fold figures to print beside those of the rows themselves.
struct OutOfSample {
  validation::TrainingValidation by_fold;
  validation::TrainingValidation by_source;
  validation::TrainingValidation by_family;
  validation::TrainingValidation by_chip;
  validation::BaselineDuel duel;  // Out of source.
};

// What stands around the figures of a validation.
struct ValidationFrame {
  std::string file;
  std::vector<Notice> notices;
  std::optional<OutOfSample> out_of_sample;
  std::optional<validation::WeightedFigures> weighted;
  std::optional<double> seconds;  // Left out when nothing.
};

std::string training_validation_text(const validation::TrainingValidation& answer,
                                     const ValidationFrame& frame);
std::string training_validation_json(const validation::TrainingValidation& answer,
                                     const ValidationFrame& frame);
std::string training_validation_markdown(const validation::TrainingValidation& answer,
                                         const ValidationFrame& frame);
std::string training_validation_csv(const validation::TrainingValidation& answer);

std::string step_validation_text(const validation::StepValidation& answer,
                                 const ValidationFrame& frame);
std::string step_validation_json(const validation::StepValidation& answer,
                                 const ValidationFrame& frame);
std::string step_validation_csv(const validation::StepValidation& answer);

AnswerSchema validate_schema();

}  // namespace loadfactor::report
