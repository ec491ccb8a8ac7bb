// Whole pre-training runs beside their predictions, for people and for programs.
#pragma once

#include <string>

#include "report/calibrate/validation_report.h"
#include "validation/training/production_runs.h"

namespace loadfactor::report {

std::string production_text(const validation::ProductionValidation& answer);
std::string production_json(const validation::ProductionValidation& answer,
                            const ValidationFrame& frame);
std::string production_csv(const validation::ProductionValidation& answer);

}  // namespace loadfactor::report
