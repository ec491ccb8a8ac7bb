#include "report/serve/simulate_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/bar.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/serve/serve_words.h"

namespace loadfactor::report {
namespace {

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

// Texts are answered with a vector or a score, and no token is written.
bool only_reads(const SimulateAnswer& a) {
  return a.models.empty() && a.rate_in.all.value() > TokensPerSecond() &&
         a.rate_out.all.value() <= TokensPerSecond();
}

Table latency_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name, bool essential = true) {
    return Column{.name = name, .align = Align::kRight, .essential = essential};
  };
  Table table({{.name = "ms"},
               column("p50"),
               column("p90", false),
               column("p95"),
               column("p95 low"),
               column("p95 high"),
               column("p99", false),
               column("mean", false)});
  const auto add = [&](const char* name, const LatencyFigures& f) {
    const auto cell = [&f](Seconds time) {
      if (f.count == 0) return Cell("none");
      return Cell(format_in(any(time), "ms", 1));
    };
    table.add_row({name, cell(f.p50.value()), cell(f.p90.value()), cell(f.p95.value()),
                   cell(f.p95.low()), cell(f.p95.high()), cell(f.p99.value()),
                   cell(f.mean.value())});
  };
  const bool reads = only_reads(answer);
  add(reads ? "whole text" : "first token (TTFT)", answer.ttft);
  if (answer.urgent_ttft) add("  of urgent requests", *answer.urgent_ttft);
  if (answer.other_ttft) add("  of the others", *answer.other_ttft);
  if (reads) return table;
  add("per token (TPOT)", answer.tpot);
  add("between tokens (ITL)", answer.itl);
  add("whole request (E2E)", answer.e2e);
  return table;
}

Table loss_table(const SimulateAnswer& answer) {
  Table table({{.name = "capacity paid for"},
               {.name = "share", .align = Align::kRight},
               {.name = "what it is", .wraps = true}});
  const auto add = [&](const char* name, const EstimateOf<double>& share, const char* what) {
    table.add_row({name, percent_text(share.value()), what});
  };
  add("load factor", answer.load_factor, "work delivered");
  add("demand", answer.losses.demand, "replicas that even the peak does not need");
  add("shape", answer.losses.shape, "hours below the busiest hour");
  add("headroom", answer.losses.headroom, "kept for the peak inside the busiest hour");
  add("SLO", answer.losses.slo,
      answer.turned_away + answer.cancelled > 0
          ? "batches kept small for latency; requests refused or given up"
          : "batches kept small for latency");
  add("rounding", answer.losses.rounding, "whole replicas");
  if (answer.losses.downtime.value() > 0)
    add("downtime", answer.losses.downtime, "replicas that had failed, until they were repaired");
  return table;
}

std::string lines(const std::string& text, int width) {
  std::string joined;
  for (const auto& line : wrap(text, width)) joined += line + "\n";
  return joined;
}

std::string layout_words(const PoolShape& pool) {
  std::string text = fmt::format("{} × (tp {}", pool.layout.replicas, pool.layout.tp);
  if (pool.layout.pp > 1) text += fmt::format(", pp {}", pool.layout.pp);
  if (pool.layout.ep > 1) text += fmt::format(", ep {}", pool.layout.ep);
  if (pool.layout.dp > 1) text += fmt::format(", dp {}", pool.layout.dp);
  return text + ")";
}

std::string room_words(const PoolShape& pool) {
  const double tokens = pool.kv_tokens.value().base();
  if (tokens <= 0)  // Nothing that was read is kept.
    return fmt::format("{} texts at once, {} tokens a step", pool.max_seqs, pool.chunk);
  if (pool.layout.dp <= 1)
    return fmt::format("KV {} tokens, {} sequences, chunk {} per replica", count_of(tokens),
                       pool.max_seqs, pool.chunk);
  return fmt::format("KV {} tokens, {} sequences per replica: {} ranks of {} and {}, chunk {} each",
                     count_of(tokens), pool.max_seqs * pool.layout.dp, pool.layout.dp,
                     count_of(tokens / pool.layout.dp), pool.max_seqs, pool.chunk);
}

