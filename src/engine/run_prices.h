// What a training run costs by each way to pay that the scenario lists, commitments included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/train_setup.h"
#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"

namespace loadfactor::engine {

struct RunPrice {
  std::string name;  // As money.options writes it.
  EstimateOf<DollarsPerGpuSecond> rate;
  Seconds binds;  // Paid to its end, however short the run; zero where hours are paid.
};

struct RunPrices {
  std::vector<RunPrice> ways;
  std::vector<std::string> unpriced;  // Name and reason.

  // Nothing where no way has a price. Without the time of a run, the lowest rate that binds nobody,
  // else the lowest.
  const RunPrice* cheapest(std::optional<Seconds> run) const;
};

// Of so many GPUs, spares included, of which this share of the time carries work: by the prices of
// `cost`. Where the scenario lists no options, rent on demand, or what stands for it. Owned
// machines that the scenario says are there (`train.layout.gpus`) are charged for the run's share
// of their life; whatever else outlasts the run is paid to its end.
RunPrices run_prices(const catalog::Catalog& catalog, const TrainSetup& setup, double gpus,
                     double goodput);

Seconds paid_seconds(const RunPrice& way, Seconds run);
EstimateOf<Dollars> run_cost(const RunPrice& way, double gpus, const EstimateOf<Seconds>& run);

// Which way was used, what the others would cost and which have no price. Nothing where one way was
// asked for and used.
std::optional<Notice> note_prices(const RunPrices& prices, const std::string& chip, double gpus,
                                  std::optional<Seconds> run);

}  // namespace loadfactor::engine
