// Two plans side by side: for people, for programs, and as a comment on a pull request.
#pragma once

#include <string>

#include "base/text/table.h"
#include "engine/explain/diff.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct DiffTextOptions {
  int width = 80;
  bool colour = false;
};

// What it comes to.
std::string diff_sentence(const engine::DiffAnswer& answer);
// The verdict on the first, or how it runs.
std::string before_words(const engine::DiffAnswer& answer);
// A figure as people and as programs read it.
std::string_view figure_title(engine::PlanFigure figure, bool is_training);
std::string_view figure_key(engine::PlanFigure figure);

// Figures of both, and the inputs that differ.
Table diff_figures(const engine::DiffAnswer& answer);
Table diff_inputs(const engine::DiffAnswer& answer);

std::string diff_text(const engine::DiffAnswer& answer, const DiffTextOptions& options);
std::string diff_markdown(const engine::DiffAnswer& answer);
// One row per input and figure.
std::string diff_csv(const engine::DiffAnswer& answer);
// Begins with a hidden tag that names the scenario, so that a second run can find the first one's
// comment and edit it.
std::string diff_comment(const engine::DiffAnswer& answer);

struct DiffFiles {
  std::string before;
  std::string after;
};
std::string diff_json(const engine::DiffAnswer& answer, const DiffFiles& files);

AnswerSchema diff_schema();

}  // namespace loadfactor::report
