#include "report/serve/fill_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/bar.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/serve/fill_words.h"
#include "report/serve/serve_words.h"
#include "report/week_picture.h"

namespace loadfactor::report {
namespace {

using engine::FillAnswer;

Cell share_cell(double share) {
  return percent_text(share);
}

Cell money_cell(Dollars money) {
  return money > Dollars() ? Cell(amount_text(money)) : Cell("–");
}

std::string wrapped(const std::string& text, int width, const std::string& first = "",
                    const std::string& rest = "") {
  std::string out;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size())))
    out += (out.empty() ? first : rest) + line + "\n";
  return out;
}

Table losses_table(const FillAnswer& answer) {
  const auto& l = answer.load.losses;
  Table table({{.name = "where the empty seats are"},
               {.name = "points", .align = Align::kRight},
               {.name = "what it is", .wraps = true}});
  const auto add = [&table](const char* name, double share, const char* what) {
    table.add_row({name, fmt::format("{:.1f}", 100 * share), what});
  };
  add("shape", l.shape, "hours below the busiest: nights, weekends");
  add("headroom", l.headroom, "the peak within the busiest hour");
  add("slo", l.slo, "batches kept small so that answers keep their time");
  add("rounding", l.rounding, "whole replicas");
  add("demand", l.demand, "replicas that even the peak does not need");
  table.add_rule();
  table.add_row({"empty", fmt::format("{:.1f}", 100 * l.sum()), ""});
  return table;
}

Table curve_table(const FillAnswer& answer) {
  Table table({{.name = "GPUs", .align = Align::kRight},
               {.name = "replicas", .align = Align::kRight},
               {.name = "load factor", .align = Align::kRight},
               {.name = "USD/M tokens", .align = Align::kRight},
               {.name = "within SLO", .align = Align::kRight},
               {.name = ""}});
  for (const auto& p : answer.curve) {
    std::string mark;
    if (p.units == answer.units) mark = "this fleet";
    if (p.is_knee) mark += mark.empty() ? "knee" : ", knee";
    if (mark.empty() && p.units == answer.units - 1) mark = "one fewer";
    if (mark.empty() && p.units == answer.units + 1) mark = "one more";
    table.add_row({format_count(p.gpus), format_count(p.replicas), share_cell(p.load_factor),
                   money_cell(p.per_mtoken), share_cell(p.within_slo), mark});
  }
  return table;
}

Table pooling_table(const FillAnswer& answer) {
  Table table({{.name = "like services", .align = Align::kRight},
               {.name = "GPUs apart", .align = Align::kRight},
               {.name = "pooled", .align = Align::kRight},
               {.name = "load apart", .align = Align::kRight},
               {.name = "pooled", .align = Align::kRight},
               {.name = "USD/M apart", .align = Align::kRight},
               {.name = "pooled", .align = Align::kRight}});
  for (const auto& r : answer.pooling)
    table.add_row({format_count(r.services), format_count(r.gpus_apart),
                   format_count(r.gpus_pooled), share_cell(r.load_apart), share_cell(r.load_pooled),
                   money_cell(r.per_mtoken_apart), money_cell(r.per_mtoken_pooled)});
  return table;
}

Table crowd_table(const FillAnswer& answer) {
  Table table({{.name = "the crowd", .wraps = true},
               {.name = "load factor", .align = Align::kRight},
               {.name = "requests/s", .align = Align::kRight},
               {.name = "users", .align = Align::kRight},
               {.name = "", .wraps = true}});
  for (const auto& row : answer.crowd)
    table.add_row({crowd_words(row.what), share_cell(row.load_factor),
                   three_figures(row.requests.base()), format_count(std::llround(row.users)),
                   row.is_reachable ? "" : "not with this shape and SLO"});
  return table;
}

