// Metrics of a training run as MLflow and Weights & Biases keep them, told by their shape.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/measurement/measurement.h"
#include "config/document.h"

namespace loadfactor::calibrate {

// A metric of MLflow's file store: lines of a time in milliseconds, a value and a step. The file's
// name is that of the metric. Nothing where the text is something else.
std::optional<Result<TrainingLog>> read_mlflow_metric(const std::string& file,
                                                      std::string_view text);
// What MLflow's tracking server answers: lists of `metrics` with key, value, timestamp and step.
std::optional<Result<TrainingLog>> read_mlflow_json(const config::Document& document);
// The history of a Weights & Biases run: JSON lines, or a table of CSV with a column of steps.
std::optional<Result<TrainingLog>> read_wandb_lines(const std::string& file, std::string_view text);
std::optional<Result<TrainingLog>> read_metric_table(const std::string& file,
                                                     std::string_view text);

}  // namespace loadfactor::calibrate