// `scaled: 3.9 replicas on average, 6 at most`, where they come and go.
std::string scaling_words(const SimulateAnswer& a) {
  if (!a.scales) return {};
  return fmt::format(" · scaled: {:.3g} replicas on {:.3g} GPUs on average, {} at most",
                     a.mean_replicas, a.mean_gpus, counted(a.most_replicas, "replica"));
}

std::string deployment_line(const SimulateAnswer& a) {
  if (!a.models.empty())
    return fmt::format("{} on one pool · {} · {} on {}", a.title, a.accelerator_title,
                       counted(a.layout.replicas, "replica"), counted(a.layout.gpus, "GPU")) +
           scaling_words(a);
  std::string text = fmt::format("{} · {} · {}", a.title, a.engine_title, a.accelerator_title);
  for (const PoolShape& pool : a.pools) {
    text += " · ";
    if (a.is_split) text += pool.name + " ";
    text += layout_words(pool);
    if (a.is_split) text += ": ";
    if (a.is_split && a.pools.front().accelerator != a.pools.back().accelerator)
      text += pool.accelerator_title + ", ";
    text += (a.is_split ? "" : ", " + a.precision + " · ") + room_words(pool);
  }
  if (a.is_split) text += " · " + a.precision;
  return text + scaling_words(a);
}

std::string rates_line(const SimulateAnswer& a) {
  std::string text = fmt::format(
      "{} requests/s served · busy {} · MFU {} · MBU {} · {} in all, {} per M tokens {}",
      three_figures(a.request_rate.value().base()), percent_text(a.busy),
      percent_text(a.mfu.value()), percent_text(a.mbu.value()),
      format_display(any(a.energy.value())), format_display(any(a.energy_per_token.value() * 1e6)),
      a.rate_out.all.value() > TokensPerSecond() ? "out" : "read");
  if (a.cache_hit_share > 0)
    text += fmt::format(" · prefix cache {} of prompt tokens", percent_text(a.cache_hit_share));
  return text;
}

// Tokens that are read, where none is written.
Table read_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name) { return Column{.name = name, .align = Align::kRight}; };
  Table table({{.name = "tokens/s"}, column("read"), column("low"), column("high")});
  const auto cell = [](TokensPerSecond rate) { return Cell(count_of(rate.base())); };
  const auto add = [&](const char* name, const EstimateOf<TokensPerSecond>& rate) {
    table.add_row({name, cell(rate.value()), cell(rate.low()), cell(rate.high())});
  };
  add("all replicas", answer.rate_in.all);
  add("per replica", answer.rate_in.per_replica);
  add("per GPU", answer.rate_in.per_gpu);
  return table;
}

Table rate_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name) { return Column{.name = name, .align = Align::kRight}; };
  if (only_reads(answer)) return read_table(answer);
  Table table({{.name = "tokens/s"},
               column("in"),
               column("out"),
               column("total"),
               column("total low"),
               column("total high")});
  const auto cell = [](TokensPerSecond rate) { return Cell(count_of(rate.base())); };
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

Cell time_cell(const LatencyFigures& figures) {
  if (figures.count == 0) return "none";
  return time_words(figures.p95.value());
}

// One row per model on the pool.
Table model_table(const SimulateAnswer& answer) {
  const auto column = [](const char* name) { return Column{.name = name, .align = Align::kRight}; };
  Table table({{.name = "model"},
               column("GPUs"),
               column("req/s"),
               column("TTFT p95"),
               column("TPOT p95"),
               column("good"),
               column("tokens/s"),
               column("load")});
  for (const auto& m : answer.models)
    table.add_row({m.model, std::to_string(m.layout.gpus),
                   fmt::format("{:.3g}", m.request_rate.value().base()), time_cell(m.ttft),
                   time_cell(m.tpot), percent_text(m.goodput),
                   count_of(m.rate_out.all.value().base()), percent_text(m.load_factor.value())});
  return table;
}

