// One self-contained page of a plan.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "loadfactor/value.h"
#include "report/page/definitions.h"

namespace loadfactor::report {

// The page's data, as docs/page.md describes it. `file`: the scenario, as it was asked for.
Value plan_page_data(const engine::PlanAnswer& answer, const std::string& file,
                     const std::vector<PageWord>& words = {});

// The page itself: the templates of web/, filled.
std::string plan_page(const engine::PlanAnswer& answer, const std::string& file,
                      const std::vector<PageWord>& words);

}  // namespace loadfactor::report
