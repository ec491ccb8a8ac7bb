// Deadline and budget: which of them a run misses, and which no run of a search keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/train/search_machines.h"
#include "loadfactor/train.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

// Of a run with its time and cost.
std::vector<MissedLimit> missed_limits(const TrainSetup& setup, const TrainAnswer& answer);

// Of the power of site and rack, by so many GPUs with spares, for so many that train.
std::vector<MissedLimit> missed_power(const catalog::Catalog& catalog, const TrainSetup& setup,
                                      double paid_gpus, int gpus);

// "the deadline of 2 h", "the budget of 100 USD".
MissedLimit deadline_limit(Seconds deadline);
MissedLimit budget_limit(Dollars budget);

// A run of a search by one way to pay, whatever the limits.
struct OpenRun {
  std::string machine;               // As it is called.
  std::optional<OptionKind> option;  // Nothing where nothing has a price.
  Seconds time;
  std::optional<Dollars> cost;
};
// The fastest run of a machine by each of its ways to pay; the step is that of its best layout.
std::vector<OpenRun> open_runs(const catalog::Catalog& catalog, const SearchMachine& machine,
                               Seconds step);

// Why none of these runs, of which there is one at least, is within the limits.
struct UnmetLimits {
  std::vector<MissedLimit> limits;  // Those that no run keeps; both where each is kept by another.
  std::string words;                // "meets the deadline of 2 h, nor the budget of 100 USD".
  std::string nearest;              // The soonest and the cheapest run, each with its way to pay.
};
UnmetLimits unmet_limits(const std::vector<OpenRun>& runs, std::optional<Seconds> deadline,
                         std::optional<Dollars> budget);

}  // namespace loadfactor::engine
