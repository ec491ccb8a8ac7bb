// What a training run costs by each way to pay that the scenario lists, commitments included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "economics/run_term.h"
#include "engine/train/paid_time.h"
#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

struct RunPrice {
  OptionKind kind = OptionKind::kOnDemand;
  EstimateOf<DollarsPerGpuSecond> rate;
  PaidTime paid;                 // Its own: spot is taken away, and nothing else is.
  economics::RunTerm term = {};  // How long it is paid.

  // The time that its GPUs are paid at its rate, with what a longer run pays after a term.
  Seconds paid_seconds(Seconds work) const;
  // The longest run that so many dollars pay; zero where they do not pay what binds.
  Seconds longest_run(Dollars budget) const;
  Dollars cost(Seconds work) const;
  EstimateOf<Dollars> cost(const EstimateOf<Seconds>& work) const;
};

// What a way to pay is chosen by.
enum class PayRule : std::uint8_t {
  kCheapest,  // The cheapest by the deadline and within the budget, where any is.
  kSoonest,   // The soonest within the budget.
};

struct RunPrices {
  std::vector<RunPrice> options;
  std::vector<std::string> unpriced;  // Name and reason.
  std::vector<OptionKind> stalled;  // On which the run makes no progress, so that it has no price.
  // Both, by name.
  std::vector<std::string> all_unpriced() const;
  PaidTime plain;  // Where no way has a price: of machines that nobody takes away, unless nothing
                   // but spot is asked for.
  std::optional<Seconds> deadline;
  std::optional<Dollars> budget;

  // By the time that the steps take together. Nothing where no way has a price. Without that time,
  // what binds nobody goes first.
  const RunPrice* chosen(std::optional<Seconds> work, PayRule rule) const;
  const PaidTime& paid(std::optional<Seconds> work, PayRule rule) const;
  // Whether failures leave no time to train, however it is paid.
  bool stalls() const { return options.empty() && plain.stalls(); }
};

// The ways to pay for a run of this size, by `cost`. A way to pay
// has a goodput of its own, whatever stands beside it: pre-emption makes a run on spot longer and
// no hour dearer. Where the scenario lists no options, rent on demand, or what stands for it. Owned
// machines that the scenario says are there (as many as `train.layout.gpus`, with their spares) are
// charged for the run's share of their life; whatever else outlasts the run is paid to its end. A
// run that outlasts a reservation pays another whole one, or the rest on demand where that is less.
RunPrices run_prices(const catalog::Catalog& catalog, const TrainSetup& setup, const RunSize& run);

// Which way was used, what the others would take and cost and which have no price. Nothing where
// one way was asked for and used.
std::optional<Notice> note_prices(const RunPrices& prices, const std::string& chip,
                                  std::optional<Seconds> work, PayRule rule);

}  // namespace loadfactor::engine
