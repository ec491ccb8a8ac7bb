// A fleet whose replicas come and go, simulated for whoever needs it after the search.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/serving_sizing.h"

namespace loadfactor::search {

// A week, and its requests where they are recorded already.
struct HardWeek {
  std::uint64_t seed = 0;
  double seconds = 0;
  std::shared_ptr<const serving::ArrivalTape> tape;
};

// Over this week, or the problem's trace. Nothing where there is nothing to scale.
std::optional<ScaledFleet> scaled_fleet(const SizingProblem& problem, SizedDeployment deployment,
                                        const HardWeek& week);

}  // namespace loadfactor::search
