#include "report/serve/serve_search_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/serve/fill_words.h"
#include "report/serve/serve_words.h"

namespace loadfactor::report {
namespace {

using engine::DeploymentRow;
using engine::PromisedTime;
using engine::SizeAnswer;

std::string wrapped(const std::string& text, int width, const std::string& first = "",
                    const std::string& rest = "") {
  std::string out;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size())))
    out += (out.empty() ? first : rest) + line + "\n";
  return out;
}

std::string layout_words(const serving::ServingLayout& layout) {
  std::string text = fmt::format("tp {}", layout.tp);
  if (layout.pp > 1) text += fmt::format(" pp {}", layout.pp);
  if (layout.ep > 1) text += fmt::format(" ep {}", layout.ep);
  if (layout.dp > 1) text += fmt::format(" dp {}", layout.dp);
  return text;
}

// "tp 4 ×3", or "tp 1 ×2 + tp 4 ×3" with prompts first where they are apart.
std::string fleet_words(const DeploymentRow& row) {
  const std::string answers = fmt::format("{} ×{}", layout_words(row.layout), row.replicas);
  if (row.prompt_replicas == 0) return answers;
  return fmt::format("{} ×{} + {}", layout_words(row.prompt_layout), row.prompt_replicas, answers);
}

// A dash where there is no price; its number is then not a number.
Cell money(const std::optional<Dollars>& price, const char* form) {
  if (!price) return Cell("–");
  return Cell(fmt::format(fmt::runtime(form), price->base()));
}

// Mean GPUs if replicas came and went; a dash where that was simulated and missed the SLO.
Cell scaled_gpus(const DeploymentRow& r) {
  if (r.scaled && !r.scaled->kept) return Cell("–");
  return Cell(fmt::format("{:.1f}", r.autoscaled_gpus));
}

Table rows_table(const std::vector<DeploymentRow>& rows, bool has_prices) {
  Table table({{.name = "deployment", .wraps = true},
               {.name = "precision", .essential = false},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "USD/h", .align = Align::kRight},
               {.name = has_prices ? "USD/M tok" : "GPU-h/M tok", .align = Align::kRight},
               {.name = "load", .align = Align::kRight},
               {.name = "mean TPOT ms", .align = Align::kRight},
               {.name = "tok/s/GPU", .align = Align::kRight},
               {.name = "k tok/USD", .align = Align::kRight, .essential = false},
               {.name = "seqs", .align = Align::kRight, .essential = false},
               {.name = "chunk", .align = Align::kRight, .essential = false},
               {.name = "GPUs scaled", .align = Align::kRight, .essential = false},
               {.name = ""}});
  for (const auto& r : rows) {
    const std::string mark = r.is_confirmed ? "✔" : r.is_calibrated ? "" : "~";
    table.add_row(
        {fmt::format("{} {}", r.accelerator, fleet_words(r)), r.precision, format_count(r.gpus),
         money(r.per_hour, "{:.2f}"),
         has_prices ? money(r.per_mtoken, "{:.3g}") : Cell(three_figures(r.gpu_hours_per_mtoken)),
         fmt::format("{:.1f} %", 100 * r.load_factor),
         fmt::format("{:.1f}", 1e3 * r.mean_tpot.base()), fmt::format("{:.0f}", r.tokens_per_gpu),
         r.goodput_per_dollar ? Cell(fmt::format("{:.0f}", 1e-3 * *r.goodput_per_dollar))
                              : Cell("–"),
         format_count(r.max_seqs), format_count(r.chunk), scaled_gpus(r), mark});
  }
  return table;
}

Table relaxed_table(const SizeAnswer& answer) {
  Table table({{.name = "what giving way saves", .wraps = true},
               {.name = "USD/h", .align = Align::kRight},
               {.name = "saved", .align = Align::kRight}});
  for (const auto& r : answer.relaxed)
    table.add_row({relaxation_words(r.what), money(r.per_hour, "{:.2f}"),
                   fmt::format("{:.1f} %", 100 * r.saving)});
  return table;
}

