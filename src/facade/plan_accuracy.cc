#include "facade/plan_accuracy.h"

#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "report/plan/accuracy_words.h"
#include "serving/calibration_file.h"
#include "validation/training/shipped_training.h"
#include "validation/training/training_validation.h"

namespace loadfactor::facade {
namespace {

using validation::PublishedRun;
using validation::PublishedTable;

std::optional<report::TrainingAccuracy> training_accuracy(const engine::Core& engine,
                                                          const std::string& accelerator) {
  Diagnostics unread;
  const auto shipped = validation::load_shipped_training(catalog::builtin_files(), unread);
  if (!unread.empty()) return std::nullopt;
  const auto context = shipped.context(engine.catalog());
  const PublishedTable all = validation::make_runs(shipped.rows, context);
  std::vector<const PublishedRun*> stated;
  for (const auto& run : all.runs)
    if (run->tier == validation::Tier::kFull || run->tier == validation::Tier::kPartial)
      stated.push_back(run.get());
  const validation::LookupBaseline baseline(stated);
  const auto every = validation::validate_training(all, shipped.calibration, baseline);
  for (const auto& group : every.groups) {
    if (group.by != "accelerator" || group.name != accelerator) continue;
    return report::TrainingAccuracy{accelerator,          true,           group.rows,
                                    group.ours.median,    group.ours.p90, group.coverage,
                                    group.baseline.median};
  }
  return report::TrainingAccuracy{accelerator,
                                  false,
                                  every.scored,
                                  every.abs_error.median,
                                  every.abs_error.p90,
                                  every.interval_coverage,
                                  every.baseline_abs_error.median};
}

std::optional<std::vector<std::string>> serving_accuracy() {
  Diagnostics unread;
  const auto calibration = serving::find_serving_calibration(catalog::builtin_files(), {}, unread);
  if (!unread.empty()) return std::nullopt;
  std::vector<std::string> lines;
  for (const auto& line : calibration.results) {
    const bool overall =
        line.starts_with("throughput") || line.starts_with("ttft") || line.starts_with("tpot");
    if (overall) lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::string plan_accuracy(const engine::Core& engine, const engine::PlanAnswer& answer) {
  const std::string accelerator = answer.machine ? answer.machine->accelerator : std::string();
  report::PlanAccuracy accuracy;
  if (answer.is_training)
    accuracy.training = training_accuracy(engine, accelerator);
  else
    accuracy.serving = serving_accuracy();
  return report::words_of(accuracy);
}

}  // namespace loadfactor::facade
