// Deadline and budget: which of them a run misses, and which no run of a search keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/train/search_machines.h"
#include "loadfactor/search.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

// Deadline and budget that a run of this time and cost misses.
std::vector<MissedLimit> missed_limits(const config::Scenario& scenario,
                                       const std::optional<EstimateOf<Seconds>>& duration,
                                       const std::optional<EstimateOf<Dollars>>& cost);

// Power of site and rack that so many GPUs with spares exceed, where so many train.
std::vector<MissedLimit> missed_power(const catalog::Catalog& catalog, const TrainSetup& setup,
                                      double paid_gpus, int gpus);

MissedLimit deadline_limit(Seconds deadline);
MissedLimit budget_limit(Dollars budget);

// The fastest run of a machine by each of its ways to pay; the step is that of its best layout.
std::vector<OpenRun> open_runs(const catalog::Catalog& catalog, const SearchMachine& machine,
                               Seconds step);

// Why none of these runs, of which there is one at least, is within the limits.
UnmetLimits unmet_limits(const std::vector<OpenRun>& runs, std::optional<Seconds> deadline,
                         std::optional<Dollars> budget);

}  // namespace loadfactor::engine
