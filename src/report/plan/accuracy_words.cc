#include "report/plan/accuracy_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loadfactor::report {
namespace {

std::string training_words(const TrainingAccuracy& a) {
  const std::string figures = fmt::format(
      "{:.1f} %, p90 {:.1f} %, {:.0f} % within the interval; the trivial lookup has a median error "
      "of {:.1f} %. ",
      a.median, a.p90, a.coverage, a.baseline_median);
  if (a.is_own)
    return fmt::format(
        "{} published training runs on {}: median error of tokens per second and GPU {}", a.runs,
        a.accelerator, figures);
  return fmt::format(
      "No published run on {} is known. {} of all published training runs: median error {}",
      a.accelerator, a.runs, figures);
}

}  // namespace

std::string words_of(const PlanAccuracy& accuracy) {
  std::string text;
  if (accuracy.training) text += training_words(*accuracy.training);
  if (accuracy.serving)
    text += fmt::format("Median and p90 errors on published serving results: {}. ",
                        fmt::join(*accuracy.serving, "; "));
  return text +
         "Intervals are meant to hold nine of ten measured results. `loadfactor validate` shows "
         "every row.";
}

}  // namespace loadfactor::report
