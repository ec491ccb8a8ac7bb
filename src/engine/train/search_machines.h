// The machines a search looks at: each candidate accelerator, in each number asked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/train/run_prices.h"
#include "engine/train/run_stages.h"
#include "engine/train/train_goodput.h"
#include "loadfactor/search.h"
#include "resolve/model/node_power.h"
#include "resolve/train/train_layout.h"
#include "resolve/train/train_setup.h"
#include "search/layout_search.h"

namespace loadfactor::engine {

// One of them, with everything a search needs.
struct SearchMachine {
  std::shared_ptr<TrainSetup> setup;  // For its accelerator and precision.
  search::SearchScene scene;
  RunPrices prices;
  PayRule rule = PayRule::kCheapest;  // By which one of them is chosen for a run.
  Watts gpu_power;                    // At the wall of the node, per GPU, under load,
  Watts gpu_most;                     // and at most.
  double paid_gpus = 0;               // With spares, as many as are usual.
  LaterStages later;                  // What follows the steps that are searched.
  bool several_precisions = false;

  int gpus() const { return scene.scene.job.layout.gpus; }
  double tokens_of_step() const;
  // Time of all steps of all stages by the time of one of the first; nothing where the tokens are
  // not said.
  std::optional<Seconds> work_time(Seconds step) const;
  // The paid time by the way to pay that a run with such steps would use.
  const PaidTime& paid(Seconds step) const { return prices.paid(work_time(step), rule); }
  // What the run costs so, or a token where the run has no length.
  double dollars(Seconds step) const;
  // What the objective counts, per token or of the run; less is better.
  double score(Objective objective, Seconds step) const;
  // What an hour more is paid at; nothing where no way to pay has a price.
  std::optional<DollarsPerGpuSecond> rent() const;
  std::string words() const;
  bool has_layouts() const;  // Legal ones, whether they fit or not.
  // For a machine that has no legal layout at all.
  ExcludedMachine undivided() const;
};

struct MachineList {
  std::vector<SearchMachine> machines;
  std::vector<ExcludedMachine> excluded;
  std::vector<Notice> notices;
  std::vector<MissedLimit> unpowered;  // Limits of power that machines were excluded by.
  double headroom = 0;                 // Share of the memory, as asked.
};

// Sequences of a step where a scenario says nothing: about 4 M tokens, in whole shares of the GPUs,
// never beyond the critical batch.
std::int64_t usual_batch(const TrainSetup& setup, int gpus);

// What a limit of the rack's or the site's power says against a machine; nothing where they are
// kept.
std::optional<PowerObjection> power_objection(const catalog::Catalog& catalog,
                                              const SearchMachine& machine);

// Reports what is wrong with the scenario.
std::optional<MachineList> list_machines(const SearchInputs& request,
                                         const catalog::Catalog& catalog, Objective objective,
                                         Diagnostics& diagnostics);

// The time is of the soonest way to pay, a cost of the cheapest.
PayRule pay_rule(Objective objective);

// The objective of a request: as asked, or as the scenario suggests.
Objective objective_of(const SearchInputs& request, const config::Scenario& scenario);

// One plan as `train` would choose it, complete.
ChosenLayout chosen_of(const SearchMachine& machine, const search::FoundPlan& plan);

}  // namespace loadfactor::engine
