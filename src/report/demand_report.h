// Traffic for people and for programs.
#pragma once

#include <string>

#include "report/describe/envelope.h"
#include "resolve/demand/demand.h"

namespace loadfactor::report {

struct DemandTextOptions {
  int width = 80;
  bool colour = false;
};

// What was read, used and dropped, in one line.
std::string demand_import_line(const engine::DemandAnswer& answer);

std::string demand_text(const engine::DemandAnswer& answer, const DemandTextOptions& options);
std::string demand_markdown(const engine::DemandAnswer& answer);
// One row per figure.
std::string demand_csv(const engine::DemandAnswer& answer);
std::string demand_json(const engine::DemandAnswer& answer);

// The answer as one sentence.
std::string demand_verdict(const engine::DemandAnswer& answer);

AnswerSchema demand_schema();

}  // namespace loadfactor::report
