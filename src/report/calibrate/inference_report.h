// How accurate the serving model is, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validation/inference/inference_steps.h"
#include "validation/inference/inference_validation.h"

namespace loadfactor::report {

struct InferenceReport {
  const validation::InferenceValidation& answer;
  std::string file;
  bool weighted = false;                    // Weights were given.
  bool is_sample = false;                   // The rows are those that ship, drawn from all.
  const std::vector<std::string>& shipped;  // Lines on how the constants did out of source.
  std::optional<double> seconds;
};

std::string inference_validation_text(const InferenceReport& report);
std::string inference_validation_json(const InferenceReport& report);

std::string inference_validation_csv(const validation::InferenceValidation& answer);

std::string inference_steps_csv(const validation::InferenceStepValidation& answer);
std::string inference_steps_text(const validation::InferenceStepValidation& answer);
std::string inference_steps_json(const validation::InferenceStepValidation& answer,
                                 const std::string& file, std::optional<double> seconds);

}  // namespace loadfactor::report
