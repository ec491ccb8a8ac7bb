// The machines a search looks at: each candidate accelerator, in each number asked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/run_prices.h"
#include "engine/train_goodput.h"
#include "engine/train_layout.h"
#include "engine/train_setup.h"
#include "loadfactor/search.h"
#include "search/layout_search.h"

namespace loadfactor::engine {

// One of them, with everything a search needs.
struct SearchMachine {
  std::shared_ptr<TrainSetup> setup;  // Of its accelerator and precision.
  search::SearchScene scene;
  std::optional<PaidTime> paid;
  RunPrices prices;
  std::optional<EstimateOf<DollarsPerGpuSecond>> rent;  // Of them the one to pay an hour more at.
  Watts gpu_power;       // At the wall of the node, per GPU, under load,
  Watts gpu_most;        // and at most.
  double paid_gpus = 0;  // With spares.
  bool several_precisions = false;

  int gpus() const { return scene.scene.job.layout.gpus; }
  // Paid time of the run by the time of its step; nothing where the tokens are not said.
  std::optional<Seconds> run_time(Seconds step) const;
  // What the run costs by its cheapest way to pay, or a token where the run has no length.
  double dollars(Seconds step) const;
  std::string words() const;
  // For a machine that has no legal layout at all.
  ExcludedMachine undivided() const;
};

struct MachineList {
  std::vector<SearchMachine> machines;
  std::vector<ExcludedMachine> excluded;
  std::vector<Notice> notices;
};

// Sequences of a step where a scenario says nothing: about 4 M tokens, in whole shares of the GPUs,
// never beyond the critical batch.
std::int64_t usual_batch(const TrainSetup& setup, int gpus);

// What a limit of the rack's or the site's power says against a machine; empty if nothing.
std::string power_objection(const catalog::Catalog& catalog, const SearchMachine& machine);

// Reports what is wrong with the scenario.
std::optional<MachineList> list_machines(const SearchRequest& request,
                                         const catalog::Catalog& catalog, Objective objective,
                                         Diagnostics& diagnostics);

// The objective of a request: as asked, or as the scenario suggests.
Objective objective_of(const SearchRequest& request, const config::Scenario& scenario);

// One plan as `train` would choose it, complete.
ChosenLayout chosen_of(const SearchMachine& machine, const search::FoundPlan& plan);

}  // namespace loadfactor::engine
