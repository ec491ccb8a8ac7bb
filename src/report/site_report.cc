#include "report/site_report.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/table.h"
#include "base/wrap.h"

namespace loadfactor::report {
namespace {

using calibrate::KernelRefit;
using calibrate::SiteTerm;

constexpr auto kMicrosecond = Seconds::from_base(1e-6);

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

// Sentences, broken into lines that every terminal shows.
std::string paragraph(const std::string& sentences) {
  constexpr int kColumns = 80;
  return fmt::format("{}\n", fmt::join(wrap(sentences, kColumns), "\n"));
}

Table kernel_table(const calibrate::SiteKernels& kernels) {
  Table table({{.name = "kernel", .wraps = true},
               {"shapes", Align::kRight},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"left out", Align::kRight},
               {"rate", Align::kRight},
               {"memory", Align::kRight},
               {"us", Align::kRight},
               {"", Align::kLeft}});
  table.set_title(fmt::format("Kernels of {}: median |error| in %, shares of the peaks, fixed time",
                              kernels.chip));
  for (const KernelRefit& group : kernels.groups) {
    table.add_row({kernel_name(group.key), std::to_string(group.points),
                   percent(group.before.median), percent(group.after.median),
                   percent(group.left_out.median), fmt::format("{:.3f}", group.fitted.sustained),
                   fmt::format("{:.3f}", group.fitted.memory),
                   fmt::format("{:.1f}", group.fitted.fixed / kMicrosecond),
                   group.helps() ? "taken" : "kept"});
  }
  return table;
}

Table clock_table(const calibrate::SiteKernels& kernels) {
  Table table({{"held load"},
               {"rate", Align::kRight},
               {"power, W", Align::kRight},
               {"clock, %", Align::kRight},
               {"in bursts, %", Align::kRight}});
  table.set_title("Loads that last: what the power limit leaves of the full clock");
  for (const calibrate::HeldClock& clock : kernels.clocks) {
    const bool stream = clock.kernel == cost::KernelClass::kMemory;
    table.add_row(
        {fmt::format("{} {}", cost::kKernelClasses[static_cast<std::size_t>(clock.kernel)],
                     stream ? "stream" : std::string(catalog::name(clock.dtype))),
         fmt::format("{:.4g} {}", clock.rate, stream ? "TB/s" : "TFLOP/s"),
         fmt::format("{:.0f}", clock.drawn.base()), percent(clock.settled), percent(clock.burst)});
  }
  return table;
}

Table term_table(const calibrate::SiteFit& fit, const std::string& what) {
  Table table({{"term"},
               {"factor", Align::kRight},
               {"before ± %", Align::kRight},
               {"after ± %", Align::kRight},
               {"", Align::kLeft}});
  table.set_title("Terms of " + what + ", and how far measurements moved them");
  for (const SiteTerm& term : fit.terms)
    table.add_row({term.name, fmt::format("{:.3f}", term.factor), percent(term.width),
                   percent(term.error), term.measured() ? "measured" : "as before"});
  return table;
}

std::string fit_words(const std::string& what, const calibrate::SiteFit& fit) {
  std::string text =
      fmt::format("{}: {} measured, median error {} % before, {} % after", what, fit.observations,
                  percent(fit.before.median), percent(fit.after.median));
  if (fit.observations > 1)
    text += fmt::format(", {} % each from the others", percent(fit.held_out.median));
  text += ".";
  if (fit.strange > 0)
    text += fmt::format(
        " {} of them lie further off than the terms together explain: is the scenario what ran?",
        fit.strange);
  return paragraph(text);
}

std::string gap_words(const calibrate::GapAnswer& gap, const std::string& what) {
  std::string text =
      fmt::format("{} took {:.4g} s, {:+.1f} % of the {:.4g} s predicted.\n", what, gap.measured,
                  100 * (gap.measured / gap.predicted - 1), gap.predicted);
  for (const auto& share : gap.shares) {
    if (std::abs(share.share) < 0.01) continue;
    text += fmt::format("  {:<14}{:>6.0f} % of the gap ({:+.3g} s): {:.2f} times as long\n",
                        share.term, 100 * share.share, share.seconds, share.factor);
  }
  if (gap.gap() != 0 && std::abs(gap.unexplained / gap.gap()) >= 0.01)
    text += fmt::format("  {:<14}{:>6.0f} % of the gap ({:+.3g} s)\n", "no term",
                        100 * gap.unexplained / gap.gap(), gap.unexplained);
  if (!gap.settled)
    text += paragraph("These cannot tell the first two apart. Measure " + gap.next + ".");
  return text;
}

// Milliseconds, or tokens per second.
std::string shown(serving::Metric metric, double value) {
  return fmt::format("{:.4g}", metric == serving::Metric::kThroughput ? value : 1e3 * value);
}

Table serving_table(const std::vector<ServingComparison>& rows) {
  Table table({{"run"},
               {"figure"},
               {"measured", Align::kRight},
               {"before", Align::kRight},
               {"off %", Align::kRight},
               {"after", Align::kRight},
               {"off %", Align::kRight, true, false, 0, "off_after"}});
  table.set_title("Runs of load generators beside the prediction");
  for (const auto& row : rows) {
    const auto off = [&](double value) {
      return fmt::format("{:+.1f}", 100 * (value / row.measured - 1));
    };
    const bool rate = row.metric == serving::Metric::kThroughput;
    table.add_row({fmt::format("{}, {}", row.run, row.tool),
                   fmt::format("{}, {}", serving::name(row.metric), rate ? "token/s" : "ms"),
                   shown(row.metric, row.measured), shown(row.metric, row.before), off(row.before),
                   shown(row.metric, row.after), off(row.after)});
  }
  return table;
}

}  // namespace

std::string kernel_name(const cost::KernelKey& key) {
  return fmt::format("{} {} {}", cost::kKernelClasses[static_cast<std::size_t>(key.kernel)],
                     catalog::name(key.dtype),
                     cost::kKernelVariants[static_cast<std::size_t>(key.variant)]);
}

std::string site_text(const SiteAnswer& answer, int width, bool colour) {
  std::string text;
  const TextOptions options{.width = width, .colour = colour};
  const auto add = [&](const Table& table) { text += render_text(table, options) + "\n"; };
  if (answer.gap) text += gap_words(*answer.gap, "A step") + "\n";
  if (answer.serving_gap) text += gap_words(*answer.serving_gap, "A mean figure") + "\n";
  if (answer.fit) {
    text += fit_words("Steps and collectives", *answer.fit);
    add(term_table(*answer.fit, "a training step"));
  }
  if (answer.serving_fit) {
    text += fit_words("Serving", *answer.serving_fit);
    add(term_table(*answer.serving_fit, "serving"));
  }
  if (!answer.serving.empty()) add(serving_table(answer.serving));
  if (answer.kernels) add(kernel_table(*answer.kernels));
  if (answer.kernels && !answer.kernels->clocks.empty()) add(clock_table(*answer.kernels));
  if (!answer.folder.empty())
    text += fmt::format("Predictions with `--catalog {}` use this.\n", answer.folder);
  for (const Notice& notice : answer.notices) text += paragraph("note: " + notice.text);
  return text;
}

}  // namespace loadfactor::report
