#include "report/train/whole_run_words.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

constexpr double kGpuHour = 3600;

std::string hours(GpuTime time) {
  return format_count(static_cast<long long>(time.base() / kGpuHour + 0.5));
}

std::string habit_words(const WholeRun& run) {
  if (run.usual_interval <= Seconds()) return {};
  return fmt::format("; a checkpoint every {}, as people write them",
                     format_display(any(run.usual_interval)));
}

std::string unexplained_words(const WholeRun& run) {
  if (run.unexplained == 1) return {};
  return fmt::format(
      "; unexplained is a factor of {:.2f} of published runs, of those below {} a "
      "part of it",
      run.unexplained, format_display(any(run.known_from)));
}

}  // namespace

std::string whole_run_words(const WholeRun& run) {
  constexpr double kWorthSaying = 0.0005;
  std::vector<std::string> losses;
  for (const auto& loss : run.losses)
    if (loss.share >= kWorthSaying)
      losses.push_back(fmt::format("{} {:.1f} %", name_of(loss.cause), 100 * loss.share));
  return fmt::format(
      "As paid for, {} GPU-hours for a trillion tokens [{}, {}], where the steady step says {}: "
      "steady steps take {} of the paid time [{}, {}]{}{}{}{}",
      hours(run.paid.value()), hours(run.paid.low()), hours(run.paid.high()),
      hours(run.steady.value()), percent_text(run.share.value()), percent_text(run.share.low()),
      percent_text(run.share.high()), losses.empty() ? "" : ", ", fmt::join(losses, ", "),
      habit_words(run), unexplained_words(run));
}

}  // namespace loadfactor::report
