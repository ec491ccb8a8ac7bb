// A plan of years as tables and sentences.
#pragma once

#include <string>
#include <vector>

#include "base/text/table.h"
#include "engine/plan/plan.h"

namespace loadfactor::report {

// `own h100-sxm`, `the API (groq/llama-3.1-8b-instant)`.
std::string long_way_words(const engine::LongRunWay& way);
// `the API for 12 months, then own h100-sxm`.
std::string long_plan_words(const engine::LongRunPlan& plan);

// The books of the best plan by year, and all plans by their NPV.
Table books_table(const engine::PlanYears& years);
Table long_plans_table(const engine::PlanYears& years);

// Cost, energy and carbon of each region's own fleet by year, and of all of them.
bool has_years(const engine::PlanRegions& regions);
Table region_years_table(const engine::PlanRegions& regions);

// What was found, whether to wait, and what was assumed, a sentence each.
std::vector<std::string> years_sentences(const engine::PlanYears& years);

// What a promised availability adds.
std::string promise_words(const engine::PlanPromise& promise);

}  // namespace loadfactor::report
