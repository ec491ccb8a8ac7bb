#include "report/demand_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/week_picture.h"

namespace loadfactor::report {
namespace {

using demand::Characterisation;
using demand::ImportReport;
using demand::LengthStatistics;
using engine::DemandAnswer;

std::string number(double value) {
  return fmt::format("{:.3g}", value);
}

// Large figures as counts.
std::string figure(double value) {
  constexpr double kLarge = 1000;
  return value < kLarge ? number(value) : format_count(std::llround(value));
}

std::string span_words(Seconds span) {
  const double seconds = span.base();
  if (seconds < 7200) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} hours", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::string wrapped(const std::string& text, int width, const std::string& first = "",
                    const std::string& rest = "") {
  std::string out;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size())))
    out += (out.empty() ? first : rest) + line + "\n";
  return out;
}

std::string import_words(const ImportReport& r) {
  std::string text = fmt::format("{}{}: {} read, {} used", r.format, r.was_packed ? ", gzip" : "",
                                 counted(r.rows_read, "row"), format_count(r.rows_used));
  for (std::size_t i = 0; i < r.dropped.size(); ++i) {
    if (r.dropped[i].rows == 0) continue;
    text += fmt::format(", {} dropped ({}, first in line {})", format_count(r.dropped[i].rows),
                        demand::drop_reason_words(static_cast<demand::DropReason>(i)),
                        r.dropped[i].first_line);
  }
  if (r.span > Seconds()) text += fmt::format("; span {}", span_words(r.span));
  if (!r.time_column.empty())
    text += fmt::format("; time '{}' in {} ({})", r.time_column, time_unit_name(r.time_unit),
                        r.time_unit_why);
  if (r.granularity > Seconds())
    text += fmt::format("; stamps to {} s", number(r.granularity.base()));
  if (r.minutes > 0)
    text += fmt::format("; {} of {} silent", format_count(r.silent_minutes),
                        counted(r.minutes, "minute"));
  if (!r.gaps.empty()) text += fmt::format("; {}", counted(std::ssize(r.gaps), "gap"));
  return text;
}

Table windows_table(const Characterisation& c) {
  Table table({{.name = "windows of"},
               {.name = "mean/s", .align = Align::kRight},
               {.name = "peak/s", .align = Align::kRight},
               {.name = "peak/mean", .align = Align::kRight},
               {.name = "mean/peak", .align = Align::kRight},
               {.name = "variance/mean", .align = Align::kRight}});
  const auto cell = [](double value) { return Cell(number(value)); };
  for (const auto& w : c.windows)
    table.add_row({fmt::format("{:g} s", w.window.base()), cell(w.mean.base()), cell(w.peak.base()),
                   cell(w.peak_to_mean()), percent_text(w.mean_to_peak()), cell(w.dispersion)});
  return table;
}

void add_length_row(Table& table, const char* name, const LengthStatistics& s) {
  std::vector<Cell> row{name, fmt::format("{:.0f}", s.mean)};
  for (const double p : s.percentiles) row.emplace_back(fmt::format("{:.0f}", p));
  row.emplace_back(format_count(s.longest));
  row.emplace_back(number(s.cv));
  table.add_row(std::move(row));
}

Table lengths_table(const Characterisation& c) {
  std::vector<Column> columns{{.name = "tokens"}, {.name = "mean", .align = Align::kRight}};
  for (const int p : demand::kLengthPercentiles)
    columns.push_back(
        {.name = fmt::format("p{}", p), .align = Align::kRight, .essential = p >= 50 || p == 10});
  columns.push_back({.name = "most", .align = Align::kRight});
  columns.push_back({.name = "CV", .align = Align::kRight, .essential = false});
  Table table(columns);
  add_length_row(table, "in", *c.input);
  add_length_row(table, "out", *c.output);
  return table;
}

std::string prefix_words(const demand::PrefixReuse& reuse, int block_tokens) {
  std::string text = fmt::format(
      "A cache without limit would find {} of the input tokens ({} of {} blocks of {} are new)",
      percent_text(reuse.unlimited_hit), format_count(reuse.unique_blocks),
      format_count(reuse.total_blocks), block_tokens);
  std::string curve;
  for (const std::int64_t blocks : {1000, 5000, 10000, 30000, 100000}) {
    if (blocks > 2 * reuse.unique_blocks) break;
    curve += fmt::format("{}{} with {}", curve.empty() ? "" : ", ", percent_text(reuse.hit(blocks)),
                         format_short_count(static_cast<double>(blocks)));
  }
  return text + (curve.empty() ? "." : fmt::format("; {} blocks.", curve));
}

