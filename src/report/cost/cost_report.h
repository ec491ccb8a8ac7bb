// A cost answer for people and for programs.
#pragma once

#include <string>

#include "loadfactor/cost.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct CostTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;   // Adds prices, facts and sums.
  bool tornado = false;   // Adds what would change the answer.
  bool facility = false;  // Adds the building.
};

// The answer first, then the bill as a tree, the options, the break-evens and the notices.
std::string cost_text(const CostAnswer& answer, const CostTextOptions& options);
std::string cost_markdown(const CostAnswer& answer);
// One row per option.
std::string cost_csv(const CostAnswer& answer);
std::string cost_json(const CostAnswer& answer, const std::string& file);

// The bill of a month as FOCUS 1.2 rows, tagged as a forecast.
std::string cost_focus_csv(const CostAnswer& answer);
// The bill in the shape of an Infracost breakdown, decimals as strings.
std::string cost_infracost_json(const CostAnswer& answer);

AnswerSchema cost_schema();

}  // namespace loadfactor::report
