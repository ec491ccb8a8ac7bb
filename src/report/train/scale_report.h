// How a training job scales, for people and for programs.
#pragma once

#include <string>

#include "loadfactor/search.h"
#include "report/describe/envelope.h"
#include "report/train/train_report.h"

namespace loadfactor::report {

// The answer first, then a curve per accelerator, the next dollar and the decisions.
std::string scale_text(const ScaleAnswer& answer, const TrainTextOptions& options);
std::string scale_markdown(const ScaleAnswer& answer);
// One row per size and accelerator.
std::string scale_csv(const ScaleAnswer& answer);
std::string scale_json(const ScaleAnswer& answer, const std::string& file);

AnswerSchema scale_schema();

}  // namespace loadfactor::report
