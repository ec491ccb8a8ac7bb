// What failures, repairs and owners who take their machines back leave of the paid time of a run.
#pragma once

#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/train.h"
#include "resolve/train/train_setup.h"
#include "training/reliability.h"

namespace loadfactor::engine {

struct PaidTime {
  training::Goodput goodput;
  EstimateOf<double> effective;  // Its value; doubt of half to twice the losses.
  int nodes = 1;
  int gpus = 1;  // That work.
  std::vector<const catalog::Fact*> facts;

  double paid_gpus() const {
    return gpus * (1.0 + static_cast<double>(goodput.spare_nodes) / nodes);
  }
  bool stalls() const { return goodput.value <= training::kLeastGoodput; }
  EstimateOf<Seconds> run(const EstimateOf<Seconds>& work) const;
  Seconds run(Seconds work) const { return work / effective.value(); }
};

// The paid time of a job on so many accelerators, on spot or not; no checkpoint comes sooner than
// its step, where that is known. Where the catalogue has no such facts, nothing is lost.
PaidTime paid_time(const catalog::Catalog& catalog, const TrainSetup& setup, int gpus, Seconds step,
                   bool on_spot);

// Whether nothing but spot is asked for; the API, which sells no training, does not count.
bool only_spot(const config::Money& money);
// Whether any machine is, by whatever way to pay.
bool lists_machines(const config::Money& money);

// Why a run stalls, and what would help.
RunStall stall_of(const PaidTime& paid, const TrainSetup& setup, bool on_spot);

}  // namespace loadfactor::engine
