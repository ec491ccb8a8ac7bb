#include "report/site_report.h"

#include <cmath>

#include <fmt/format.h>

#include "base/table.h"
#include "report/json_answer.h"

namespace loadfactor::report {
namespace {

using calibrate::KernelRefit;
using calibrate::SiteErrors;
using calibrate::SiteTerm;

constexpr auto kMicrosecond = Seconds::from_base(1e-6);

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

std::string kernel_name(const cost::KernelKey& key) {
  return fmt::format("{} {} {}", cost::kKernelClasses[static_cast<std::size_t>(key.kernel)],
                     catalog::name(key.dtype),
                     cost::kKernelVariants[static_cast<std::size_t>(key.variant)]);
}

Table kernel_table(const calibrate::SiteKernels& kernels) {
  Table table({{"kernel"},
               {"shapes", Align::kRight},
               {"before %", Align::kRight},
               {"after %", Align::kRight},
               {"left out %", Align::kRight},
               {"sustained", Align::kRight},
               {"memory", Align::kRight},
               {"fixed us", Align::kRight},
               {"", Align::kLeft}});
  table.set_title("Kernels of " + kernels.chip + ": median |error|, and what was fitted");
  for (const KernelRefit& group : kernels.groups) {
    const auto moved = [](double from, double to) {
      return fmt::format("{:.3f}→{:.3f}", from, to);
    };
    table.add_row({kernel_name(group.key), std::to_string(group.points),
                   percent(group.before.median), percent(group.after.median),
                   percent(group.left_out.median),
                   moved(group.shipped.sustained, group.fitted.sustained),
                   moved(group.shipped.memory, group.fitted.memory),
                   fmt::format("{:.2f}→{:.2f}", group.shipped.fixed / kMicrosecond,
                               group.fitted.fixed / kMicrosecond),
                   group.helps() ? "taken" : "kept as shipped"});
  }
  return table;
}

Table term_table(const calibrate::SiteFit& fit) {
  Table table({{"term"},
               {"factor", Align::kRight},
               {"before ± %", Align::kRight},
               {"after ± %", Align::kRight},
               {"", Align::kLeft}});
  table.set_title("Terms of a step, and how far measurements moved them");
  for (const SiteTerm& term : fit.terms)
    table.add_row({term.name, fmt::format("{:.3f}", term.factor), percent(term.width),
                   percent(term.error), term.measured() ? "measured" : "as before"});
  return table;
}

std::string step_words(const calibrate::SiteFit& fit) {
  std::string text =
      fmt::format("{} measured: median error {} % before, {} % after", fit.observations,
                  percent(fit.before.median), percent(fit.after.median));
  if (fit.observations > 1)
    text += fmt::format(", {} % for each from the others", percent(fit.held_out.median));
  return text + ".\n";
}

std::string gap_words(const calibrate::GapAnswer& gap) {
  std::string text =
      fmt::format("A step took {:.4g} s, {:+.1f} % of the {:.4g} s predicted.\n", gap.measured,
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
    text += "These steps cannot tell the first two apart. Measure " + gap.next + ".\n";
  return text;
}

Table serving_table(const std::vector<ServingComparison>& rows) {
  Table table({{"tool"},
               {"metric"},
               {"measured", Align::kRight},
               {"predicted", Align::kRight},
               {"off %", Align::kRight}});
  table.set_title("Serving, compared; nothing is fitted to it");
  for (const auto& row : rows)
    table.add_row({row.tool, row.metric, fmt::format("{:.4g}", row.measured),
                   fmt::format("{:.4g}", row.predicted),
                   fmt::format("{:+.1f}", 100 * (row.predicted / row.measured - 1))});
  return table;
}

Json errors_json(const SiteErrors& errors) {
  return {{"median_pct", 100 * errors.median}, {"p90_pct", 100 * errors.p90}};
}

Json kernels_json(const calibrate::SiteKernels& kernels) {
  Json rows = Json::array();
  for (const KernelRefit& group : kernels.groups) {
    Json row;
    row["kernel"] = kernel_name(group.key);
    row["points"] = group.points;
    row["before"] = errors_json(group.before);
    row["after"] = errors_json(group.after);
    row["left_out"] = errors_json(group.left_out);
    row["taken"] = group.helps();
    rows.push_back(std::move(row));
  }
  return rows;
}

Json fit_json(const calibrate::SiteFit& fit) {
  Json json;
  json["steps"] = fit.observations;
  json["before"] = errors_json(fit.before);
  json["after"] = errors_json(fit.after);
  json["held_out"] = errors_json(fit.held_out);
  json["terms"] = Json::array();
  for (const SiteTerm& term : fit.terms)
    json["terms"].push_back({{"name", term.name},
                             {"factor", term.factor},
                             {"low", term.factor * std::exp(-1.645 * term.error)},
                             {"high", term.factor * std::exp(1.645 * term.error)},
                             {"measured", term.measured()}});
  return json;
}

Json gap_json(const calibrate::GapAnswer& gap) {
  Json json;
  json["predicted_s"] = gap.predicted;
  json["measured_s"] = gap.measured;
  json["unexplained_s"] = gap.unexplained;
  json["settled"] = gap.settled;
  json["shares"] = Json::array();
  for (const auto& share : gap.shares)
    json["shares"].push_back({{"term", share.term},
                              {"share", share.share},
                              {"seconds", share.seconds},
                              {"factor", share.factor},
                              {"likelihood", share.likelihood}});
  return json;
}

}  // namespace

std::string site_text(const SiteAnswer& answer, int width, bool colour) {
  std::string text;
  const TextOptions options{.width = width, .colour = colour};
  if (answer.gap) text += gap_words(*answer.gap) + "\n";
  if (answer.fit)
    text += step_words(*answer.fit) + render_text(term_table(*answer.fit), options) + "\n";
  if (answer.kernels) text += render_text(kernel_table(*answer.kernels), options) + "\n";
  if (!answer.serving.empty()) text += render_text(serving_table(answer.serving), options) + "\n";
  if (!answer.folder.empty())
    text += fmt::format("Predictions with `--catalog {}` use this.\n", answer.folder);
  for (const Notice& notice : answer.notices) text += "note: " + notice.text + "\n";
  return text;
}

std::string site_json(const SiteAnswer& answer) {
  Json question;
  question["files"] = answer.files;
  Json json;
  if (answer.kernels) json["kernels"] = kernels_json(*answer.kernels);
  if (answer.fit) json["step"] = fit_json(*answer.fit);
  if (answer.gap) json["gap"] = gap_json(*answer.gap);
  for (const auto& row : answer.serving)
    json["serving"].push_back({{"tool", row.tool},
                               {"metric", row.metric},
                               {"measured", row.measured},
                               {"predicted", row.predicted}});
  if (!answer.folder.empty()) json["overlay"] = answer.folder;
  return envelope("calibrate", std::move(question), std::move(json), answer.notices, {});
}

}  // namespace loadfactor::report