Table threshold_table(const FillAnswer& answer) {
  Table table({{.name = "one replica pays from", .wraps = true},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "requests/s", .align = Align::kRight},
               {.name = "users", .align = Align::kRight},
               {.name = "break-even", .align = Align::kRight},
               {.name = "fullest", .align = Align::kRight},
               {.name = "", .wraps = true}});
  for (const auto& row : answer.thresholds)
    table.add_row({change_words(row), format_count(row.gpus), three_figures(row.requests.base()),
                   format_count(std::llround(row.users)), share_cell(row.break_even),
                   share_cell(row.fullest), row.pays() ? "pays" : "never pays"});
  return table;
}

// All that are paid for.
std::string fleet_words(const FillAnswer& answer) {
  if (answer.gpus_left == 0) return fmt::format("{} × {}", answer.gpus, answer.accelerator_title);
  return fmt::format("{} × {} ({} left over)", answer.gpus + answer.gpus_left,
                     answer.accelerator_title, answer.gpus_left);
}

std::string heading(const FillAnswer& answer) {
  const auto& l = answer.layout;
  return fmt::format(
      "{} · {} · {} tp {}{} · {} · {} · {} · {}", answer.scenario, fleet_words(answer),
      answer.prompt_replicas > 0
          ? fmt::format("{} of {} for prompts and {} for answers of", counted(answer.units, "unit"),
                        counted(answer.prompt_replicas, "replica"), answer.answer_replicas)
          : counted(answer.replicas, "replica") + " of",
      l.tp, l.pp > 1 ? fmt::format(" pp {}", l.pp) : "", answer.precision, answer.engine_title,
      lengths_words(answer.input, answer.output), answer.demand_words);
}

Table ways_table(const FillAnswer& answer) {
  Table table({{.name = "this fleet, paid", .wraps = true},
               {.name = "USD/GPU-h", .align = Align::kRight},
               {.name = "break-even", .align = Align::kRight},
               {.name = "requests/s", .align = Align::kRight},
               {.name = "users", .align = Align::kRight},
               {.name = ""}});
  for (const auto& way : answer.ways) {
    const bool ever = std::isfinite(way.break_even);
    const double hourly = 3600 * way.price.base();
    table.add_row({std::string(way_words(way.way)), fmt::format("{:.2f}", hourly),
                   ever ? share_cell(way.break_even) : Cell("–"),
                   ever ? Cell(three_figures(way.requests.base())) : Cell("–"),
                   ever ? Cell(format_count(std::llround(way.users))) : Cell("–"),
                   way.pays              ? "pays"
                   : way.break_even <= 1 ? "not full enough"
                                         : "never pays"});
  }
  return table;
}

std::string priced_words(OptionKind way) {
  return way == OptionKind::kOnDemand ? std::string(" where it is rented on demand")
                                      : fmt::format(" ({})", way_words(way));
}

// What one replica more or fewer would change.
std::string neighbour_words(const FillAnswer& answer) {
  std::string text;
  const auto add = [&](const char* which, const engine::Neighbour& n) {
    text += fmt::format("{} replica ({}): {} full, {} within the SLO", which,
                        counted(n.point.gpus, "GPU"), percent_text(n.point.load_factor),
                        percent_text(n.point.within_slo));
    if (n.per_month != Dollars())
      text += fmt::format(", {} USD a month {}{}",
                          format_count(std::llround(std::abs(n.per_month.base()))),
                          n.per_month > Dollars() ? "more" : "less", priced_words(answer.priced));
    text += ". ";
  };
  if (answer.one_fewer) add("One fewer", *answer.one_fewer);
  if (answer.one_more) add("One more", *answer.one_more);
  return text;
}

std::string simulated_words(const FillAnswer& answer) {
  if (!answer.simulated) return {};
  const auto& s = *answer.simulated;
  const std::string times =
      answer.output > 0
          ? fmt::format("ttft {} s and tpot {} ms at their percentiles",
                        three_figures(s.ttft.base()), three_figures(1e3 * s.tpot.base()))
          : fmt::format("a whole text {} s at its percentile", three_figures(s.ttft.base()));
  return fmt::format(
      "Simulated over {} requests{}: {} full, {} within the SLO; {}: {}.", format_count(s.requests),
      s.share_of_demand < 0.999 ? fmt::format(" ({:.0f} % of the demand)", 100 * s.share_of_demand)
                                : "",
      percent_text(s.load_factor), percent_text(s.within_slo), times,
      s.kept ? "the SLO is kept" : "the SLO is missed");
}

