// Published training runs: the step model is refitted to them, fold by fold.
#include "facade/calibrate/calibrations.h"
#include "facade/texts.h"
#include "report/calibrate/calibration_words.h"
#include "validation/training/cross_validation.h"
#include "validation/training/shipped_training.h"

namespace loadfactor::facade {

std::optional<Answer> calibrate(const Desk& desk, const Settings& /*settings*/,
                                const TrainingRefit& /*refit*/) {
  Diagnostics diagnostics;
  const auto shipped = validation::load_shipped_training(catalog::builtin_files(), diagnostics);
  if (!diagnostics.empty()) return desk.refuse(diagnostics);
  const auto table = validation::make_runs(shipped.rows, shipped.context(desk.engine.catalog()));
  const auto result = validation::recalibrate(table, shipped.calibration);
  return text_answer("calibrate", {report::refit_words(result)},
                     {.files = {{"training.yaml", training::write_calibration(result.file)},
                                {"crossval.csv", validation::write_crossval(result)}}});
}

}  // namespace loadfactor::facade
