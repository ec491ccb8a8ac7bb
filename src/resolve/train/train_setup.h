// From a scenario's words to what a training job needs: names resolved, defaults chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/site/site_file.h"
#include "catalog/catalog.h"
#include "catalog/spec/collective_table.h"
#include "loadfactor/estimate.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "loadfactor/train.h"
#include "training/job/calibration_file.h"
#include "training/job/job.h"
#include "training/job/stack_file.h"

namespace loadfactor::engine {

// What every prediction of training rests on, read once from the catalogue.
struct TrainingData {
  training::StackShelf stacks;
  training::CalibrationFile calibration_file;
  training::Calibration calibration;
  catalog::CollectiveTable collectives;
  Diagnostics problems;  // Files of a user's that are wrong.
};

struct TrainSetup {
  config::Scenario scenario;
  const TrainingData* data = nullptr;                     // The catalogue's.
  std::shared_ptr<const catalog::ModelSpec> described;    // Owns a model that no catalogue has.
  std::shared_ptr<const training::StackTraits> released;  // Owns a stack as an old release has it.
  training::TrainingJob job;                              // All but layout and perhaps batch.
  const training::ChipConstants* chip_constants = nullptr;
  std::optional<calibrate::SiteCalibration>
      site;  // What the user measured, or no more than priors.
  std::string precision;
  bool shape_assumed = false;      // The model is known by its size alone.
  bool shards_parameters = false;  // What the stack does when the layout does not say.
  std::vector<Notice> notices;

  const config::TrainSection& ask() const { return *scenario.train; }
  // The layout as written; nothing fixed if there is none.
  config::Layout asked_layout() const { return ask().layout.value_or(config::Layout{}); }
  Error error(int code, config::Position at, std::string message, std::string hint = {}) const {
    return scenario.error(code, at, std::move(message), std::move(hint));
  }
  void note(Notice notice) { notices.push_back(std::move(notice)); }
  void note(std::string id, std::string text, Severity severity = Severity::kNote) {
    notices.push_back({std::move(id), severity, std::move(text)});
  }
};

// Tokens that are computed for each one that teaches: text that fills sequences up teaches nothing.
// One where texts share a sequence.
double filling_factor(const config::TrainSection& train, std::int64_t sequence);
// What the filling of sequences takes, where examples are described.
std::optional<Notice> filling_notice(const config::TrainSection& train, std::int64_t sequence);

// Reports everything that is wrong with the scenario, at its place in the file.
std::unique_ptr<TrainSetup> make_train_setup(const TrainInputs& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics);

}  // namespace loadfactor::engine
