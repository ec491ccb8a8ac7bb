// A fleet whose replicas come and go, simulated for whoever needs it after the search.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/serving_fleet.h"
#include "search/serving_sizing.h"

namespace loadfactor::search {

// Over this week, or the problem's trace. Nothing where there is nothing to scale.
std::optional<ScaledFleet> scaled_fleet(const SizingProblem& problem, SizedDeployment deployment,
                                        const HardWeek& week);

// With so many replicas in each hour from Monday on, or from the first day of a record without a
// calendar, as a schedule of many workloads has it; spares are not counted. Nothing where prompts
// and answers have pools of their own.
std::optional<FleetRun> timed_fleet(const SizingProblem& problem, const SizedDeployment& deployment,
                                    const HardWeek& week, const std::vector<int>& by_hour);

}  // namespace loadfactor::search
