// How right the serving model is on a table of published results, beside a trivial baseline.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "validation/inference/inference_run.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

struct InferenceTable {
  std::vector<std::unique_ptr<InferenceRun>> runs;
  std::vector<SkippedRow> skipped;
  std::map<std::string, int> assumed;  // What was taken, with the rows scored so.
};
InferenceTable make_inference_runs(std::span<const InferenceRow> rows, RunMaker& maker,
                                   const RowWatch& watch = {});

// Weights by id out of a table with the columns id and weight.
std::map<std::string, double> read_weights(const config::CsvTable& table);

// Whether a row has a weight of its own. Then each counts as much as it says, or not at all.
bool have_weights(std::span<const InferenceRow> rows);

// One unit for each source, model, chip and metric, where nobody gave weights.
void spread_weights(std::span<const std::unique_ptr<InferenceRun>> runs);

struct InferencePrediction {
  std::string id;
  std::string metric;
  double measured = 0;
  double predicted = 0;
  double low = 0;
  double high = 0;
  double baseline = 0;
};

struct InferenceGroup {
  std::string by;  // One of metric, source, accelerator, engine, class, load.
  std::string name;
  std::string metric;  // Empty: all.
  int rows = 0;
  ErrorFigures ours;
  ErrorFigures baseline;
  double bias = 0;      // Median of predicted over measured, less one, percent.
  double coverage = 0;  // Percent.
  ErrorFigures weighted;
  ErrorFigures weighted_baseline;
};

struct InferenceValidation {
  int rows = 0;
  int scored = 0;
  int simulated = 0;  // Rows whose prediction is the simulator's (simulated_load.h).
  std::vector<SkippedRow> skipped;
  std::map<std::string, int> assumed;  // What was taken, with the rows scored so.
  InferenceGroup all;
  std::vector<InferenceGroup> groups;
  std::vector<InferencePrediction> predictions;
};

// Roofline at peak rates under the same load, times the median efficiency of its class: metric,
// load, dense or mixture.
class RooflineBaseline {
 public:
  explicit RooflineBaseline(std::span<const InferenceRun* const> known);
  RooflineBaseline(std::map<std::string, double> efficiencies)
      : efficiency_(std::move(efficiencies)) {}
  double predict(const InferenceRun& run) const;
  const std::map<std::string, double>& efficiencies() const { return efficiency_; }

 private:
  std::map<std::string, double> efficiency_;
};
// The prediction at peak rates, without engine, launches or collectives.
double roofline_prediction(const InferenceRun& run);

// Who gave a prediction.
enum class Predictor : std::uint8_t { kClosedForm, kSimulator };

InferencePrediction predict_row(const InferenceRun& run, double predicted,
                                const serving::ServingCalibration& calibration, double baseline,
                                Predictor by = Predictor::kClosedForm);

// Predictions stand in the order of the runs.
InferenceValidation summarise_inference(std::span<const InferenceRun* const> runs,
                                        std::vector<InferencePrediction> predictions);

}  // namespace loadfactor::validation
