// Published serving results: the serving model is refitted to them.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/csv.h"
#include "facade/calibrate/calibrations.h"
#include "facade/texts.h"
#include "report/calibrate/calibration_words.h"
#include "validation/inference/serving_recalibration.h"

namespace loadfactor::facade {
namespace {

using validation::InferenceRun;

Result<config::CsvTable> read_table(const InputFile& file, Diagnostics& diagnostics) {
  return config::parse_csv(file.shown(), std::string(file.bytes), diagnostics);
}

// Weights of the rows, where they are said.
Result<bool> set_weights(const std::optional<InputFile>& file,
                         const std::vector<std::unique_ptr<InferenceRun>>& runs,
                         Diagnostics& diagnostics) {
  if (!file) return true;
  TRY(const auto table, read_table(*file, diagnostics));
  const auto weights = validation::read_weights(table);
  for (const auto& run : runs) {
    if (const auto found = weights.find(run->row.id); found != weights.end())
      run->weight = found->second;
  }
  return true;
}

std::string rows_csv(const std::vector<const InferenceRun*>& runs,
                     const validation::ServingRecalibration& result) {
  std::string csv =
      "id,source,kind,generation,chip,moe,metric,weight,measured,inside,outside,base,low,high,"
      "deployment\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& a = result.in_sample.predictions[i];
    const auto& b = result.out_of_source.predictions[i];
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", a.id, runs[i]->source,
                       serving::name(runs[i]->load.kind), runs[i]->engine->name, runs[i]->chip,
                       runs[i]->moe ? 1 : 0, a.metric, runs[i]->weight, a.measured, a.predicted,
                       b.predicted, b.baseline, b.low, b.high, runs[i]->deployment);
  }
  return csv;
}

}  // namespace

std::optional<Answer> calibrate(const Desk& desk, const Settings& /*settings*/,
                                const ServingRefit& refit) {
  const auto& catalog = desk.engine.catalog();
  Diagnostics diagnostics;
  const auto table = read_table(refit.rows, diagnostics);
  if (!table) return desk.refuse(table.error());
  const auto rows = validation::read_inference_rows(*table);
  if (!rows) return desk.refuse(rows.error());
  const auto files = catalog::builtin_files();
  const auto start = serving::find_serving_calibration(files, catalog.generations(), diagnostics);
  serving::HardwareShelf hardware(catalog, files, diagnostics);
  if (!diagnostics.empty()) return desk.refuse(diagnostics);
  validation::RunMaker maker(catalog, hardware, start);
  const auto made = validation::make_inference_runs(*rows, maker);
  validation::spread_weights(made.runs);
  if (const auto set = set_weights(refit.weights, made.runs, diagnostics); !set)
    return desk.refuse(set.error());
  std::vector<const InferenceRun*> runs;
  for (const auto& run : made.runs) runs.push_back(run.get());
  const auto result =
      validation::recalibrate_serving(runs, start,
                                      {.rows_per_cell = refit.rows_per_cell,
                                       .fit = {.scale = refit.scale, .spread = refit.spread}});
  Beside beside;
  beside.remarks.push_back(
      fmt::format("{} rows fitted, {} skipped", runs.size(), made.skipped.size()));
  beside.files.push_back({"serving.yaml", serving::write_serving_calibration(result.calibration)});
  if (refit.all_rows) beside.files.push_back({"serving_rows.csv", rows_csv(runs, result)});
  return text_answer("calibrate", {report::refit_words(result, refit.all_rows)}, std::move(beside));
}

}  // namespace loadfactor::facade
