#include "facade/plan_accuracy.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "serving/calibration_file.h"
#include "validation/training/shipped_training.h"
#include "validation/training/training_validation.h"

namespace loadfactor::facade {
namespace {

using validation::PublishedRun;
using validation::PublishedTable;

constexpr const char* kIntervals = "Intervals are meant to hold nine of ten measured results.";

std::string figures_text(const validation::TrainingValidation& scored, const std::string& what) {
  return fmt::format(
      "{} of {}: median error {:.1f} %, p90 {:.1f} %, {:.0f} % within the interval; the trivial "
      "lookup has a median error of {:.1f} %. ",
      scored.scored, what, scored.abs_error.median, scored.abs_error.p90, scored.interval_coverage,
      scored.baseline_abs_error.median);
}

std::string training_words(const engine::Core& engine, const std::string& accelerator) {
  Diagnostics unread;
  const auto shipped = validation::load_shipped_training(catalog::builtin_files(), unread);
  if (!unread.empty()) return {};
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
    return fmt::format(
        "{} published training runs on {}: median error of tokens per second and GPU {:.1f} %, p90 "
        "{:.1f} %, {:.0f} % within the interval; the trivial lookup has a median error of {:.1f} "
        "%. ",
        group.rows, accelerator, group.ours.median, group.ours.p90, group.coverage,
        group.baseline.median);
  }
  return fmt::format("No published run on {} is known. ", accelerator) +
         figures_text(every, "all published training runs");
}

std::string serving_words() {
  Diagnostics unread;
  const auto calibration = serving::find_serving_calibration(catalog::builtin_files(), {}, unread);
  if (!unread.empty()) return {};
  std::string text = "Median and p90 errors on published serving results: ";
  bool first = true;
  for (const auto& line : calibration.results) {
    const bool overall =
        line.starts_with("throughput") || line.starts_with("ttft") || line.starts_with("tpot");
    if (!overall) continue;
    text += (std::exchange(first, false) ? "" : "; ") + line;
  }
  return text + ". ";
}

}  // namespace

std::string plan_accuracy(const engine::Core& engine, const engine::PlanAnswer& answer) {
  const std::string accelerator = answer.machine ? answer.machine->accelerator : std::string();
  return (answer.is_training ? training_words(engine, accelerator) : serving_words()) + kIntervals +
         " `loadfactor validate` shows every row.";
}

}  // namespace loadfactor::facade