std::string shape_words(const Characterisation& c) {
  const auto hours = c.week.by_hour();
  const auto busiest = std::max_element(hours.begin(), hours.end());
  std::string text = fmt::format("Busiest hour of the day {}:00 UTC", busiest - hours.begin());
  if (!c.week.has_calendar)
    text = fmt::format("Busiest hour {} from the start", busiest - hours.begin());
  const auto days = c.week.by_day();
  double week = 0;
  double weekend = 0;
  int week_days = 0;
  int weekend_days = 0;
  for (std::size_t i = 0; i < days.size(); ++i) {
    if (days[i] < 0) continue;
    (i < 5 ? week : weekend) += days[i];
    ++(i < 5 ? week_days : weekend_days);
  }
  if (c.week.has_calendar && week_days > 0 && weekend_days > 0 && week > 0)
    text += fmt::format("; weekends run at {} of weekdays",
                        percent_text(weekend / weekend_days / (week / week_days)));
  if (c.hours_below_quarter)
    text += fmt::format("; {} of hours lie below a quarter of the busiest, {} below half",
                        percent_text(*c.hours_below_quarter), percent_text(*c.hours_below_half));
  return text + ".";
}

std::string lengths_words(const Characterisation& c) {
  if (c.output->mean <= 0) return {};
  const double ratio = c.input->mean / c.output->mean;
  std::string text =
      fmt::format("{} tokens in per token out: {}.", number(ratio), engine::work_words(ratio));
  if (c.is_timed && c.mean_rate > Hertz())
    text +=
        fmt::format(" {} tokens/s in, {} out; rank correlation of the two {:.2f}.",
                    format_short_count(c.mean_rate.base() * c.input->mean),
                    format_short_count(c.mean_rate.base() * c.output->mean), *c.length_correlation);
  return text;
}

std::string traffic_text(const DemandAnswer& answer, const DemandTextOptions& options) {
  const Characterisation& c = *answer.traffic;
  std::string text;
  if (!c.windows.empty()) {
    text += "\n" + render_text(windows_table(c), {.width = options.width});
    text += wrapped(fmt::format("Gaps between arrivals have a CV of {} (1 is random, more is "
                                "bursty); variance/mean of counts is 1 when random.",
                                number(c.cv.value_or(1))),
                    options.width);
  }
  constexpr std::size_t kEnoughForALine = 12;
  if (c.series.size() >= kEnoughForALine)
    text += "\n" + series_line(c.series, std::min(options.width - 2, 84)) + "\n";
  if (c.span > Seconds::from_base(86400)) {
    text += "\n" + heat_map(c.week) + wrapped(shape_words(c), options.width);
  }
  if (c.input) {
    text += "\n" + render_text(lengths_table(c), {.width = options.width});
    text += wrapped(lengths_words(c), options.width);
  }
  if (c.prefixes)
    text += wrapped(
        prefix_words(*c.prefixes, std::get<demand::Trace>(answer.data).prefixes.block_tokens),
        options.width);
  if (c.clients > 1)
    text += fmt::format("{} clients, the largest with {} of the requests.\n",
                        format_count(c.clients), percent_text(c.top_client_share));
  return text;
}

Table metrics_table(const demand::MetricsSnapshot& s) {
  Table table({{.name = "figure"}, {.name = "value", .align = Align::kRight}});
  const auto add = [&table](const char* name, std::optional<double> value, bool is_share = false) {
    if (value) table.add_row({name, is_share ? percent_text(*value) : figure(*value)});
  };
  add("requests", s.requests);
  add("tokens in", s.input_tokens);
  add("tokens out", s.output_tokens);
  if (s.requests && *s.requests > 0) {
    if (s.input_tokens) add("tokens in per request", *s.input_tokens / *s.requests);
    if (s.output_tokens) add("tokens out per request", *s.output_tokens / *s.requests);
  }
  if (s.interval && s.requests) add("requests/s", *s.requests / s.interval->base());
  add("input p50", demand::histogram_quantile(s.input_lengths, 0.5));
  add("input p95", demand::histogram_quantile(s.input_lengths, 0.95));
  add("output p50", demand::histogram_quantile(s.output_lengths, 0.5));
  add("output p95", demand::histogram_quantile(s.output_lengths, 0.95));
  add("running", s.running);
  add("waiting", s.waiting);
  add("KV cache used", s.kv_use, true);
  add("prefix hits", s.prefix_hit_ratio, true);
  if (s.gpus > 0) add("GPUs", s.gpus);
  add("GPU_UTIL", s.gpu_util, true);
  add("SM active", s.sm_active, true);
  add("tensor active", s.tensor_active, true);
  add("DRAM active", s.dram_active, true);
  if (s.power) add("power (W)", s.power->base());
  return table;
}

