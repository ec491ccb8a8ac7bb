// A search for a deployment that can be tried with replicas by the hour afterwards.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/fill/serve_search.h"
#include "search/serving_fleet.h"

namespace loadfactor::engine {

struct TimedSearch {
  SizeAnswer found;
  // Simulates a row with so many replicas in each hour of a week, spares not counted; nothing where
  // prompts and answers have pools of their own.
  std::function<std::optional<search::FleetRun>(std::size_t row, const std::vector<int>& by_hour)>
      time_row;
};

// As search_deployment.
std::optional<TimedSearch> search_timed(const SizingInputs& question,
                                        const catalog::Catalog& catalog, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