std::string histogram_text(const char* title, const std::vector<HistogramBar>& bars) {
  constexpr int kWidth = 40;
  if (bars.empty()) return fmt::format("{}: none\n", title);
  if (bars.size() == 1)
    return fmt::format("{}: {} for every request\n", title, time_words(bars.front().upto));
  double highest = 0;
  for (const auto& bar : bars) highest = std::max(highest, bar.share);
  std::string text =
      fmt::format("{}, share of requests and how many have theirs by then:\n", title);
  double sum = 0;
  for (const auto& bar : bars) {
    sum += bar.share;
    text += fmt::format("  ≤ {:>8} {} {:>6} {:>7}\n", time_words(bar.upto),
                        fraction_bar(highest > 0 ? bar.share / highest : 0, kWidth),
                        percent_text(bar.share), percent_text(sum));
  }
  return text;
}

std::string beside_words(const char* name, const LatencyFigures& beside,
                         const LatencyFigures& alone) {
  if (beside.count == 0 || alone.count == 0) return {};
  return fmt::format(", {} p95 {} beside it and {} alone", name, time_words(beside.p95.value()),
                     time_words(alone.p95.value()));
}

// What batch work of a lower class gets of the replicas, and what the service feels of it.
std::string filler_line(const SimulateAnswer& a) {
  const FillerFigures& filler = *a.filler;
  const std::string what = fmt::format("A filler of {} tokens in and {} out",
                                       count_of(static_cast<double>(filler.tokens_in)),
                                       count_of(static_cast<double>(filler.tokens_out)));
  if (filler.rate.value() <= Hertz())
    return fmt::format("{} has no room: {}.", what,
                       keeps_slo(a) ? "the least of it that was tried breaks the promise"
                                    : "the service breaks its promise without one");
  std::string text =
      fmt::format("{} gets {} requests/s ({} tokens/s), {} of the capacity", what,
                  three_figures(filler.rate.value().base()), count_of(filler.tokens.value().base()),
                  percent_text(filler.taken.value()));
  text += beside_words("TTFT", filler.ttft, a.ttft) + beside_words("TPOT", filler.tpot, a.tpot);
  if (filler.is_bounded) text += "; more of it would break the promise";
  if (filler.is_part) {
    const double rate = static_cast<double>(filler.requests) / std::max(1e-9, filler.span.base());
    text += fmt::format(
        "; simulated over the first {}, in which the service has {} of its mean traffic",
        time_words(filler.span), percent_text(rate / a.request_rate.value().base()));
  }
  return text + ".";
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
  const std::string queue =
      fmt::format("waiting  {}  most {}\n", sparkline(waiting), count_of(most(waiting)));
  if (answer.pools.empty() || answer.pools.front().kv_tokens.value() <= Tokens()) return queue;
  return queue + fmt::format("KV cache {}  most {}\n", sparkline(kv), percent_text(most(kv)));
}

std::string saturated_line(const SimulateAnswer& a) {
  std::string text =
      fmt::format("{} {} requests/s when never idle",
                  a.is_split ? "Prefill and decode together serve" : "One replica serves",
                  three_figures(a.saturated_rate.value().base()));
  if (a.slo_rate)
    text += fmt::format(", {} within the SLO", three_figures(a.slo_rate->value().base()));
  return text;
}

std::string engine_line(const SimulateAnswer& a, bool reproducible) {
  std::string text =
      fmt::format("{} in {} of simulated time, {} in {}, {} engine", counted(a.requests, "request"),
                  time_words(a.duration), counted(a.steps, "step"), counted(a.events, "event"),
                  a.engine == "plain" ? "token-by-token" : "skip-ahead");
  if (a.why_plain != WhyPlain::kNothing) text += fmt::format(" ({})", plain_words(a.why_plain));
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
  add(a.preemptions, a.preemptions == 1 ? "preemption" : "preemptions");
  add(a.turned_away, "turned away");
  add(a.cancelled, "cancelled");
  if (a.turned_away + a.cancelled > 0)
    text += "; the table is of the requests that were served, to the SLO the others are late";
  return text;
}

