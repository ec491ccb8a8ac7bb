#include "report/serve/serve_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/serve/serve_words.h"

namespace loadfactor::report {
namespace {

struct TimeUnit {
  double from;  // Seconds.
  double seconds;
  std::string_view name;
};
constexpr std::array kTimeUnits{TimeUnit{86400 * 2, 86400, "d"}, TimeUnit{3600 * 2, 3600, "h"},
                                TimeUnit{600, 60, "min"}, TimeUnit{10, 1, "s"},
                                TimeUnit{0, 1e-3, "ms"}};

// In the unit that suits the value; its interval in the same.
std::string time_words(const EstimateOf<Seconds>& time) {
  const auto unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                                 [&](const TimeUnit& u) { return time.value().base() >= u.from; });
  const auto number = [&](Seconds value) {
    const double n = value.base() / unit->seconds;
    return n < 100 ? fmt::format("{:.1f}", n)
                   : format_count(static_cast<long long>(std::llround(n)));
  };
  return fmt::format("{} {} [{}, {}]", number(time.value()), unit->name, number(time.low()),
                     number(time.high()));
}

std::string rate_words(const EstimateOf<TokensPerSecond>& rate) {
  const auto count = [](TokensPerSecond value) {
    return format_count(static_cast<long long>(value.base() + 0.5));
  };
  return fmt::format("{} [{}, {}]", count(rate.value()), count(rate.low()), count(rate.high()));
}

std::string wrapped(const std::string& text, int width) {
  std::string out;
  for (const auto& line : wrap(text, width)) out += line + "\n";
  return out;
}

// The engine as people call it, and which of its generations is predicted.
std::string engine_words(const ServeAnswer& a) {
  return a.engine_title.empty() ? a.engine : fmt::format("{}, as `{}`", a.engine_title, a.engine);
}

// The machines of the headline: both pools where prompts are apart.
std::string machine_words(const ServeAnswer& a) {
  const auto split = std::find_if(a.notices.begin(), a.notices.end(),
                                  [](const Notice& notice) { return notice.id == "split-pools"; });
  if (split == a.notices.end()) return fmt::format("{} {}", a.layout.gpus, a.accelerator);
  std::vector<std::string> pools;
  for (const auto& pool : split->arguments)
    pools.push_back(fmt::format("{} for {}", pool.text, pool.name));
  return fmt::format("{}", fmt::join(pools, " and "));
}

std::string layout_words(const ServeAnswer& a) {
  std::string words =
      fmt::format("{} × {} (tp {}", a.layout.replicas,
                  counted((a.layout.gpus - a.prompt_gpus) / std::max(1, a.layout.replicas), "GPU"),
                  a.layout.tp);
  if (a.layout.pp > 1) words += fmt::format(" · pp {}", a.layout.pp);
  if (a.layout.ep > 1) words += fmt::format(" · ep {}", a.layout.ep);
  if (a.layout.dp > 1) words += fmt::format(" · attention dp {}", a.layout.dp);
  words += ")";
  if (a.prompt_gpus > 0) words += fmt::format(" + {} for prompts", a.prompt_gpus);
  return words;
}

struct Figure {
  std::string name;
  std::string value;
  std::string note;
};

// A model that only reads keeps nothing of a text and writes no answer.
bool only_reads(const ServeAnswer& a) {
  return a.tokens_out <= 0;
}

// Times and rates of texts that are read.
std::vector<Figure> reading_figures(const ServeAnswer& a, const std::string& under) {
  const double read = a.saturated_requests.value().base() * a.tokens_in;
  return {
      {"weights per GPU", format_in(any(a.weights_per_gpu.value()), "GiB", 1) + " GiB",
       a.precision},
      {"saturated", rate_words(a.saturated) + " texts/s",
       fmt::format("{:.0f} per GPU; {} tokens/s are read", a.saturated_per_gpu.value().base(),
                   format_short_count(read))},
      {"whole text", a.feasible ? time_words(a.latency) : "grows while the load lasts",
       fmt::format("{:.0f} tokens each, {}", a.tokens_in, under)},
      {"MFU, MBU", percent_text(a.mfu.value()) + ", " + percent_text(a.mbu.value()),
       "of the dense peak, of the bandwidth"},
      {"energy", fmt::format("{:.2f} J per text", a.energy_per_token.value().base()),
       "accelerators alone"},
  };
}

std::vector<Figure> figures_of(const ServeAnswer& a) {
  const bool is_full = a.load.kind == ServeLoad::Kind::kSaturated;
  const std::string under = is_full ? "when saturated" : "under " + load_words(a.load);
  if (only_reads(a)) return reading_figures(a, under);
  return {
      {"weights per GPU", format_in(any(a.weights_per_gpu.value()), "GiB", 1) + " GiB",
       a.precision},
      {"KV cache",
       fmt::format("{} tokens [{}, {}]",
                   format_count(static_cast<long long>(a.kv_tokens.value().base())),
                   format_count(static_cast<long long>(a.kv_tokens.low().base())),
                   format_count(static_cast<long long>(a.kv_tokens.high().base()))),
       fmt::format("per replica, {}; {:.0f} sequences run", a.kv_format, a.sequences)},
      {"saturated", rate_words(a.saturated) + " tokens/s",
       fmt::format("{:.0f} per GPU; {} requests/s", a.saturated_per_gpu.value().base(),
                   three_figures(a.saturated_requests.value().base()))},
      {"first token", a.feasible ? time_words(a.ttft) : "grows while the load lasts", under},
      {"each next token", a.tokens_out > 1 ? time_words(a.tpot) : "none: answers of one token",
       fmt::format("{:.1f} sequences in a batch{}", a.running,
                   a.layout.dp > 1 ? " of each rank" : "")},
      {"whole request", a.feasible ? time_words(a.latency) : "grows while the load lasts",
       lengths_words(a.tokens_in, a.tokens_out)},
      {"MFU, MBU", percent_text(a.mfu.value()) + ", " + percent_text(a.mbu.value()),
       "of the dense peak, of the bandwidth"},
      {"energy", fmt::format("{:.2f} J per token", a.energy_per_token.value().base()),
       "accelerators alone"},
  };
}

Table figures_table(const ServeAnswer& answer) {
  Table table(
      {{.name = "figure"}, {.name = "value [nine of ten]"}, {.name = "note", .wraps = true}});
  for (const auto& figure : figures_of(answer))
    table.add_row({figure.name, figure.value, figure.note});
  return table;
}

Table parts_table(const ServeAnswer& answer) {
  Table table({{.name = "one step"},
               {.name = "decode ms", .align = Align::kRight},
               {.name = "with a prompt ms", .align = Align::kRight}});
  const auto cell = [](Seconds time) { return Cell(format_in(any(time), "ms", 2)); };
  for (const auto& part : answer.parts)
    table.add_row({serve_part_name(part), cell(part.decode), cell(part.prompt)});
  table.add_rule();
  table.add_row({"step", cell(answer.decode_step), cell(answer.prompt_step)});
  return table;
}

Table batch_table(const ServeAnswer& answer) {
  Table table({{.name = "batch", .align = Align::kRight},
               {.name = "tokens/s [nine of ten]", .align = Align::kRight},
               {.name = "speed-up", .align = Align::kRight},
               {.name = "MFU", .align = Align::kRight},
               {.name = "MBU", .align = Align::kRight}});
  for (const auto& row : answer.batches) {
    table.add_row({fmt::to_string(row.batch), rate_words(row.output_rate),
                   fmt::format("{:.1f}×", row.speedup), percent_text(row.mfu),
                   percent_text(row.mbu)});
  }
  return table;
}

}  // namespace