std::string ends_text(const EstimateOf<double>& share) {
  return fmt::format("[{}, {}]", percent_text(share.low()), percent_text(share.high()));
}

std::string gauges(const FillAnswer& answer, int width) {
  const int bar = std::clamp(width - 44, 10, 40);
  std::string text =
      fmt::format("  Load factor  {:>7}  {} {}\n", percent_text(answer.load_factor.value()),
                  fraction_bar(answer.load_factor.value(), bar), ends_text(answer.load_factor));
  if (answer.break_even)
    text +=
        fmt::format("  Break-even   {:>7}  {} {}\n    {} against {}\n",
                    percent_text(answer.break_even->value()),
                    fraction_bar(std::min(1.0, answer.break_even->value()), bar),
                    ends_text(*answer.break_even), way_words(answer.priced), answer.api_provider);
  text += "  In brackets: nine of ten lie there.\n";
  return text;
}

std::string replica_words(const FillAnswer& answer) {
  const auto& r = answer.replica;
  std::string text = fmt::format(
      "One replica serves {} requests/s when full and {} within the SLO (held by {}); the "
      "demand is {} on average and {} at its ten-minute peak.",
      three_figures(r.capacity.saturated.base()), three_figures(r.capacity.at_slo.base()),
      binding_words(r.binding), three_figures(answer.mean.base()),
      three_figures(answer.peak.base()));
  if (answer.smallest)
    text += fmt::format(
        " The smallest deployment worth having is {} × {} (tp {}): it pays from {} "
        "requests/s, {} full.",
        answer.smallest->layout.gpus, answer.smallest->accelerator, answer.smallest->layout.tp,
        three_figures(answer.smallest->requests.base()), percent_text(answer.smallest->break_even));
  return text;
}

std::string notices_text(const std::vector<Notice>& notices, int width) {
  std::string text = notices.empty() ? "" : "\n";
  for (const auto& notice : notices)
    text += wrapped(text_of(notice), width, severity_of(notice) == Severity::kCaution ? "! " : "· ",
                    "  ");
  return text;
}

// What the fleet and the API are apart, and how often the draws say so.
std::string apart_words(const FillAnswer& answer) {
  if (!answer.api_per_month || answer.rent_per_month <= Dollars()) return {};
  const Dollars apart = answer.rent_per_month - *answer.api_per_month;
  const bool is_api = apart > Dollars();
  std::string text = fmt::format(" {} is {} USD a month cheaper", is_api ? "The API" : "This fleet",
                                 format_count(std::llround(std::abs(apart.base()))));
  if (answer.cheaper)
    text += fmt::format(", in {:.0f} % of {} draws",
                        100 * (is_api ? 1 - *answer.cheaper : *answer.cheaper),
                        format_count(answer.draws));
  return text + ".";
}

}  // namespace

std::string fill_verdict(const FillAnswer& answer) {
  const double load = answer.load_factor.value();
  if (!answer.break_even)
    return fmt::format("{} would be {} full.", fleet_words(answer), percent_text(load));
  const double even = answer.break_even->value();
  const bool is_missed = answer.simulated && !answer.simulated->kept;
  const double paid = answer.paid_load();
  const std::string of_paid =
      paid < load ? fmt::format(" ({} of the {} GPUs that are paid for)", percent_text(paid),
                                format_count(std::llround(answer.gpus_paid)))
                  : std::string();
  std::string text =
      fmt::format("{}: {} would be {} full{} and break even at {}.",
                  paid < even ? "NOT FULL ENOUGH"
                  : is_missed ? "FULL ENOUGH, BUT TOO SLOW"
                              : "FULL ENOUGH",
                  fleet_words(answer), percent_text(load), of_paid, percent_text(even));
  if (is_missed) text += " It misses the SLO when it is simulated.";
  return text + apart_words(answer);
}