// How jobs ended, as far as that is known.
std::string ends_words(const demand::ClusterUse& use) {
  if (use.open_jobs == use.jobs) return "how jobs ended is not known";
  const double useful = use.gpu_seconds > 0 ? use.useful_gpu_seconds / use.gpu_seconds : 0;
  return fmt::format(
      "{} of jobs{} came to their end with {} of the GPU-hours", percent_text(use.succeeded_share),
      use.open_jobs > 0 ? fmt::format(" ({} still run)", format_count(use.open_jobs)) : "",
      percent_text(useful));
}

std::string cluster_text(const demand::ClusterUse& use, int width) {
  std::string text = "\n" + series_line(use.series, std::min(width - 2, 84)) + "\n\n";
  text += heat_map(use.week, static_cast<double>(use.peak_gpus));
  text += wrapped(fmt::format("{}, the largest on {}; {}. Waiting: median {:.0f} s, p95 {:.0f} s.",
                              counted(use.jobs, "job"), counted(use.largest_job, "GPU"),
                              ends_words(use), use.median_wait.base(), use.p95_wait.base()),
                  width);
  return text;
}

}  // namespace

namespace {

// What is going on, as far as the snapshot says it.
std::string metrics_verdict(const demand::MetricsSnapshot& s) {
  std::vector<std::string> said;
  if (s.interval && s.requests)
    said.push_back(fmt::format("{} requests/s over {}", number(*s.requests / s.interval->base()),
                               span_words(*s.interval)));
  else if (s.requests)
    said.push_back(
        fmt::format("{} since it started", counted(std::llround(*s.requests), "request")));
  if (s.running) said.push_back(fmt::format("{} running", figure(*s.running)));
  if (s.waiting) said.push_back(fmt::format("{} waiting", figure(*s.waiting)));
  if (s.gpus > 0 && s.gpu_util)
    said.push_back(
        fmt::format("{} {} utilised", counted(s.gpus, "GPU"), percent_text(*s.gpu_util)));
  if (said.empty()) return fmt::format("A snapshot of {}.", s.engine);
  return fmt::format("{}: {}.", s.engine, fmt::join(said, ", "));
}

}  // namespace

std::string demand_verdict(const DemandAnswer& answer) {
  if (answer.cluster) {
    const auto& use = *answer.cluster;
    return fmt::format(
        "{} GPU-hours in {}: {:.1f} GPUs busy on average, {} at the peak ({} of it).",
        format_short_count(use.gpu_seconds / 3600), span_words(use.span), use.mean_gpus,
        format_count(use.peak_gpus),
        percent_text(use.peak_gpus > 0 ? use.mean_gpus / static_cast<double>(use.peak_gpus) : 0));
  }
  if (answer.metrics) return metrics_verdict(*answer.metrics);
  const Characterisation& c = *answer.traffic;
  if (!c.is_timed)
    return fmt::format("{} without times: lengths only.", counted(c.requests, "request"));
  std::string text = fmt::format("{} requests in {}: {} requests/s",
                                 format_short_count(static_cast<double>(c.requests)),
                                 span_words(c.span), number(c.mean_rate.base()));
  const demand::WindowStatistics* w = c.widest_meaningful_window();
  if (w == nullptr) return text + "; too short to say how full a fleet sized to its peak would be.";
  return text + fmt::format(
                    " on average, {} in the busiest {:g} s; a fleet sized to that peak is "
                    "{} full.",
                    number(w->peak.base()), w->window.base(), percent_text(c.mean_rate / w->peak));
}

std::string demand_import_line(const engine::DemandAnswer& answer) {
  return import_words(answer.import);
}

std::string demand_text(const DemandAnswer& answer, const DemandTextOptions& options) {
  std::string text = wrapped(demand_verdict(answer), options.width);
  text += wrapped(import_words(answer.import), options.width);
  if (answer.traffic) text += traffic_text(answer, options);
  if (answer.cluster) text += cluster_text(*answer.cluster, options.width);
  if (answer.metrics)
    text += "\n" + render_text(metrics_table(*answer.metrics), {.width = options.width});
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += wrapped(text_of(notice), options.width,
                    severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  return text;
}

std::string demand_markdown(const DemandAnswer& answer) {
  std::string text =
      fmt::format("**{}**\n\n{}\n\n", demand_verdict(answer), import_words(answer.import));
  if (answer.traffic) {
    if (!answer.traffic->windows.empty())
      text += render_markdown(windows_table(*answer.traffic)) + "\n";
    if (answer.traffic->input) text += render_markdown(lengths_table(*answer.traffic)) + "\n";
  }
  if (answer.metrics) text += render_markdown(metrics_table(*answer.metrics)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
