// What failures, repairs, owners who take their machines back and the habits of whole runs leave of
// the paid time of a run.
#pragma once

#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/train.h"
#include "resolve/train/train_setup.h"
#include "training/reliability.h"
#include "training/run_losses.h"

namespace loadfactor::engine {

// What is known of a run before it is priced.
struct RunSize {
  int gpus = 1;
  Seconds step = {};                 // 0: not known.
  std::optional<Seconds> work = {};  // All of its steps together.
  int copy_gpus = 0;                 // That hold the model once; 0: not known, as few as a node.
  std::int64_t micro_batches =
      0;  // Those of a copy in a step; 0: not known, as many as there may be.
};

struct PaidTime {
  training::Goodput goodput;
  EstimateOf<double> effective;  // Its value; doubt of half to twice the losses.
  double seldom = 0;  // Share of the time that checkpoints as rare as people write them lose more.
  training::RunLosses losses;
  int nodes = 1;
  int gpus = 1;  // That work.
  std::vector<const catalog::Fact*> facts;

  double paid_gpus() const {
    return gpus * (1.0 + static_cast<double>(goodput.spare_nodes) / nodes);
  }
  bool stalls() const { return goodput.value <= training::kLeastGoodput; }
  // The time that is paid for so much time of steady steps, loss by loss,
  training::RunTime time(Seconds work) const {
    return losses.pay(work / (effective.value() - seldom));
  }
  Seconds run(Seconds work) const { return time(work).paid; }
  // with an interval that holds nine of ten whole runs where the run is one of them.
  EstimateOf<Seconds> run(const EstimateOf<Seconds>& work) const;
  // The steady steps that fit into a paid time.
  Seconds work_within(Seconds run) const;
  // Share of the paid time that steady steps take; where their time is not known, of a short run.
  EstimateOf<double> share(std::optional<Seconds> work) const;
  // Where the rest goes, the most first; with the share they sum to one.
  std::vector<GoodputLoss> losses_of(std::optional<Seconds> work) const;
};

// What failures, checkpoints and repairs take of the time that they leave, the most first.
std::vector<GoodputLoss> losses_of(const training::Goodput& goodput);

// The paid time of a job of this size, on spot or not; no checkpoint comes sooner than
// its step, where that is known. Where the catalogue has no such facts, nothing is lost.
PaidTime paid_time(const catalog::Catalog& catalog, const TrainSetup& setup, const RunSize& run,
                   bool on_spot);

// Whether nothing but spot is asked for; the API, which sells no training, does not count.
bool only_spot(const config::Money& money);
// Whether any machine is, by whatever way to pay.
bool lists_machines(const config::Money& money);

// Why a run stalls, and what would help.
RunStall stall_of(const PaidTime& paid, const TrainSetup& setup, bool on_spot);

}  // namespace loadfactor::engine