std::string serve_verdict(const ServeAnswer& a) {
  if (!a.feasible && a.prompt_gpus > 0) {
    return fmt::format("Overloaded: {} are more than the {} that its pools can finish.",
                       load_words(a.load), three_figures(a.saturated_requests.value().base()));
  }
  if (!a.feasible) {
    return fmt::format("Overloaded: {} are more than {} can finish; {} are needed.",
                       load_words(a.load), counted(a.layout.replicas, "replica"),
                       a.replicas_needed);
  }
  const std::string fullness =
      a.utilisation ? fmt::format(", {:.0f} % of what it could do", 100 * *a.utilisation) : "";
  constexpr double kFew = 10;  // A second: from here on whole numbers.
  const double rate = a.output_rate.value().base();
  return fmt::format(
      "{} {}/s on {}{}.",
      rate < kFew ? three_figures(rate) : format_count(static_cast<long long>(rate + 0.5)),
      only_reads(a) ? "texts" : "tokens", machine_words(a), fullness);
}

std::string serve_text(const ServeAnswer& answer, const ServeStyle& style) {
  std::string out = wrapped(serve_verdict(answer), style.width) + "\n";
  out += wrapped(fmt::format("{} · {} · {} · {} · {}", answer.title, answer.precision,
                             answer.accelerator_title, layout_words(answer), engine_words(answer)),
                 style.width) +
         "\n";
  if (!answer.batches.empty()) {
    out += render_text(batch_table(answer), {.width = style.width}) + "\n";
  }
  out += render_text(figures_table(answer), {.width = style.width}) + "\n";
  out += wrapped("What limits it when full: " + limit_words(answer.limit) + ".", style.width);
  for (const auto& line : slo_words(answer)) out += wrapped(line, style.width);
  if (style.explain) out += "\n" + render_text(parts_table(answer), {.width = style.width});
  if (!answer.notices.empty()) out += "\n";
  for (const auto& notice : answer.notices)
    out += wrapped(
        (severity_of(notice) == Severity::kCaution ? "caution: " : "note: ") + text_of(notice),
        style.width);
  return out;
}

std::string serve_markdown(const ServeAnswer& answer) {
  std::string out = serve_verdict(answer) + "\n\n";
  if (!answer.batches.empty()) out += render_markdown(batch_table(answer)) + "\n";
  return out + render_markdown(figures_table(answer)) + "\n" + render_markdown(parts_table(answer));
}

}  // namespace loadfactor::report
