#include "report/simulate_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bar.h"
#include "base/quantity_text.h"
#include "base/table.h"
#include "base/wrap.h"

namespace loadfactor::report {
namespace {

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string time_words(Seconds time) {
  return format_display(any(time));
}

std::string count_of(double value) {
  return format_count(static_cast<long long>(value + 0.5));
}

bool keeps_slo(const SimulateAnswer& answer) {
  for (const auto& bound : answer.slo)
    if (!bound.met) return false;
  return true;
}

Table latency_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name, const char* key, bool essential = true) {
    return Column{.name = name, .align = Align::kRight, .essential = essential, .key = key};
  };
  Table table({{.name = "ms", .key = "latency"},
               column("p50", "p50_ms"),
               column("p90", "p90_ms"),
               column("p95", "p95_ms"),
               column("p99", "p99_ms"),
               column("mean", "mean_ms", false),
               column("p95 low", "p95_low_ms", false),
               column("p95 high", "p95_high_ms", false)});
  const auto cell = [](Seconds time) {
    return Cell(format_in(any(time), "ms", 1), time.base() * 1e3);
  };
  const auto add = [&](const char* name, const LatencyFigures& f) {
    table.add_row({name, cell(f.p50.value()), cell(f.p90.value()), cell(f.p95.value()),
                   cell(f.p99.value()), cell(f.mean.value()), cell(f.p95.low()),
                   cell(f.p95.high())});
  };
  add("first token (TTFT)", answer.ttft);
  add("per token (TPOT)", answer.tpot);
  add("between tokens (ITL)", answer.itl);
  add("whole request (E2E)", answer.e2e);
  return table;
}

Table loss_table(const SimulateAnswer& answer) {
  Table table({{.name = "capacity paid for"},
               {.name = "share", .align = Align::kRight},
               {.name = "what it is", .wraps = true, .key = "what"}});
  const auto add = [&](const char* name, double share, const char* what) {
    table.add_row({name, Cell(percent(share), share), what});
  };
  add("load factor", answer.load_factor, "work delivered");
  add("demand", answer.losses.demand, "replicas that even the peak does not need");
  add("shape", answer.losses.shape, "hours below the busiest hour");
  add("headroom", answer.losses.headroom, "kept for the peak inside the busiest hour");
  add("SLO", answer.losses.slo, "batches kept small for latency");
  add("rounding", answer.losses.rounding, "whole replicas");
  return table;
}

std::string lines(const std::string& text, int width) {
  std::string joined;
  for (const auto& line : wrap(text, width)) joined += line + "\n";
  return joined;
}

std::string deployment_line(const SimulateAnswer& a) {
  std::string text = fmt::format("{} · {} · {} · {} × (tp {}", a.title, a.engine_title,
                                 a.accelerator_title, a.replicas, a.tp);
  if (a.pp > 1) text += fmt::format(", pp {}", a.pp);
  if (a.ep > 1) text += fmt::format(", ep {}", a.ep);
  if (a.dp > 1) text += fmt::format(", dp {}", a.dp);
  return text + fmt::format("), {} · KV {} tokens, {} sequences, chunk {} per replica", a.precision,
                            count_of(static_cast<double>(a.kv_tokens)), a.max_seqs, a.chunk);
}

std::string rates_line(const SimulateAnswer& a) {
  std::string text = fmt::format(
      "{:.3g} requests/s served · {} tokens/s out ({} per GPU), {} in · busy {} · MFU {} · MBU {} "
      "· "
      "{} per M tokens out",
      a.request_rate.value().base(), count_of(a.throughput.value().base()),
      count_of(a.throughput_per_gpu.value().base()), count_of(a.tokens_in_rate.base()),
      percent(a.busy), percent(a.mfu.value()), percent(a.mbu.value()),
      format_display(any(Joules::from_base(
          a.energy.value().base() /
          std::max(1e-12, a.throughput.value().base() * a.duration.base()) * 1e6))));
  if (a.cache_hit_share > 0)
    text += fmt::format(" · prefix cache {} of prompt tokens", percent(a.cache_hit_share));
  return text;
}

std::string histogram_text(const SimulateAnswer& answer) {
  constexpr int kWidth = 40;
  double highest = 0;
  for (const auto& bar : answer.ttft_histogram) highest = std::max(highest, bar.share);
  std::string text = "First token, share of requests and how many have theirs by then:\n";
  double sum = 0;
  for (const auto& bar : answer.ttft_histogram) {
    sum += bar.share;
    text += fmt::format("  ≤ {:>8} {} {:>6} {:>7}\n", time_words(bar.upto),
                        fraction_bar(highest > 0 ? bar.share / highest : 0, kWidth),
                        percent(bar.share), percent(sum));
  }
  return text;
}

