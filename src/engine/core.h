// Answers over one catalogue that verbs build on: a plan asks for a search, a cost for a service.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/cost.h"
#include "loadfactor/engine.h"
#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "loadfactor/search.h"
#include "loadfactor/serve.h"
#include "loadfactor/train.h"

namespace loadfactor {
class Crew;
}

namespace loadfactor::engine {

// Immutable after creation; safe to share between threads.
class Core {
 public:
  // Lays the files, in order, over the built-in catalogue. Nothing if they have errors.
  static std::unique_ptr<Core> create(const std::vector<OverlayFile>& overlays,
                                      Diagnostics& diagnostics);
  // An engine whose searches are shared with other processes; the crew must outlive it.
  static std::unique_ptr<loadfactor::Engine> engine_of(Crew& crew,
                                                       const std::vector<OverlayFile>& overlays,
                                                       Diagnostics& diagnostics);

  Result<FitAnswer> fit(const FitInputs& request) const;

  // One layout of the scenario's training job. Nothing if the scenario has errors; a job that
  // does not fit is an answer.
  std::optional<TrainAnswer> train(const TrainInputs& request, Diagnostics& diagnostics) const;

  // The best layouts of the scenario's training job, over all its accelerators.
  std::optional<SearchAnswer> search(const SearchInputs& request, Diagnostics& diagnostics) const;

  // How the job scales over numbers of GPUs, and what the next dollar is best spent on.
  std::optional<ScaleAnswer> scale(const ScaleInputs& request, Diagnostics& diagnostics) const;

  // One deployment of the scenario's serving job: capacity, speed under a load, what limits it.
  // Nothing if the scenario has errors or nothing fits.
  std::optional<ServeAnswer> serve(const ServeInputs& request, Diagnostics& diagnostics) const;

  // The scenario's demand through its deployment, request by request. Nothing if the scenario has
  // errors or nothing of it can be served.
  std::optional<SimulateAnswer> simulate(const SimulateInputs& request,
                                         Diagnostics& diagnostics) const;

  // Every way to pay for the scenario's work. Nothing if the scenario has errors; an option
  // without a price is part of the answer.
  std::optional<CostAnswer> cost(const CostInputs& request, Diagnostics& diagnostics) const;

  // The same engine with the catalogue's money in a currency of which a US dollar is worth
  // `per_usd`.
  std::unique_ptr<const Core> in_currency(double per_usd) const;

  const catalog::Catalog& catalog() const { return *catalog_; }
  // Who shares the work of a search; nullptr: nobody.
  Crew* crew() const { return crew_; }

  // What stands behind the façade.
  static const Core& behind(const loadfactor::Engine& engine) { return *engine.core_; }

 private:
  explicit Core(std::unique_ptr<catalog::Catalog> catalog) : catalog_(std::move(catalog)) {}
  std::unique_ptr<catalog::Catalog> catalog_;
  Crew* crew_ = nullptr;
};

}  // namespace loadfactor::engine