std::string notices_text(const SimulateAnswer& answer, int width) {
  std::string text;
  for (const auto& notice : answer.notices)
    text += lines(
        (severity_of(notice) == Severity::kCaution ? "caution: " : "note: ") + text_of(notice),
        width);
  return text;
}

std::string then_words(const LatencyFigures& tpot) {
  return tpot.count == 0 ? "" : fmt::format(", then {} per token", time_words(tpot.p50.value()));
}

// Whether the bound lies within the interval of what was reached.
bool is_in_doubt(const SloVerdict& s) {
  return s.reached && s.reached->low() <= s.bound && s.reached->high() > s.bound;
}

std::string interval_words(const SloVerdict& s) {
  if (!is_in_doubt(s)) return {};
  return fmt::format(" [{}, {}]", time_words(s.reached->low()), time_words(s.reached->high()));
}

std::string verdict_words(const SimulateAnswer& answer) {
  if (!keeps_slo(answer)) return "It MISSES the SLO: ";
  return std::any_of(answer.slo.begin(), answer.slo.end(), is_in_doubt)
             ? "It MEETS the SLO, though the interval reaches beyond it: "
             : "It MEETS the SLO: ";
}

}  // namespace

std::string simulate_verdict(const SimulateAnswer& answer) {
  std::string text;
  if (!answer.slo.empty()) {
    text = verdict_words(answer);
    for (std::size_t i = 0; i < answer.slo.size(); ++i) {
      const auto& s = answer.slo[i];
      text += fmt::format("{}{} {} (bound {})", i == 0 ? "" : ", ", s.name,
                          s.reached ? time_words(s.reached->value()) + interval_words(s) : "none",
                          time_words(s.bound));
    }
    text += fmt::format("; {} of the requests are good. ", percent_text(answer.goodput));
  } else {
    text = answer.ttft.count == 0
               ? std::string("No request is served. ")
               : fmt::format("{} after {} (p50) and {} (p95){}. ",
                             only_reads(answer) ? "Answered" : "First token",
                             time_words(answer.ttft.p50.value()),
                             time_words(answer.ttft.p95.value()), then_words(answer.tpot));
  }
  return text + fmt::format("Load factor {}; binding: {}.",
                            percent_text(answer.load_factor.value()),
                            binding_words(answer.binding));
}

std::string simulate_text(const SimulateAnswer& answer, const SimulateTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = lines(simulate_verdict(answer), options.width);
  text += lines(deployment_line(answer), options.width) + "\n";
  if (!answer.models.empty()) text += render_text(model_table(answer), table) + "\n";
  text += render_text(latency_table(answer), table) + "\n";
  const bool reads = only_reads(answer);
  text += histogram_text(reads ? "Whole text" : "First token", answer.histograms.ttft) + "\n";
  if (options.explain && !reads) {
    text += histogram_text("Time per token", answer.histograms.tpot) + "\n";
    text += histogram_text("Whole request", answer.histograms.e2e) + "\n";
  }
  text += series_text(answer) + "\n" + render_text(rate_table(answer), table);
  text += lines(rates_line(answer), options.width);
  if (const auto outcomes = outcomes_line(answer); !outcomes.empty())
    text += lines(outcomes, options.width);
  text += "\n" + render_text(loss_table(answer), table);
  if (answer.models.empty()) text += lines(saturated_line(answer), options.width);
  if (answer.filler) text += lines(filler_line(answer), options.width);
  text += "\n" + lines(engine_line(answer, options.reproducible), options.width);
  return text + notices_text(answer, options.width);
}

std::string simulate_markdown(const SimulateAnswer& answer) {
  return simulate_verdict(answer) + "\n\n" + deployment_line(answer) + "\n\n" +
         (answer.models.empty() ? "" : render_markdown(model_table(answer)) + "\n") +
         render_markdown(latency_table(answer)) + "\n" + render_markdown(rate_table(answer)) +
         "\n" + rates_line(answer) + "\n\n" + render_markdown(loss_table(answer)) +
         (answer.filler ? "\n" + filler_line(answer) + "\n" : "");
}

}  // namespace loadfactor::report
