// A published serving result as a deployment under a load, with rules for what a source leaves
// out. No rule looks at what was measured, or at who measured it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "serving/calibration_file.h"
#include "serving/closed_form.h"
#include "serving/hardware.h"
#include "serving/memory.h"
#include "validation/inference/inference_load.h"
#include "validation/inference/inference_row.h"
#include "validation/inference/published_engine.h"
#include "validation/inference/row_remarks.h"

namespace loadfactor::validation {

// What one copy of the attention may hold and run.
struct ReplicaRoom {
  double tokens = 0;          // In its cache.
  double most_sequences = 0;  // The engine's own bound.
  int block_tokens = 16;
};

struct InferenceRun {
  InferenceRow row;
  serving::Metric metric = serving::Metric::kThroughput;
  RowLoad load;
  serving::Pool pool;
  ReplicaRoom room;
  std::optional<serving::Pool> prefill;
  double measured = 0;
  double weight = 1;
  std::string source;
  const serving::EngineTraits* engine = nullptr;
  std::size_t family = 0;
  bool moe = false;
  std::string deployment;  // Runs that agree in it differ in load alone.
  std::string chip;

  // In the unit of the row's metric.
  double value_of(const serving::LoadFigures& figures) const;
  double predict(const serving::Constants& constants) const {
    return value_of(serving::closed_form(pool, load, constants));
  }
  // Classes whose residuals give the interval, narrowest first.
  std::vector<std::string> interval_groups() const;
  // The same of a figure of the simulator.
  std::vector<std::string> simulated_groups() const;
};

// Makes runs; models of deployments that occur again are made once.
class RunMaker {
 public:
  RunMaker(const catalog::Catalog& catalog, serving::HardwareShelf& hardware,
           const serving::ServingCalibration& calibration)
      : catalog_(&catalog), hardware_(&hardware), calibration_(&calibration) {}

  // LF401, LF402 when chip or model cannot be known; LF504 when metric or value cannot; LF207
  // where the row contradicts itself or the model.
  Result<std::unique_ptr<InferenceRun>> make(const InferenceRow& stated);
  const catalog::Catalog& catalog() const { return *catalog_; }

 private:
  struct Made {
    std::unique_ptr<serving::StepModel> step;
    serving::DeploymentMemory memory;
  };
  struct Choice;
  struct Degrees {
    double tp = 1, pp = 1, ep = 1, gpus = 1;
    double copies = 1;   // Copies of the attention in one instance.
    double workers = 0;  // Instances of a split pool; 0: as the GPUs say.
  };
  Degrees degrees_of(const InferenceRow& row, const Choice& choice,
                     const serving::Load& load) const;
  // The layout, among those that hold the weights, with the most tokens per second under the load
  // and its bound, for a row that states none.
  Result<Degrees> best_degrees(const Degrees& least, Choice& choice, const serving::Load& load);
  Result<serving::Pool> make_pool(Choice& choice, const Degrees& degrees,
                                  const serving::Load& load);
  Result<Choice> choose(const InferenceRow& row, const PublishedEngine& engine);
  Result<bool> add_pools(InferenceRun& run, Choice& choice);
  const catalog::AcceleratorSpec* limited(const catalog::AcceleratorSpec& chip,
                                          const InferenceRow& row);
  const serving::EngineTraits* overlapping(const serving::EngineTraits& traits,
                                           const InferenceRow& row);
  Result<const catalog::ModelSpec*> model_of(const InferenceRow& row);
  Result<const Made*> deployment(const Choice& choice);
  serving::Pool pool_of(Choice& choice, const Made& made, const serving::Load& load) const;

  const catalog::Catalog* catalog_;
  serving::HardwareShelf* hardware_;
  const serving::ServingCalibration* calibration_;
  std::optional<Result<RowRemarks>> remarks_;
  std::map<std::string, std::unique_ptr<catalog::ModelSpec>> models_;
  std::map<std::string, std::unique_ptr<catalog::AcceleratorSpec>> limited_;  // By name and power.
  std::map<std::string, std::unique_ptr<serving::EngineTraits>> overlapping_;
  std::map<std::string, Made> made_;
};

}  // namespace loadfactor::validation