// Points on a grid: x to the right, y upwards, both from the least to the most.
std::string chart(const std::vector<DeploymentRow>& rows, double (*x)(const DeploymentRow&),
                  double (*y)(const DeploymentRow&), const char* title) {
  constexpr int kWidth = 56;
  constexpr int kHeight = 8;
  double least_x = 1e300, most_x = -1e300, least_y = 1e300, most_y = -1e300;
  for (const auto& r : rows) {
    least_x = std::min(least_x, x(r));
    most_x = std::max(most_x, x(r));
    least_y = std::min(least_y, y(r));
    most_y = std::max(most_y, y(r));
  }
  if (rows.size() < 2 || most_x <= least_x || most_y <= least_y) return {};
  std::vector<std::string> grid(kHeight, std::string(kWidth, ' '));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto column =
        static_cast<std::size_t>((x(rows[i]) - least_x) / (most_x - least_x) * (kWidth - 1));
    const auto line =
        static_cast<std::size_t>((most_y - y(rows[i])) / (most_y - least_y) * (kHeight - 1));
    grid[line][column] = i < 9 ? static_cast<char>('1' + static_cast<int>(i)) : '*';
  }
  std::string text = fmt::format("{}\n", title);
  for (int line = 0; line < kHeight; ++line) {
    const std::string label = line == 0             ? fmt::format("{:>9}", three_figures(most_y))
                              : line == kHeight - 1 ? fmt::format("{:>9}", three_figures(least_y))
                                                    : std::string(9, ' ');
    text += fmt::format("{} |{}\n", label, grid[static_cast<std::size_t>(line)]);
  }
  return text + fmt::format("{} +{}\n{} {:<28}{:>28}\n", std::string(9, ' '),
                            std::string(kWidth, '-'), std::string(10, ' '), three_figures(least_x),
                            three_figures(most_x));
}

std::string charts(const SizeAnswer& answer) {
  const auto tpot = [](const DeploymentRow& r) { return 1e3 * r.mean_tpot.base(); };
  const auto cost = [](const DeploymentRow& r) {
    return r.per_mtoken ? r.per_mtoken->base() : r.gpu_hours_per_mtoken;
  };
  const auto speed = [](const DeploymentRow& r) {
    return r.mean_tpot > Seconds() ? 1 / r.mean_tpot.base() : 0.0;
  };
  const auto work = [](const DeploymentRow& r) { return r.tokens_per_gpu; };
  return chart(answer.pareto, tpot, cost,
               answer.has_prices ? "USD per M tokens against TPOT (ms)"
                                 : "GPU-hours per M tokens against TPOT (ms)") +
         chart(answer.pareto, speed, work, "tokens/s per GPU against tokens/s of a user");
}

std::string heading(const SizeAnswer& answer) {
  std::string slo = "no SLO";
  if (answer.ask.ttft > Seconds())
    slo = fmt::format("{} p{:.4g} ≤ {} s", answer.output > 0 ? "ttft" : "whole text",
                      100 * answer.ask.ttft_quantile, three_figures(answer.ask.ttft.base()));
  if (answer.ask.tpot > Seconds())
    slo = fmt::format("{}tpot p{:.4g} ≤ {} ms", answer.ask.ttft > Seconds() ? slo + ", " : "",
                      100 * answer.ask.tpot_quantile, three_figures(1e3 * answer.ask.tpot.base()));
  return fmt::format("{} · {} · {} · {} · peak {} requests/s · {}", answer.scenario,
                     answer.model_title, lengths_words(answer.input, answer.output),
                     answer.demand_words, three_figures(answer.peak.base()), slo);
}

// What of the cost the demand does not ask for.
std::string spares_remark(const DeploymentRow& r) {
  const int each = r.layout.gpus() + (r.prompt_replicas > 0 ? r.prompt_layout.gpus() : 0);
  const int spare = r.spares * each;
  const std::string cost =
      r.per_hour ? fmt::format(" ({:.2f} USD/h)", r.per_hour->base() * spare / r.gpus) : "";
  return fmt::format(
      "{} of the {}{} {} by for failures: the demand alone needs {}, and --spares 0 leaves {} out.",
      spare, counted(r.gpus, "GPU"), cost, spare == 1 ? "stands" : "stand", r.gpus - spare,
      spare == 1 ? "it" : "them");
}

