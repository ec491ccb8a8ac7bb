// A fleet whose replicas come and go, simulated for whoever needs it after the search.
#pragma once

#include <cstdint>
#include <optional>

#include "search/serving_sizing.h"

namespace loadfactor::search {

// Over the week of this seed, or the problem's trace. Nothing where there is nothing to scale.
std::optional<ScaledFleet> scaled_fleet(const SizingProblem& problem, SizedDeployment deployment,
                                        std::uint64_t week);

}  // namespace loadfactor::search
