// A training answer for people and for programs.
#pragma once

#include <string>

#include "loadfactor/train.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct TrainTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;  // Adds the sum, the constants and the facts.
};

// The answer first, then the layout, the memory of a GPU, where the step goes, and why.
std::string train_text(const TrainAnswer& answer, const TrainTextOptions& options);
std::string train_markdown(const TrainAnswer& answer);
// One row per part of the step; of the memory where it does not fit.
std::string train_csv(const TrainAnswer& answer);
std::string train_json(const TrainAnswer& answer, const std::string& file);

// The answer as one sentence.
std::string train_verdict(const TrainAnswer& answer);

// The step as a Chrome trace: stages are tracks, times in microseconds. Opens in ui.perfetto.dev.
std::string train_trace_json(const TrainAnswer& answer);
// Why an answer that was asked for a trace has none.
std::string no_trace_words(const TrainAnswer& answer);

AnswerSchema train_schema();

}  // namespace loadfactor::report
