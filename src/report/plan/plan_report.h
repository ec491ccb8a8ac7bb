// A plan for people and for programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/plan/plan.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct PlanTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;  // Adds the facts behind the figures.
};

// The verdict first, then the pair, the plan, the options, the runner-ups and the levers.
std::string plan_text(const engine::PlanAnswer& answer, const PlanTextOptions& options);
std::string plan_markdown(const engine::PlanAnswer& answer);
// One row per option.
std::string plan_csv(const engine::PlanAnswer& answer);
// `report`: where the page was written; empty: nowhere.
std::string plan_json(const engine::PlanAnswer& answer, const std::string& file,
                      const std::string& report);
// Hardware, layout, procurement, cooling and network, as words.
std::vector<std::pair<std::string, std::string>> plan_rows(const engine::PlanAnswer& answer);

AnswerSchema plan_schema();

}  // namespace loadfactor::report
