#include "report/calibrate/site_report.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/table.h"
#include "base/wrap.h"
#include "report/calibrate/calibration_words.h"
#include "report/calibrate/figure_words.h"
#include "report/describe/notice_register.h"

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

const char* plural(int count) {
  return count == 1 ? "" : "s";
}

std::string kind_name(const std::string& kind) {
  if (kind == "throughput") return "Throughput";
  if (kind == "ttft") return "First token";
  if (kind == "tpot") return "Next token";
  std::string name = measured_words(kind);
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
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

// `3 measured, median error 9.1 % before, 0.4 % after`.
// `is_located`: whether the answer says already where the time went.
std::string fit_words(const std::vector<calibrate::KindErrors>& kinds,
                      const calibrate::SiteFit& fit, bool is_located) {
  const std::string followed = fit.refuted()
                                   ? "The terms cannot follow that far."
                                   : "The terms follow it, with errors that are as much wider.";
  std::string text;
  for (const auto& row : kinds) {
    std::string line = fmt::format("{}: {} measured", kind_name(row.kind), row.figures);
    if (row.runs < row.figures) line += fmt::format(" in {} run{}", row.runs, plural(row.runs));
    line += fmt::format(", median error {} % before, {} % after", percent(row.before.median),
                        percent(row.after.median));
    if (row.held_out)
      line += fmt::format(", {} % each{} from the others", percent(row.held_out->median),
                          row.runs < row.figures ? " run" : "");
    text += paragraph(line + ".");
  }
  if (const int slower = fit.strange - fit.faster; slower > 0)
    text += paragraph(fmt::format(
        "{} of them lie{} further off than machines of this kind differ among themselves. Either "
        "the scenario is not what ran (batch, sequence, GPUs, software), or something slows this "
        "cluster: clocks, a slow node, its network. {}{}",
        slower, slower == 1 ? "s" : "", followed,
        is_located ? "" : " `--where-did-it-go` says which term the time is in."));
  if (fit.faster > 0)
    text += paragraph(fmt::format(
        "{} of them {} faster than predicted, {:.2f} times at the most, which is further off than "
        "machines of this kind differ among themselves: no fault makes a cluster faster. Either "
        "the "
        "scenario is not what ran (a smaller model, batch or sequence, a lower precision, more "
        "GPUs), or the time leaves out a part of the step. {}",
        fit.faster, fit.faster == 1 ? "is" : "are", fit.fastest, followed));
  return text;
}

// Milliseconds, or tokens per second.
std::string shown(serving::Metric metric, double value) {
  return four_figures(metric == serving::Metric::kThroughput ? value : 1e3 * value);
}

Table serving_table(const std::vector<ServingComparison>& rows) {
  Table table({{"run"},
               {"figure"},
               {"measured", Align::kRight},
               {"before", Align::kRight},
               {"off %", Align::kRight},
               {"after", Align::kRight},
               {"off %", Align::kRight}});
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

namespace {

// What the answer says in words before its tables, and the tables in order.
struct Page {
  std::vector<std::string> words;
  std::vector<Table> tables;
};

Page page_of(const SiteAnswer& answer) {
  Page page;
  if (answer.gap) page.words.push_back(gap_words(*answer.gap));
  if (answer.serving_gap) page.words.push_back(gap_words(*answer.serving_gap));
  if (answer.fit) {
    page.words.push_back(fit_words(answer.fit_errors, *answer.fit, answer.gap.has_value()));
    page.tables.push_back(term_table(*answer.fit, "a training step"));
  }
  if (answer.serving_fit) {
    page.words.push_back(
        fit_words(answer.serving_errors, *answer.serving_fit, answer.serving_gap.has_value()));
    page.tables.push_back(term_table(*answer.serving_fit, "serving"));
  }
  if (!answer.serving.empty()) page.tables.push_back(serving_table(answer.serving));
  for (const auto& step : answer.profiles) {
    page.words.push_back(profile_words(step));
    page.tables.push_back(profile_table(step));
  }
  for (const auto& network : answer.networks) page.words.push_back(network_words(network));
  for (const auto& kernels : answer.kernels) {
    if (!kernels.groups.empty()) page.tables.push_back(kernel_table(kernels));
    if (!kernels.clocks.empty()) page.tables.push_back(clock_table(kernels));
  }
  return page;
}

std::string closing_words(const SiteAnswer& answer) {
  std::string text;
  if (!answer.folder.empty())
    text += fmt::format("Predictions with `--catalog {}` use this.\n", answer.folder);
  for (const Notice& notice : answer.notices)
    text += paragraph((severity_of(notice) == Severity::kCaution ? "caution: " : "note: ") +
                      text_of(notice));
  return text;
}

}  // namespace

std::string site_text(const SiteAnswer& answer, int width, bool colour) {
  const Page page = page_of(answer);
  std::string text;
  for (const std::string& words : page.words) text += words + "\n";
  for (const Table& table : page.tables)
    text += render_text(table, {.width = width, .colour = colour}) + "\n";
  return text + closing_words(answer);
}

std::string site_markdown(const SiteAnswer& answer) {
  const Page page = page_of(answer);
  std::string text;
  for (const std::string& words : page.words) text += words + "\n";
  for (const Table& table : page.tables) text += render_markdown(table) + "\n";
  return text + closing_words(answer);
}

}  // namespace loadfactor::report
