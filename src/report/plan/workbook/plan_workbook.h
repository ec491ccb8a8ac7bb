// A plan as a workbook: the answer, the ways to pay, what they rest on, and cash by year. Totals
// are formulas over cells that the reader may change.
#pragma once

#include <string>

#include "engine/plan/plan.h"

namespace loadfactor::report {

// {"sheets": [{name, widths[], rows[][]{form, text | number, formula?, input?}}]} on one line. The
// value beside a formula is what it gives today.
std::string plan_workbook(const engine::PlanAnswer& answer, const std::string& file);

}  // namespace loadfactor::report