// What the promise of the time takes beside the answer without it.
std::string promise_remark(const DeploymentRow& r, const PromisedTime& promised) {
  std::string text =
      fmt::format("For {} {} {} by (N+{}): enough replicas are there for {} of the time",
                  promised_words(promised.asked, promised.zones, promised.deployed),
                  counted(r.spares, "replica"), r.spares == 1 ? "stands" : "stand", r.spares,
                  uptime_text(r.enough));
  text += promised.deployed > 0 ? ", also while a deploy goes on." : ".";
  if (!promised.plain) return text;
  const DeploymentRow& plain = *promised.plain;
  text += fmt::format(" Without the promise: {} × {}", plain.gpus, plain.accelerator);
  if (plain.per_hour && r.per_hour)
    text += fmt::format(" at {:.2f} USD/h, {:.2f} less,", plain.per_hour->base(),
                        r.per_hour->base() - plain.per_hour->base());
  return text + fmt::format(" with enough for {}.", uptime_text(plain.enough));
}

// The quickest of those below the answer that cost no more than it.
const DeploymentRow* as_dear_and_quicker(const SizeAnswer& answer) {
  const DeploymentRow* quickest = nullptr;
  for (const DeploymentRow& r : answer.rows) {
    const DeploymentRow& least = quickest ? *quickest : answer.rows.front();
    if (r.per_hour && r.per_hour == answer.rows.front().per_hour && r.mean_tpot < least.mean_tpot)
      quickest = &r;
  }
  return quickest;
}

}  // namespace

std::string size_verdict(const SizeAnswer& answer) {
  const DeploymentRow& r = answer.rows.front();
  std::string replicas =
      fmt::format("{} of {}", counted(r.replicas, "replica"), layout_words(r.layout));
  if (r.prompt_replicas > 0)
    replicas = fmt::format("{} of {} for prompts, {} of {} for answers", r.prompt_replicas,
                           layout_words(r.prompt_layout), r.replicas, layout_words(r.layout));
  if (r.spares > 0) replicas += fmt::format(", {} of them spare", r.spares);
  std::string text = fmt::format("{} × {} ({}, {})", r.gpus, r.accelerator, replicas, r.precision);
  if (answer.has_prices)
    text += fmt::format(" at {:.2f} USD/h ({}), {:.3g} USD per M tokens", r.per_hour->base(), r.way,
                        r.per_mtoken->base());
  if (!r.is_confirmed) return text + "; not confirmed by simulation.";
  text +=
      r.simulated.weeks > 1
          ? fmt::format(
                "; it should keep the SLO in 18 of 20 weeks: of {} simulated about as hard as the "
                "hardest in eight {} {} it, the first with",
                r.simulated.weeks, r.simulated.kept, r.simulated.kept == 1 ? "keeps" : "keep")
          : fmt::format("; the {} keeps the SLO with",
                        answer.is_replayed ? "trace, replayed," : "simulated week");
  text += fmt::format(" {} {} s", answer.output > 0 ? "ttft" : "a whole text in",
                      three_figures(r.ttft.base()));
  if (answer.output > 0) text += fmt::format(" and tpot {} ms", three_figures(1e3 * r.tpot.base()));
  return text + ".";
}

