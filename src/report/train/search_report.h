// The best layouts of a training job, for people and for programs.
#pragma once

#include <string>

#include "loadfactor/search.h"
#include "report/describe/envelope.h"
#include "report/train/train_report.h"

namespace loadfactor::report {

// The answer first, then the plans with their reasons, the front, and what was left out. Explained,
// the first plan follows as `train` would show it.
std::string search_text(const SearchAnswer& answer, const TrainTextOptions& options);
std::string search_markdown(const SearchAnswer& answer);
// One row per plan.
std::string search_csv(const SearchAnswer& answer);
// Without times of this run where `reproducible`.
std::string search_json(const SearchAnswer& answer, const std::string& file, bool reproducible);

AnswerSchema search_schema();

}  // namespace loadfactor::report
