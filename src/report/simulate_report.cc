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
  const auto add = [&](const char* name, const EstimateOf<double>& share, const char* what) {
    table.add_row({name, Cell(percent(share.value()), share.value()), what});
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
  if (!a.models.empty())
    return fmt::format("{} on one pool · {} · {} replicas on {} GPUs", a.title, a.accelerator_title,
                       a.replicas, a.gpus);
  std::string text = fmt::format("{} · {} · {} · {} × (tp {}", a.title, a.engine_title,
                                 a.accelerator_title, a.replicas, a.tp);
  if (a.pp > 1) text += fmt::format(", pp {}", a.pp);
  if (a.ep > 1) text += fmt::format(", ep {}", a.ep);
  if (a.dp > 1) text += fmt::format(", dp {}", a.dp);
  return text + fmt::format("), {} · KV {} tokens, {} sequences, chunk {} per replica", a.precision,
                            count_of(a.kv_tokens.value().base()), a.max_seqs, a.chunk);
}

std::string rates_line(const SimulateAnswer& a) {
  std::string text = fmt::format(
      "{:.3g} requests/s served · busy {} · MFU {} · MBU {} · {} in all, {} per M tokens out",
      a.request_rate.value().base(), percent(a.busy), percent(a.mfu.value()),
      percent(a.mbu.value()), format_display(any(a.energy.value())),
      format_display(any(a.energy_per_token.value() * 1e6)));
  if (a.cache_hit_share > 0)
    text += fmt::format(" · prefix cache {} of prompt tokens", percent(a.cache_hit_share));
  return text;
}

Table rate_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name, const char* key) {
    return Column{.name = name, .align = Align::kRight, .key = key};
  };
  Table table({{.name = "tokens/s", .key = "tokens_per_s"},
               column("in", "in"),
               column("out", "out"),
               column("total", "total"),
               column("total low", "total_low"),
               column("total high", "total_high")});
  const auto cell = [](TokensPerSecond rate) { return Cell(count_of(rate.base()), rate.base()); };
  const auto add = [&](const char* name, auto member) {
    const auto& total = answer.rate_total.*member;
    table.add_row({name, cell((answer.rate_in.*member).value()),
                   cell((answer.rate_out.*member).value()), cell(total.value()), cell(total.low()),
                   cell(total.high())});
  };
  add("all replicas", &TokenRates::all);
  add("per replica", &TokenRates::per_replica);
  add("per GPU", &TokenRates::per_gpu);
  return table;
}

// One row per model on the pool.
Table model_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name, const char* key) {
    return Column{.name = name, .align = Align::kRight, .key = key};
  };
  Table table({{.name = "model"},
               column("GPUs", "gpus"),
               column("req/s", "requests_per_s"),
               column("TTFT p95", "ttft_p95"),
               column("TPOT p95", "tpot_p95"),
               column("good", "goodput"),
               column("tokens/s", "tokens_out_per_s"),
               column("load", "load_factor")});
  for (const auto& m : answer.models)
    table.add_row(
        {m.model, Cell(std::to_string(m.gpus), m.gpus),
         Cell(fmt::format("{:.3g}", m.request_rate.value().base()), m.request_rate.value().base()),
         Cell(time_words(m.ttft.p95.value()), m.ttft.p95.value().base()),
         Cell(time_words(m.tpot.p95.value()), m.tpot.p95.value().base()),
         Cell(percent(m.goodput), m.goodput),
         Cell(count_of(m.rate_out.all.value().base()), m.rate_out.all.value().base()),
         Cell(percent(m.load_factor.value()), m.load_factor.value())});
  return table;
}

std::string histogram_text(const char* title, const std::vector<HistogramBar>& bars) {
  constexpr int kWidth = 40;
  double highest = 0;
  for (const auto& bar : bars) highest = std::max(highest, bar.share);
  std::string text =
      fmt::format("{}, share of requests and how many have theirs by then:\n", title);
  double sum = 0;
  for (const auto& bar : bars) {
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

std::string saturated_line(const SimulateAnswer& a) {
  std::string text =
      fmt::format("{} {:.3g} requests/s when never idle",
                  a.is_split ? "Prefill and decode together serve" : "One replica serves",
                  a.saturated_rate.value().base());
  if (a.slo_rate) text += fmt::format(", {:.3g} within the SLO", a.slo_rate->value().base());
  return text;
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
      text += fmt::format("{}{} {} (bound {})", i == 0 ? "" : ", ", s.name,
                          time_words(s.reached.value()), time_words(s.bound));
    }
    text += fmt::format("; {} of the requests are good. ", percent(answer.goodput));
  } else {
    text = fmt::format("First token after {} (p50) and {} (p95), then {} per token. ",
                       time_words(answer.ttft.p50.value()), time_words(answer.ttft.p95.value()),
                       time_words(answer.tpot.p50.value()));
  }
  return text + fmt::format("Load factor {}; binding: {}.", percent(answer.load_factor.value()),
                            answer.binding);
}

std::string simulate_text(const SimulateAnswer& answer, const SimulateTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = lines(simulate_verdict(answer), options.width);
  text += lines(deployment_line(answer), options.width) + "\n";
  if (!answer.models.empty()) text += render_text(model_table(answer), table) + "\n";
  text += render_text(latency_table(answer), table) + "\n";
  text += histogram_text("First token", answer.histograms.ttft) + "\n";
  if (options.explain) {
    text += histogram_text("Time per token", answer.histograms.tpot) + "\n";
    text += histogram_text("Whole request", answer.histograms.e2e) + "\n";
  }
  text += series_text(answer) + "\n" + render_text(rate_table(answer), table);
  text += lines(rates_line(answer), options.width);
  if (const auto outcomes = outcomes_line(answer); !outcomes.empty())
    text += lines(outcomes, options.width);
  text += "\n" + render_text(loss_table(answer), table);
  if (answer.models.empty()) text += lines(saturated_line(answer), options.width);
  text += "\n" + lines(engine_line(answer, options.reproducible), options.width);
  return text + notices_text(answer, options.width);
}

std::string simulate_markdown(const SimulateAnswer& answer) {
  return simulate_verdict(answer) + "\n\n" + deployment_line(answer) + "\n\n" +
         (answer.models.empty() ? "" : render_markdown(model_table(answer)) + "\n") +
         render_markdown(latency_table(answer)) + "\n" + render_markdown(rate_table(answer)) +
         "\n" + rates_line(answer) + "\n\n" + render_markdown(loss_table(answer));
}

std::string simulate_csv(const SimulateAnswer& answer) {
  return render_csv(latency_table(answer));
}

std::string simulate_series_csv(const SimulateAnswer& answer) {
  std::string text = "time_s,waiting,running,kv_share,replicas,tokens_per_s\r\n";
  for (const auto& p : answer.series)
    text += fmt::format("{},{},{},{},{},{}\r\n", p.time.base(), p.waiting, p.running, p.kv_share,
                        p.replicas, p.throughput.value().base());
  return text;
}

}  // namespace loadfactor::report
