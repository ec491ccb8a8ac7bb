// Fleets by region beside one place for all, as a table and a sentence.
#pragma once

#include <string>

#include "base/text/table.h"
#include "engine/plan/plan.h"

namespace loadfactor::report {

Table regions_table(const engine::PlanRegions& regions);

// What the cheapest place saves or adds over fleets by region, and what its users wait for.
std::string regions_words(const engine::PlanRegions& regions);

}  // namespace loadfactor::report