std::vector<std::string> search_remarks(const SizeAnswer& answer) {
  const DeploymentRow& r = answer.rows.front();
  std::vector<std::string> remarks;
  if (answer.next_cheaper) {
    const DeploymentRow& next = answer.next_cheaper->row;
    const auto& weeks = answer.next_cheaper->simulated;
    remarks.push_back(fmt::format(
        "The next cheaper fleet, {} {} ({}), misses the SLO {}.", next.accelerator,
        fleet_words(next), counted(next.gpus, "GPU"),
        answer.is_replayed
            ? std::string("on this trace")
            : fmt::format("in {} of {} {}", weeks.weeks - weeks.kept, weeks.weeks,
                          answer.next_cheaper->is_fluid ? "weeks, computed and not simulated"
                                                        : "such weeks")));
  } else if (answer.is_smallest) {
    remarks.push_back("Nothing cheaper exists among the deployments that keep the SLO at all.");
  }
  if (const DeploymentRow* quicker = as_dear_and_quicker(answer))
    remarks.push_back(
        fmt::format("{} {} costs as much and is quicker per token in the closed form ({:.1f} ms on "
                    "average); its weeks were not simulated.",
                    quicker->accelerator, fleet_words(*quicker), 1e3 * quicker->mean_tpot.base()));
  if (answer.promised)
    remarks.push_back(promise_remark(r, *answer.promised));
  else if (r.spares > 0)
    remarks.push_back(spares_remark(r));
  if (r.goodput_per_dollar)
    remarks.push_back(fmt::format("Goodput: {} tokens {} within the SLO per dollar.",
                                  format_short_count(*r.goodput_per_dollar),
                                  answer.output > 0 ? "out" : "read"));
  remarks.push_back(
      fmt::format("This fleet carries up to {} requests/s on average ({:.2f} × "
                  "the demand) within the SLO.",
                  three_figures(r.most_mean.base()), r.most_mean / answer.mean));
  if (answer.most)
    remarks.push_back(fmt::format(
        "{} may carry up to {} requests/s on average, as {} {} ({}): {:.2f} × the demand.",
        counted(answer.most->gpus, "GPU"), three_figures(answer.most->most_mean.base()),
        answer.most->accelerator, fleet_words(*answer.most), answer.most->precision,
        answer.most->most_mean / answer.mean));
  if (r.scaled && r.scaled->kept)
    remarks.push_back(fmt::format(
        "Autoscaled to {} requests outstanding per replica, {:.1f} GPUs are paid on average and "
        "the "
        "simulated week keeps the SLO ({:.1f} % of requests); without start-up times it would be "
        "{:.1f}.",
        r.scaled->target_load, r.scaled->gpus, 100 * r.scaled->within_slo, r.autoscaled_gpus));
  else if (r.scaled)
    remarks.push_back(fmt::format(
        "Autoscaling does not keep the SLO here: with {} requests outstanding per replica as the "
        "target {:.1f} % of the requests are within it.",
        r.scaled->target_load, 100 * r.scaled->within_slo));
  return remarks;
}

std::string search_text(const SizeAnswer& answer, int width, bool colour) {
  const TextOptions as{.width = width, .colour = colour};
  std::string text = wrapped(size_verdict(answer), width) + wrapped(heading(answer), width) + "\n";
  text += render_text(rows_table(answer.rows, answer.has_prices), as);
  text += wrapped(
      fmt::format(
          "{} deployments tried, {} fit, {} can keep the SLO at some rate; {} requests simulated.",
          format_count(answer.enumerated), format_count(answer.fitting),
          format_count(answer.meeting), format_count(answer.simulated_requests)),
      width);
  for (const auto& remark : search_remarks(answer)) text += wrapped(remark, width);
  text += "\nNothing is both cheaper and quicker (mean TPOT, closed form) than these:\n" +
          render_text(rows_table(answer.pareto, answer.has_prices), as);
  text += "\n" + charts(answer);
  if (!answer.relaxed.empty()) text += "\n" + render_text(relaxed_table(answer), as);
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += wrapped(text_of(notice), width, severity_of(notice) == Severity::kCaution ? "! " : "· ",
                    "  ");
  return text;
}

std::string search_markdown(const SizeAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", size_verdict(answer), heading(answer));
  text += render_markdown(rows_table(answer.rows, answer.has_prices)) + "\n";
  for (const auto& remark : search_remarks(answer)) text += remark + "\n";
  text += "\n";
  if (!answer.relaxed.empty()) text += render_markdown(relaxed_table(answer)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