std::string series_text(const SimulateAnswer& answer) {
  constexpr std::size_t kColumns = 50;
  const std::size_t samples = answer.series.size();
  if (samples < 2) return {};
  const std::size_t stride = (samples + kColumns - 1) / kColumns;
  // Each column is the most of its samples, so that no peak falls between two of them.
  std::vector<double> waiting((samples + stride - 1) / stride, 0.0), kv(waiting);
  for (std::size_t i = 0; i < samples; ++i) {
    double& queue = waiting[i / stride];
    double& share = kv[i / stride];
    queue = std::max(queue, static_cast<double>(answer.series[i].waiting));
    share = std::max(share, answer.series[i].kv_share);
  }
  const auto most = [](const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  };
  return fmt::format("waiting  {}  most {}\nKV cache {}  most {}\n", sparkline(waiting),
                     count_of(most(waiting)), sparkline(kv), percent(most(kv)));
}

std::string engine_line(const SimulateAnswer& a, bool reproducible) {
  std::string text = fmt::format(
      "{} requests in {} of simulated time, {} steps in {} events, {} "
      "engine",
      count_of(static_cast<double>(a.requests)), time_words(a.duration),
      count_of(static_cast<double>(a.steps)), count_of(static_cast<double>(a.events)),
      a.engine == "plain" ? "token-by-token" : "skip-ahead");
  if (!a.why_plain.empty()) text += fmt::format(" ({})", a.why_plain);
  if (!reproducible && a.engine_seconds > 0)
    text += fmt::format(": {:.3g} s, {} requests/s", a.engine_seconds,
                        count_of(static_cast<double>(a.requests) / a.engine_seconds));
  return text;
}

std::string outcomes_line(const SimulateAnswer& a) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), what);
  };
  add(a.preemptions, "preemptions");
  add(a.turned_away, "turned away");
  add(a.cancelled, "cancelled");
  return text;
}

std::string notices_text(const SimulateAnswer& answer, int width) {
  std::string text;
  for (const auto& notice : answer.notices)
    text += lines((notice.severity == Severity::kCaution ? "caution: " : "note: ") + notice.text,
                  width);
  return text;
}

}  // namespace

std::string simulate_verdict(const SimulateAnswer& answer) {
  std::string text;
  if (!answer.slo.empty()) {
    text = keeps_slo(answer) ? "It MEETS the SLO: " : "It MISSES the SLO: ";
    for (std::size_t i = 0; i < answer.slo.size(); ++i) {
      const auto& s = answer.slo[i];
      text += fmt::format("{}{} {} (bound {})", i == 0 ? "" : ", ", s.name, time_words(s.reached),
                          time_words(s.bound));
    }
    text += fmt::format("; {} of the requests are good. ", percent(answer.goodput));
  } else {
    text = fmt::format("First token after {} (p50) and {} (p95), then {} per token. ",
                       time_words(answer.ttft.p50.value()), time_words(answer.ttft.p95.value()),
                       time_words(answer.tpot.p50.value()));
  }
  return text +
         fmt::format("Load factor {}; binding: {}.", percent(answer.load_factor), answer.binding);
}

std::string simulate_text(const SimulateAnswer& answer, const SimulateTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = lines(simulate_verdict(answer), options.width);
  text += lines(deployment_line(answer), options.width) + "\n";
  text += render_text(latency_table(answer), table) + "\n";
  text += histogram_text(answer) + "\n" + series_text(answer) + "\n";
  text += lines(rates_line(answer), options.width);
  if (const auto outcomes = outcomes_line(answer); !outcomes.empty())
    text += lines(outcomes, options.width);
  text += "\n" + render_text(loss_table(answer), table);
  text += lines(
      fmt::format("One replica serves {:.3g} requests/s when never idle{}",
                  answer.saturated_rate.base(),
                  answer.slo_rate ? fmt::format(", {:.3g} within the SLO", answer.slo_rate->base())
                                  : std::string()),
      options.width);
  text += "\n" + lines(engine_line(answer, options.reproducible), options.width);
  return text + notices_text(answer, options.width);
}

std::string simulate_markdown(const SimulateAnswer& answer) {
  return simulate_verdict(answer) + "\n\n" + deployment_line(answer) + "\n\n" +
         render_markdown(latency_table(answer)) + "\n" + rates_line(answer) + "\n\n" +
         render_markdown(loss_table(answer));
}

std::string simulate_csv(const SimulateAnswer& answer) {
  return render_csv(latency_table(answer));
}

std::string simulate_series_csv(const SimulateAnswer& answer) {
  std::string text = "time_s,waiting,running,kv_share,replicas,tokens_per_s\r\n";
  for (const auto& p : answer.series)
    text += fmt::format("{},{},{},{},{},{}\r\n", p.time.base(), p.waiting, p.running, p.kv_share,
                        p.replicas, p.tokens_per_s);
  return text;
}

}  // namespace loadfactor::report
