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
  const std::vector<std::string>& shipped;  // Lines on how the constants did out of source.
  std::optional<double> seconds;
};

std::string inference_validation_text(const InferenceReport& report);
std::string inference_validation_json(const InferenceReport& report);

// Without a file: what is known about the constants that ship.
std::string shipped_inference_text(const std::vector<std::string>& shipped);
std::string shipped_inference_json(const std::vector<std::string>& shipped);
std::string inference_validation_csv(const validation::InferenceValidation& answer);

std::string inference_steps_csv(const validation::InferenceStepValidation& answer);
std::string inference_steps_text(const validation::InferenceStepValidation& answer);
std::string inference_steps_json(const validation::InferenceStepValidation& answer,
                                 const std::string& file, std::optional<double> seconds);

}  // namespace loadfactor::report