std::string fill_text(const FillAnswer& answer, const FillTextOptions& options) {
  const TextOptions as{.width = options.width, .colour = options.colour};
  std::string text =
      wrapped(fill_verdict(answer), options.width) + wrapped(heading(answer), options.width);
  text += "\n" + gauges(answer, options.width) + "\n";
  text += render_text(losses_table(answer), as) + wrapped(replica_words(answer), options.width);
  if (answer.simulated) text += wrapped(simulated_words(answer), options.width);
  text += "\nLoad factor by hour of the week (UTC), a full block is a full fleet:\n" +
          heat_map(answer.week, 1);
  text += "\n" + render_text(curve_table(answer), as);
  text += wrapped(neighbour_words(answer), options.width);
  if (!answer.ways.empty()) text += "\n" + render_text(ways_table(answer), as);
  text += "\n" + render_text(crowd_table(answer), as);
  text += wrapped(fmt::format("Users wait {} between an answer and their next request.",
                              format_display(any(answer.think_time))),
                  options.width);
  if (!answer.thresholds.empty()) text += "\n" + render_text(threshold_table(answer), as);
  text += "\n" + render_text(pooling_table(answer), as);
  return text + notices_text(answer.notices, options.width);
}

std::string fill_markdown(const FillAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", fill_verdict(answer), heading(answer));
  text += render_markdown(losses_table(answer)) + "\n" + replica_words(answer) + "\n\n";
  if (answer.simulated) text += simulated_words(answer) + "\n\n";
  text += render_markdown(curve_table(answer)) + "\n" + neighbour_words(answer) + "\n\n";
  if (!answer.ways.empty()) text += render_markdown(ways_table(answer)) + "\n";
  text += render_markdown(crowd_table(answer)) + "\n";
  if (!answer.thresholds.empty()) text += render_markdown(threshold_table(answer)) + "\n";
  text += render_markdown(pooling_table(answer)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

namespace {

Table cluster_table(const engine::ClusterFill& fill) {
  Table table({{.name = "GPUs", .align = Align::kRight},
               {.name = "allocated", .align = Align::kRight},
               {.name = "of the GPU-hours asked", .align = Align::kRight}});
  for (const auto& p : fill.curve)
    table.add_row({format_count(p.gpus), share_cell(p.load_factor), share_cell(p.within_slo)});
  return table;
}

}  // namespace

std::string cluster_fill_verdict(const engine::ClusterFill& fill) {
  std::string text = fmt::format("{} {} {} allocated", counted(fill.gpus, "GPU"),
                                 fill.gpus == 1 ? "was" : "were", percent_text(fill.allocated));
  if (fill.busy) text += fmt::format(", {} busy", percent_text(*fill.busy));
  if (!fill.useful) return text + "; what of it was useful is not known.";
  return text + fmt::format(" and {} useful{}.", percent_text(*fill.useful),
                            fill.use.open_jobs > 0 ? " so far" : "");
}

std::string cluster_fill_text(const engine::ClusterFill& fill, const FillTextOptions& options) {
  std::string text = wrapped(cluster_fill_verdict(fill), options.width);
  text += wrapped(
      fmt::format("{}: {}, {} GPU-hours{}; waiting: median {:.0f} s, p95 {:.0f} s.", fill.file,
                  counted(fill.use.jobs, "job"), format_short_count(fill.use.gpu_seconds / 3600),
                  fill.useful ? fmt::format(", {} of those that are over came to their end",
                                            percent_text(fill.use.succeeded_share))
                              : "",
                  fill.use.median_wait.base(), fill.use.p95_wait.base()),
      options.width);
  text += "\nAllocated by hour of the week (UTC), a full block is the whole cluster:\n" +
          heat_map(fill.week, 1);
  text +=
      "\n" + render_text(cluster_table(fill), {.width = options.width, .colour = options.colour});
  return text + notices_text(fill.notices, options.width);
}

}  // namespace loadfactor::report
