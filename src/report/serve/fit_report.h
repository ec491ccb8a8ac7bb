// A fit answer for people and for programs.
#pragma once

#include <string>

#include "loadfactor/fit.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct FitTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;  // Adds the facts behind the figures.
};

// The answer first, then the memory of a GPU, then how many sequences, then where else it fits.
std::string fit_text(const FitAnswer& answer, const FitTextOptions& options);
std::string fit_markdown(const FitAnswer& answer);
// One row per memory line.
std::string fit_csv(const FitAnswer& answer);
std::string fit_json(const FitAnswer& answer, const FitInputs& request);

// The answer as one sentence.
std::string fit_verdict(const FitAnswer& answer);

AnswerSchema fit_schema();

}  // namespace loadfactor::report
